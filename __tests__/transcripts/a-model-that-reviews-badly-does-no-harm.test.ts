import { expect, it } from '@jest/globals';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CAREFUL_REVIEWER,
  CHANGE,
  calls,
  conversations,
  discussion,
  LOGGED,
  push,
  REVIEW_INPUTS,
  raise,
  reviewStage,
  states,
  submit,
  TIMING,
  withSecondLook,
} from './review-scene.js';
import { expectTranscript, headOf, steady, troubles } from './stage.js';

const SHAS = ['1', '2', '3', '4'].map((digit) => digit.repeat(40));
const ASKS = submit('Both have to be fixed.');
const DONE = text('Reviewed.');

function settle(finding: string, how: string, more: object = {}): ScriptedToolCall {
  return { name: 'settle_finding', input: { finding, how, reason: 'It is over.', ...more } };
}

/** The same finding in words that have nothing in common with any other. */
function unlike(title: string, body: string, category: string): ScriptedToolCall {
  return {
    name: 'add_review_comment',
    input: { ...LOGGED.input, title, body, category, new: true },
  };
}

const LINE_OF_LOGGED = { path: 'src/auth.ts', line: 11, code: LOGGED.input['code'] };
const LINE_OF_TIMING = { path: 'src/auth.ts', line: 12, code: '  return expected == token;' };

it.each<[string, readonly ScriptedToolCall[]]>([
  ['wrong', [settle('F1', 'wrong'), settle('F2', 'wrong')]],
  [
    'fixed, by lines that were there before',
    [LINE_OF_LOGGED, LINE_OF_TIMING].map((line, at) =>
      settle(`F${at + 1}`, 'fixed', { evidence: [line] }),
    ),
  ],
  [
    'dismissed, by people who have not answered',
    [
      settle('F1', 'dismissed', { by: 'monalisa' }),
      settle('F2', 'dismissed', { by: 'Codertocat' }),
    ],
  ],
])('settles everything as %s: what blocks the merge stays open', async (_, settlements) => {
  const settles = calls(...settlements, submit('All of it is over.'));
  const stage = await reviewStage(
    withSecondLook([calls(LOGGED, TIMING, ASKS), DONE, settles, DONE]),
  );
  await stage.run({ inputs: REVIEW_INPUTS });
  const step = await stage.run({
    ...push(stage, SHAS[0] ?? '', { diff: CHANGE, fresh: README }),
    inputs: REVIEW_INPUTS,
  });
  expect(step.exitCode).toBe(0);
  expect(states(stage)[0]).toBe('CHANGES_REQUESTED');
  const open = { isResolved: false, replies: [] };
  expect(conversations(stage)).toMatchObject([open, open]);
  expect(step.outputs).toMatchObject({ 'findings-open': '2', 'findings-worst': 'critical' });
  expect(stage.repo.talk.checkRuns.at(-1)).not.toMatchObject({ conclusion: 'success' });
});

/** A push that touches neither finding. */
const README = `${headOf('README.md')}@@ -1 +1 @@
-Old.
+New.
`;

it('marks everything as new: what is plainly the same is not said again, and all else has its own conversation', async () => {
  const again = { ...LOGGED, input: { ...LOGGED.input, new: true } };
  const others = [
    unlike(
      'Personal data in plain sight',
      'Operators and suppliers see what nobody should know.',
      'data',
    ),
    unlike('Auditors would object', 'No regulation on earth permits that.', 'other'),
  ];
  const stage = await reviewStage(
    [LOGGED, again, ...others].flatMap((one) => [calls(one, ASKS), DONE]),
  );
  await stage.run({ inputs: REVIEW_INPUTS });
  for (const sha of SHAS.slice(0, 3)) {
    const step = await stage.run({ ...push(stage, sha, { diff: CHANGE }), inputs: REVIEW_INPUTS });
    expect(step.exitCode).toBe(0);
    expect(troubles(step)).toEqual([]);
  }
  const titles = [
    'The token is written to the log',
    'Personal data in plain sight',
    'Auditors would object',
  ];
  expect(conversations(stage)).toMatchObject(
    titles.map((says) => ({ at: 'src/auth.ts:11', says, replies: [] })),
  );
});

