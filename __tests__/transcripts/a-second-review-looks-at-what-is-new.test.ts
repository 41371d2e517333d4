import { expect, it } from '@jest/globals';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  commentOnPull,
  discussion,
  LOG_GONE,
  LOGGED,
  OFF_BY_ONE,
  push,
  QUEUE,
  QUIET,
  reviewStage,
  SECOND,
  SEEN_OVER,
  submit,
  TAKEN_OUT,
  THIRD,
  TIMING,
} from './review-scene.js';
import { expectTranscript, HEAD, type Stage, setStage, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const FIRST_DIFF = CHANGE + QUEUE;
const SECOND_DIFF = QUIET + QUEUE;
/** A file that the push adds. */
const OTHER = QUEUE.replaceAll('src/queue.ts', 'src/other.ts');

/** A model that reviews by these calls, and says no more. */
const reviewed = (...all: readonly ScriptedToolCall[]) => [calls(...all), text('Reviewed.')];
const FIRST_RUN = reviewed(TIMING, LOGGED, submit('Two things to fix.'));

function stageWith(second: readonly ModelReply[], set = setStageInProcess) {
  return reviewStage([...FIRST_RUN, ...second], { diff: FIRST_DIFF }, set);
}

/** The first message of a request of a number, from 0 on, as the model reads it. */
function message({ model }: Stage, number: number): string {
  return model.prompts()[number]?.messages[0] ?? '';
}

function threads({ repo: { talk } }: Stage) {
  return talk.reviewComments
    .filter(({ inReplyTo }) => inReplyTo === undefined)
    .map(({ path, line, id }) => ({
      at: `${path}:${line}`,
      isResolved: talk.resolved.has(id),
      answers: talk.reviewComments.filter(({ inReplyTo }) => inReplyTo === id).length,
    }));
}

/** A writer's comment below the pull request, with the cache of the pull request. */
async function say(stage: Stage, body: string, commentId = 1001) {
  const readableRefs = [`refs/heads/${stage.repo.defaultBranch}`];
  const env = stage.cache.env({ ref: 'refs/pull/2/merge', readableRefs });
  return await stage.run({ ...commentOnPull(stage, body, commentId), env });
}

it('a second review receives what a push changed and the names of the rest, and settles what the push has fixed', async () => {
  const replies = [...reviewed(OFF_BY_ONE, LOG_GONE, submit('One more.')), SEEN_OVER];
  const stage = await stageWith(replies, setStage);
  // Such a token resolves no threads, and saves to no branch.
  stage.repo.contents = 'read';
  const inputs = { 'memory-store': 'cache' };
  const first = await stage.run({ inputs });
  expect(first.exitCode).toBe(0);
  const asked = stage.model.requests().length;

  const pushed = {
    ...push(stage, SECOND, { diff: SECOND_DIFF, fresh: TAKEN_OUT }),
    runId: '1658821494',
  };
  const second = await stage.run({ ...pushed, inputs });
  expect(second.exitCode).toBe(0);
  const sent = message(stage, asked);
  expect(sent).not.toContain('queue.length + 1');
  // A comment can stand on a line that was not shown; the settled one is answered, the open one
  // stays.
  expect(threads(stage)).toEqual([
    { at: 'src/auth.ts:11', isResolved: false, answers: 1 },
    { at: 'src/auth.ts:12', isResolved: false, answers: 0 },
    { at: 'src/queue.ts:2', isResolved: false, answers: 0 },
  ]);
  expect(second.summary).toContain('\nReviewed: `ec26c3e..6dcb09b`, 1 of 2 files.\n');
  expect(second.outputs['memory-entry']).toContain(
    '**Result:** Posted 1 comment on #2: src/queue.ts:2. 2 open: 2 major. 1 is new. Settled 1 earlier finding.\n',
  );
  expect([first, second].flatMap(troubles)).toEqual([]);
  expectTranscript(
    'a-second-review-looks-at-what-is-new',
    [
      ['what the model is told', sent.replace(/^user: /, '')],
      ['what stands on the pull request', discussion(stage)],
    ]
      .map(([name, said]) => steady(`=== ${name}\n${said}\n`))
      .join('\n'),
  );
});

it('a second review resolves what was settled if the token can, and nothing by a line that is gone', async () => {
  const fixes = submit('Fixed.');
  const stage = await stageWith([...reviewed(fixes), ...reviewed(LOG_GONE, fixes), SEEN_OVER]);
  stage.repo.contents = 'write';
  await stage.run();
  const fixed = push(stage, SECOND, { diff: SECOND_DIFF, fresh: TAKEN_OUT });
  await stage.run({ ...fixed, inputs: { 'dry-run': 'true' } });
  const silent = await stage.run(fixed);
  expect(threads(stage).filter(({ isResolved }) => isResolved)).toEqual([]);
  expect(silent.outputs).toMatchObject({ 'findings-open': '2', 'findings-worst': 'critical' });
  const said = await stage.run({
    ...push(stage, THIRD, { diff: SECOND_DIFF, fresh: TAKEN_OUT }),
    runId: '1658821495',
  });
  expect(threads(stage)[0]).toEqual({ at: 'src/auth.ts:11', isResolved: true, answers: 1 });
  expect(said.outputs).toMatchObject({ 'findings-open': '1', 'findings-worst': 'major' });
});

it('a second review without new findings is not posted, and the check and the summary report it', async () => {
  const stage = await stageWith(reviewed(submit('All of it is sound.')));
  const inputs = { 'check-run': 'true' };
  await stage.run({ inputs });
  const seen = stage.repo.talk.reviews.length;
  const step = await stage.run({
    ...push(stage, SECOND, { diff: FIRST_DIFF + OTHER, fresh: OTHER }),
    inputs,
  });
  expect(stage.repo.talk.reviews).toHaveLength(seen);
  expect(stage.repo.comments).toEqual([]);
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
    conclusion: 'neutral',
    title: '2 open: 1 critical, 1 major · all files read',
    summary: expect.stringContaining('All of it is sound.'),
  });
  expect(step.summary).toContain('Nothing new was found, so no review was posted.');
  expect(step.outputs).toMatchObject({ 'findings-open': '2' });
  expect(troubles(step)).toEqual([]);
});

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

