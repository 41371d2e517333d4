import { expect, it } from '@jest/globals';
import { ANSWER_LOST, BAD_GATEWAY_AFTER_EFFECT } from '../helpers/github-faults.js';
import { text } from '../helpers/model-server.js';
import { payloadField } from '../helpers/webhooks.js';
import { CHANGE, calls, discussion, LOGGED, push, REVIEWER, SECOND, submit, TIMING } from './review-scene.js';
import { expectTranscript, HEAD, type StageOptions, seen, setStage, steady, told } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const NEXT_CHANGE = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,3 +10,5 @@').replace(
  '+  console.log(token);',
  '+  const now = Date.now();\n+  console.log(token);',
);
/** What is new since the first head. */
const ADDED = CHANGE.slice(0, CHANGE.indexOf('@@ ')).concat(
  '@@ -10,3 +10,4 @@ export function isValid(token: string): boolean {\n   const expected = readToken();\n',
  '+  const now = Date.now();\n   console.log(token);\n   return expected == token;\n',
);
const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';

function stageWith(model: StageOptions['model'], set = setStageInProcess) {
  return set({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    model,
  });
}

it('comments are posted on lines once, and after the next push only on what is new', async () => {
  const stage = await stageWith(
    [
      calls(TIMING, LOGGED, submit('Two things to fix.')),
      text('I have reviewed the change.'),
      calls(TIMING, LOGGED, {
        name: 'add_review_comment',
        input: {
          path: 'src/auth.ts',
          line: 11,
          code: '  const now = Date.now();',
          title: 'A variable is never used',
          body: '`now` is never used.',
          category: 'other',
          effect: 'upkeep',
          reach: 'always',
        },
      }),
      calls(submit('One more.')),
      text('I have reviewed the push.'),
    ],
    setStage,
  );
  const first = await stage.run();
  expect(first.exitCode).toBe(0);
  expect(stage.repo.comments).toEqual([]);
  expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([11, 12]);
  expect(stage.repo.talk.reviewComments[1]?.body).toContain(
    '```suggestion\n  return timingSafeEqual(expected, token);\n```',
  );
  expect(first.outputs['comment-url']).toMatch(/#pullrequestreview-\d+$/);
  expect(first.outputs['memory-entry']).toContain(
    '**Result:** Posted 2 comments on #2: src/auth.ts:11, src/auth.ts:12.\n',
  );
  const opened = discussion(stage);

  const second = await stage.run({ ...push(stage, SECOND, NEXT_CHANGE, ADDED), runId: '1658821494' });
  expect(stage.repo.talk.reviewComments.map(({ line, commit }) => [line, commit])).toEqual([
    [11, HEAD],
    [12, HEAD],
    [11, SECOND],
  ]);
  expect(second.outputs['memory-entry']).toContain(
    '**Result:** Posted 1 comment on #2: src/auth.ts:11. Not repeated: 2 open.\n',
  );
  expectTranscript(
    'a-review-stands-on-its-lines-and-is-not-repeated',
    [seen(first, stage), opened, seen(second, stage), discussion(stage), ''].map(steady).join('\n=====\n'),
  );
});

it('a comment outside of the diff goes to the nearest line, or into the text of the review', async () => {
  const kind = { category: 'test', effect: 'upkeep', reach: 'always' };
  const evidence = [{ path: 'src/auth.ts', line: 12, code: '  return expected == token;' }];
  const far = {
    ...kind,
    path: 'src/other.ts',
    line: 3,
    code: 'export const old = 1;',
    title: 'Dead code',
    body: 'Nothing calls this any more.',
    evidence,
  };
  const near = {
    ...kind,
    path: 'src/auth.ts',
    line: 20,
    code: 'export const limit = 1;',
    title: 'No test covers this',
    body: 'A mistake here would go unnoticed.',
    evidence,
  };
  const stage = await stageWith([
    calls(
      { name: 'add_review_comment', input: far },
      { name: 'add_review_comment', input: near },
      submit('See below.'),
    ),
    text('Done.'),
  ]);
  await stage.run();
  const { reviews, reviewComments } = stage.repo.talk;
  expect(reviewComments.map(({ line, body }) => [line, body.split('\n').slice(1, 6)])).toEqual([
    [
      13,
      [
        '🟡 **Minor · test** — No test covers this',
        '',
        '(about line 20)',
        '',
        'A mistake here would go unnoticed.',
      ],
    ],
  ]);
  expect(reviews[0]?.body).toMatch(
    /\*\*`src\/other\.ts:3`\*\* · F\w{4}\n\n🟡 \*\*Minor · test\*\* — Dead code\n\nNothing calls this any more\./,
  );
});

it('a comment moves into the text of the review if GitHub refuses its line', async () => {
  const stage = await stageWith([calls(LOGGED, TIMING, submit('Two.')), text('Done.')]);
  const pull = stage.repo.pulls.get(2);
  if (pull === undefined) throw new Error('there is no pull request #2');
  const short = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,2 +10,2 @@').split('+  return')[0];
  stage.repo.pulls.set(2, { ...pull, diff: short ?? '' });
  const result = await stage.run();
  expect(result.exitCode).toBe(0);
  const { reviews, reviewComments } = stage.repo.talk;
  expect(stage.github.calls().filter((call) => call === REVIEW)).toHaveLength(2);
  expect(reviewComments.map(({ line }) => line)).toEqual([11]);
  expect(reviews.at(-1)?.body).toMatch(
    /\*\*Comments on lines that the diff does not show\*\*\n\n<code>src\/auth\.ts:12<\/code>\n\n🟠 \*\*Major · security\*\* — The comparison of tokens leaks by time\n\nComparing/,
  );
});

it.each([
  ['502', BAD_GATEWAY_AFTER_EFFECT],
  ['cut connection', ANSWER_LOST],
])('a review whose answer was lost is posted once: %s', async (_, fault) => {
  const stage = await stageWith([calls(TIMING, submit('One.')), text('Done.')]);
  stage.github.fail({ route: REVIEW, ...fault });
  const result = await stage.run();
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(stage.repo.talk.reviewComments).toHaveLength(1);
  expect(told(result).filter((line) => line.startsWith('warning'))).toEqual([]);
  expect(result.outputs['comment-url']).toMatch(/#pullrequestreview-\d+$/);
});

it('nothing is posted a second time when a run is started again', async () => {
  const script = [calls(TIMING, submit('One.')), text('Done.')];
  const stage = await stageWith([...script, ...script]);
  await stage.run();
  const again = await stage.run();
  expect(again.exitCode).toBe(0);
  expect(stage.repo.talk.reviews).toHaveLength(1);
  expect(stage.repo.talk.reviewComments).toHaveLength(1);
  expect(stage.repo.comments).toEqual([]);
});

it('findings appear on the lines and in the summary if the token cannot comment', async () => {
  const stage = await stageWith([calls(TIMING, LOGGED, submit('Two things.')), text('Done.')]);
  stage.github.fail({
    route: REVIEW,
    status: 403,
    body: {
      message: 'Resource not accessible by integration',
      documentation_url: 'https://docs.github.com',
      status: '403',
    },
  });
  const result = await stage.run();
  // Nothing could be published, so the run is not a success.
  expect(result).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(
    result.annotations.flatMap(({ file, line, message }) =>
      file === undefined ? [] : [[file, line, message]],
    ),
  ).toEqual([
    ['src/auth.ts', 11, expect.stringMatching(/The token ends up in the log\.$/)],
    [
      'src/auth.ts',
      12,
      expect.stringMatching(/by time\.\n\nSuggested:\n\n```\n {2}return timingSafeEqual\(.*\n```$/),
    ],
  ]);
  expect(told(result).join('\n')).toContain('pull-requests: write');
  expect(result.summary).toContain('**Findings not posted as comments**');
  expect(result.summary).toContain('The token ends up in the log.');
  expect(result.summary).toMatch(/Suggested:\n\n```\n {2}return timingSafeEqual\(/);
  expect(stage.repo.talk.reviews).toEqual([]);
});

it('a review requests changes if the workflow allows it, and takes that back when what blocks has been fixed as it was suggested', async () => {
  const stage = await stageWith([
    calls(TIMING, submit('Must not be merged.')),
    text('Done.'),
    calls(submit('All fixed.')),
    text('Done.'),
  ]);
  const inputs = { 'block-on': 'major' };
  await stage.run({ inputs });
  expect(stage.repo.talk.reviews.map(({ state }) => state)).toEqual(['CHANGES_REQUESTED']);
  const fixed = CHANGE.replace('+  return expected == token;', '+  return timingSafeEqual(expected, token);');
  await stage.run({ ...push(stage, SECOND, fixed), inputs });
  const reviews = stage.repo.talk.reviews.filter(({ body }) => body !== '');
  expect(reviews.map(({ state }) => state)).toEqual(['DISMISSED', 'COMMENTED']);
  expect(reviews[1]?.body).toContain('— its suggestion was committed');
  expect(stage.repo.talk.resolved.size).toBe(1);
});

it('a label is set only if the repository has it and the workflow allows it', async () => {
  const stage = await setStageInProcess({
    event: { name: 'issues', action: 'opened' },
    base: { 'axe/agents/triage.toml': TRIAGE },
    model: [calls({ name: 'set_labels', input: { add: 'bug, security' } }), text('It is a bug.')],
  });
  const number = Number(payloadField(stage.payload, 'issue.number'));
  stage.repo.talk.labels.push('bug', 'security');
  stage.repo.talk.labelsOf.set(number, []);
  const result = await stage.run({ inputs: { agent: 'triage', 'labels-allowed': 'bug' } });
  expect(result.exitCode).toBe(0);
  expect(result.outputs['memory-entry']).toContain('**Result:** Added the label `bug`.\nIt is a bug.');
  expect(result.summary).toContain('Not taken: "security".');
  expect(stage.repo.talk.labelsOf.get(number)).toEqual(['bug']);
});

const TRIAGE = REVIEWER.replace('"add_review_comment", "submit_review"', '"set_labels"').replace(
  '"reviewer"',
  '"triage"',
);