it('raises 500 findings: ten conversations, the rest in the text, and what is more is counted', async () => {
  const names = Array.from({ length: 500 }, (_, index) => `entry${String(index).padStart(3, '0')}`);
  const diff = `diff --git a/src/all.ts b/src/all.ts
new file mode 100644
index 0000000..9c4d5e6
--- /dev/null
+++ b/src/all.ts
@@ -0,0 +1,${names.length} @@
${names.map((name) => `+export const ${name} = load('${name}');`).join('\n')}
`;
  const flood = names.map((name, index) =>
    raise('src/all.ts', index + 1, {
      code: `export const ${name} = load('${name}');`,
      title: `\`${name}\` is loaded and never checked`,
      body: `Whoever reads \`${name}\` gets what \`load\` gave for it, also where it failed.`,
      category: 'error-handling',
      effect: 'failure',
      reach: index % 2 === 0 ? 'always' : 'rare',
    }),
  );
  const perTurn = 60;
  const turns = Array.from({ length: Math.ceil(flood.length / perTurn) }, (_, turn) =>
    calls(...flood.slice(turn * perTurn, (turn + 1) * perTurn)),
  );
  const stage = await reviewStage([...turns, calls(submit('Five hundred things.')), DONE], {
    diff,
  });
  const step = await stage.run({ inputs: REVIEW_INPUTS });
  expect(step.exitCode).toBe(0);
  expect(stage.repo.talk.reviewComments).toHaveLength(10);
  expect(stage.repo.talk.reviews).toHaveLength(1);
  const [review] = stage.repo.talk.reviews;
  expect(review?.body.length).toBeLessThan(65_536);
  expect(step.outputs['findings-open']).toBe('100');
  expect(review?.body).toContain('**100 open: 50 major, 50 minor.** Five hundred things.');
  expect(review?.body).toContain(
    '<summary>90 more findings: a review has at most 10 comments</summary>',
  );
  expect(review?.body).toMatch(/\b400\b/);
});

it('never submits: what it found is posted with a text of its own', async () => {
  const stage = await reviewStage([calls(LOGGED), DONE]);
  const step = await stage.run({ inputs: REVIEW_INPUTS });
  expect(step.exitCode).toBe(0);
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  expectTranscript('a-model-that-never-submits', steady(discussion(stage)));
});

/** The reviewer raises two findings; all claims are refuted so. */
async function refuted(reason: string, evidence: readonly object[]) {
  const model = withSecondLook([calls(LOGGED, TIMING, ASKS), DONE], {
    verdict: 'refuted',
    reason,
    evidence,
  });
  const stage = await reviewStage(model, {
    base: { 'axe/agents/reviewer.toml': CAREFUL_REVIEWER },
  });
  const step = await stage.run({ inputs: REVIEW_INPUTS });
  expect(step.exitCode).toBe(0);
  return { stage, step };
}

it('a verifier that refutes everything by lines of the code: nothing is posted, all of it is in the summary', async () => {
  const { stage, step } = await refuted('It is meant that way.', [LINE_OF_TIMING]);
  expect(stage.repo.talk.reviewComments).toEqual([]);
  expect(states(stage)).toEqual(['COMMENTED']);
  expect(step.summary).toContain('The token is written to the log');
  expect(step.summary).toContain('The comparison of tokens leaks by time');
  expect(step.summary.match(/refuted by a second check: It is meant that way\./g)).toHaveLength(2);
  expectTranscript('a-verifier-that-refutes-everything', steady(discussion(stage)));
});

it('a verifier that refutes everything by a line that it was not shown: what is bad enough is posted as not certain', async () => {
  const evidence = [{ path: 'src/guard.ts', line: 3, code: 'if (isSafe) return;' }];
  const { stage } = await refuted('I do not think so.', evidence);
  expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([11, 12]);
  for (const { body } of stage.repo.talk.reviewComments)
    expect(body).toMatch(/\*\*(?:Critical|Major)[^*]*, not certain/);
});