it.each<[string, (stage: Stage) => void, string]>([
  [
    'diverged',
    ({ repo }) => void repo.abandoned.add(HEAD),
    'the branch was rewritten or merged since the last review',
  ],
  [
    'out of reach',
    ({ github }) =>
      github.fail({
        route: COMPARE,
        accept: 'json',
        status: 403,
        body: { message: 'Not accessible' },
      }),
    'GitHub does not show all that is new since the last review',
  ],
])(
  'after a force-push all is reviewed, with the reason: the old head is %s',
  async (_, happen, why) => {
    const stage = await stageWith(reviewed(submit('Fine.')));
    await stage.run();
    const asked = stage.model.requests().length;
    const step = push(stage, SECOND, {
      diff: SECOND_DIFF.replace('length + 1', 'length + 2'),
      fresh: TAKEN_OUT,
    });
    happen(stage);
    const result = await stage.run(step);
    expect(result.exitCode).toBe(0);
    expect(result.summary).toContain(
      `\nReviewed: the whole pull request, 2 files, at \`6dcb09b\`, because ${why}.\n`,
    );
    const sent = message(stage, asked);
    expect(sent).toContain(
      `Your last review was of ec26c3e. You are shown the whole pull request again, because ${why}.`,
    );
    expect(sent).toContain('queue.length + 2');
  },
);

it('a second review excludes what a merge of the base branch brought', async () => {
  const stage = await stageWith(reviewed(submit('Fine.')));
  await stage.run();
  const asked = stage.model.requests().length;
  const others = QUEUE.replaceAll('src/queue.ts', 'src/theirs.ts').replaceAll('queue', 'stack');
  const far = '@@ -90,2 +89,3 @@\n   first();\n+  brought();\n   last();\n';
  const step = push(stage, SECOND, { diff: SECOND_DIFF, fresh: TAKEN_OUT + far + others });
  stage.repo.merges.add(SECOND);
  const result = await stage.run(step);
  const sent = message(stage, asked);
  expect(sent).toContain(
    'The branch was rewritten or merged since your last review of ec26c3e. Changed differently now: 1 of 2 files of the pull request.',
  );
  expect(sent).toMatch(/^\+\d+: {3}return expected == token;$/m);
  expect(sent).not.toMatch(/queue\.length|stack|brought\(\)/);
  expect(result.summary).toContain(
    '\nReviewed: 1 of 2 files at `6dcb09b`; the others that were read have the same patch as at `ec26c3e`.\n',
  );
});

