import { expect, it } from '@jest/globals';
import { seedReaction } from '../helpers/github-review-seed.js';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import {
  CHANGE,
  CLEAR,
  CRITICAL,
  calls,
  conversations,
  DOCS,
  LOG_GONE,
  LOGGED,
  lastCheck,
  push,
  QUIET,
  REVIEW_INPUTS,
  reviewStage,
  SECOND,
  SEEN_OVER,
  states,
  submit,
  TAKEN_OUT,
  THIRD,
} from './review-scene.js';
import { headOf, type Stage, setStage } from './stage.js';

const ASKS = submit('The token must not be logged.');
const WELL = submit('All is well.');
const GONE: ScriptedToolCall = {
  name: 'settle_finding',
  input: { finding: 'F1', how: 'fixed', reason: 'It is deleted.', evidence: [] },
};

/** The calls of each run, and its second looks; the author of the pull request may write. */
function scene(...replies: readonly (readonly ScriptedToolCall[] | ModelReply)[]): Promise<Stage> {
  const model = replies.flatMap((reply) =>
    'kind' in reply ? [reply] : [calls(...(reply as readonly ScriptedToolCall[])), text('Done.')],
  );
  return reviewStage(model, { roles: { Codertocat: 'write', monalisa: 'write' } }, setStage);
}

/** The first comment on a line. */
function opening({ repo }: Stage) {
  const [first] = repo.talk.reviewComments;
  if (first === undefined) throw new Error('nothing was found');
  return first;
}

/** An event that starts no review: nothing is new. */
function quietEvent() {
  const payload = { ...loadWebhook('pull_request', 'opened', {}), action: 'reopened' };
  return { event: { name: 'pull_request', payload }, inputs: REVIEW_INPUTS };
}

it('without a memory, a finding that blocks is settled by its fix, and the next run knows', async () => {
  const inputs = { ...REVIEW_INPUTS, 'memory-store': 'none' };
  const stage = await scene([LOGGED, ASKS], [LOG_GONE, WELL], SEEN_OVER, [WELL]);
  await stage.run({ inputs });
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  const fixed = await stage.run({
    ...push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT }),
    inputs,
  });
  expect(fixed.outputs['findings-open']).toBe('0');
  expect(states(stage)[0]).toBe('DISMISSED');
  expect(lastCheck(stage)).toMatchObject(CLEAR);
  const next = await stage.run({ ...push(stage, THIRD, { diff: QUIET, fresh: DOCS }), inputs });
  expect(next.outputs['findings-open']).toBe('0');
  expect(conversations(stage)).toHaveLength(1);
});

it('a deleted line is evidence, and neither a new mode nor a new name of its file brings it back', async () => {
  const stage = await scene([LOGGED, ASKS], [GONE, WELL], SEEN_OVER, [WELL], [WELL]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const cut = push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT });
  const settled = await stage.run({ ...cut, inputs: REVIEW_INPUTS });
  expect(settled.outputs['findings-open']).toBe('0');
  const renamed =
    'diff --git a/src/auth.ts b/src/token.ts\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from src/auth.ts\nrename to src/token.ts\n';
  const after = await stage.run({
    ...push(stage, THIRD, { diff: renamed, fresh: renamed }),
    inputs: REVIEW_INPUTS,
  });
  expect(after.outputs['findings-open']).toBe('0');
  const gone = push(stage, 'e'.repeat(40), { diff: DOCS });
  expect((await stage.run({ ...gone, inputs: REVIEW_INPUTS })).outputs['findings-open']).toBe('0');
  expect(conversations(stage)).toMatchObject([{ replies: [expect.stringContaining('settled')] }]);
});

it('an Unresolve opens a finding again, also one that was dismissed', async () => {
  const stage = await scene([LOGGED, ASKS]);
  stage.repo.contents = 'write';
  await stage.run({ inputs: REVIEW_INPUTS });
  const { id: of } = opening(stage);
  const { talk } = stage.repo;
  const createdAt = new Date().toISOString();
  seedReaction(stage.repo, {
    on: 'review-comment',
    of,
    author: 'monalisa',
    content: '-1',
    createdAt,
  });
  const dismissed = await stage.run(quietEvent());
  expect(dismissed.outputs).toMatchObject({ conclusion: 'skipped', 'findings-open': '' });
  expect([talk.resolved.has(of), states(stage)]).toEqual([true, ['DISMISSED']]);

  talk.resolved.delete(of);
  const opened = await stage.run(quietEvent());
  expect(opened.outputs['findings-open']).toBe('1');
  expect(lastCheck(stage)).toMatchObject(CRITICAL);
  expect(states(stage).at(-1)).toBe('CHANGES_REQUESTED');
});

it('lines in the wrong order are one range, with its suggestion', async () => {
  const { input } = LOGGED;
  const code = '  console.log(token);\n  return expected == token;';
  const suggestion = '  log(length);\n  return expected == token;';
  const reversed = { ...input, code, start_line: 12, line: 11, suggestion };
  const stage = await scene([{ ...LOGGED, input: reversed }, ASKS]);
  await stage.run({ inputs: REVIEW_INPUTS });
  expect(opening(stage)).toMatchObject({ startLine: 11, line: 12 });
  expect(opening(stage).body).toContain(suggestion);
});

it('a comment of ours that a person has edited stays the one of its finding', async () => {
  const stage = await scene([LOGGED, ASKS], [LOGGED, ASKS], [LOG_GONE, WELL], SEEN_OVER);
  stage.repo.contents = 'write';
  await stage.run({ inputs: REVIEW_INPUTS });
  const first = opening(stage);
  Object.assign(first, { body: 'I rewrote this.', editor: 'monalisa', editedAt: first.createdAt });
  const touched = `${headOf('src/log.ts')}@@ -1 +1 @@\n-a\n+b\n`;
  const again = push(stage, SECOND, { diff: CHANGE + touched, fresh: touched });
  const repeated = await stage.run({ ...again, inputs: REVIEW_INPUTS });
  expect(repeated.outputs['findings-open']).toBe('1');
  expect(conversations(stage)).toHaveLength(1);

  const fixed = push(stage, THIRD, { diff: QUIET + touched, fresh: TAKEN_OUT });
  expect((await stage.run({ ...fixed, inputs: REVIEW_INPUTS })).outputs['findings-open']).toBe('0');
  expect(conversations(stage)).toMatchObject([{ isResolved: true, replies: [expect.anything()] }]);
});