it('`/axe review` covers what is new, and `/axe review full` everything', async () => {
  const fine = submit('Fine.');
  const stage = await stageWith([...reviewed(fine), ...reviewed(OFF_BY_ONE, fine)]);
  // What a pull request keeps in the cache, a comment's run does not see.
  stage.repo.contents = 'write';
  await stage.run();
  push(stage, SECOND, { diff: SECOND_DIFF, fresh: TAKEN_OUT });
  const inPart = await say(stage, '/axe review');
  expect(inPart).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect(inPart.summary).toContain('\nReviewed: `ec26c3e..6dcb09b`, 1 of 2 files.\n');
  const full = await say(stage, '/axe review full\nPlease.', 1002);
  expect(full.summary).toContain(
    '\nReviewed: the whole pull request, 2 files, at `6dcb09b`, because that was asked for.\n',
  );
  expect(full.outputs['memory-entry']).toContain('**Task:** Review pull request #2\n');
  expect(threads(stage).at(-1)?.at).toBe('src/queue.ts:2');
  // The sender is answered: by a review where there is something to say, else by a comment.
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining('/reply\\u002d1001"'),
  ]);
});

it('a second review continues from the limit of the last one, also on the same commit', async () => {
  const [all, rest] = [reviewed(OFF_BY_ONE, submit('All of it.')), reviewed(submit('The rest.'))];
  const stage = await reviewStage([calls(TIMING), ...all, calls(LOGGED), ...rest], {
    diff: FIRST_DIFF,
  });
  const limited = { 'max-turns': '1', 'fail-on': 'none' };
  const cut = await stage.run({ inputs: limited });
  expect(cut.outputs['conclusion']).toBe('max-turns');
  expect(stage.repo.talk.reviews[0]?.body).toMatch(/Cut short: .*Not everything was reviewed/);

  const whole = await stage.run();
  expect(whole.summary).toContain('\nReviewed: the whole pull request, 2 files, at `ec26c3e`.\n');
  expect(threads(stage).map(({ at }) => at)).toEqual(['src/auth.ts:12', 'src/queue.ts:2']);
  expect(stage.repo.talk.reviews[1]?.body).toMatch(
    /^<!-- axe-action \{"kind":"review","v":1,"agent":"reviewer","head":"\w+","part":2,/,
  );

  const cutAgain = await stage.run({
    ...push(stage, SECOND, { diff: FIRST_DIFF, fresh: TAKEN_OUT }),
    inputs: limited,
  });
  expect(cutAgain.outputs['conclusion']).toBe('max-turns');
  const step = push(stage, THIRD, { diff: FIRST_DIFF, fresh: TAKEN_OUT });
  stage.repo.comparisons.set(`${HEAD}...${THIRD}`, TAKEN_OUT);
  const last = await stage.run(step);
  expect(last.summary).toContain('\nReviewed: `ec26c3e..7fd1a60`, 1 of 2 files.\n');
});

/** The diff after a rebase: the base has fifteen lines more above, and other blobs. */
const rebased = (diff: string) =>
  diff
    .replace('@@ -10,3 +10,', '@@ -25,3 +25,')
    .replace('index 3f2a1b0..9c4d5e6', 'index 0a1b2c3..d4e5f60');

/** A pull request that was reviewed once, with two findings, and that is force-pushed then. */
async function forcePushed(diff: string) {
  const stage = await stageWith(reviewed(submit('Nothing new.')));
  expect(await stage.run()).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '2' } });
  const asked = stage.model.requests().length;
  const step = push(stage, SECOND, { diff });
  stage.repo.abandoned.add(HEAD);
  const result = await stage.run({ ...step, runId: '1658821494' });
  expect(result.exitCode).toBe(0);
  return { stage, result, sent: stage.model.prompts()[asked]?.messages.join('\n') };
}

it('after a rebase the model is asked only about the file whose change is another one, and findings follow', async () => {
  const { stage, result, sent = '' } = await forcePushed(rebased(QUIET) + QUEUE);
  expect(sent).not.toContain('queue.length + 1');
  expect(sent).toContain(
    'src/auth.ts:26 major security — "The comparison of tokens leaks by time"',
  );
  expect(result.summary).toContain(
    '\nReviewed: 1 of 2 files at `6dcb09b`; the others that were read have the same patch as at `ec26c3e`.\n',
  );
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expectTranscript('a-review-survives-a-rebase', steady(`${sent}\n`));
});

it('after a rebase that changes no patch no model is asked, and the run says so', async () => {
  const { result, sent } = await forcePushed(rebased(CHANGE) + QUEUE);
  expect(sent).toBeUndefined();
  const outputs = { conclusion: 'skipped', reason: 'nothing-new', 'findings-open': '2' };
  expect(result).toMatchObject({ outputs });
  expect(result.summary).toContain(
    'Nothing to review has changed in pull request #2 since ec26c3e.',
  );
});
