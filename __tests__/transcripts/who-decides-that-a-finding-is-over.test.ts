// slow
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { seedReaction, seedReply } from '../helpers/github-review-seed.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import type { StepOptions, StepResult } from '../helpers/run-action.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';
import {
  CHANGE,
  CLEAR,
  CRITICAL,
  calls,
  commentOnPull,
  conversations,
  DOCS,
  findingOf,
  LOG_GONE,
  LOGGED,
  lastCheck,
  numberHandles,
  OFF_BY_ONE,
  push,
  QUEUE,
  QUIET,
  REVIEW_INPUTS,
  REVIEWER,
  reviewStage,
  SECOND,
  SEEN_OVER,
  saidIn,
  states,
  submit,
  TAKEN_OUT,
  THIRD,
  TIMING,
} from './review-scene.js';
import { HEAD, headOf, type Stage, type StageOptions, troubles } from './stage.js';

/** The check of a run without an answer, while a critical finding is open. */
const UNANSWERED = { conclusion: 'failure', title: '1 open: 1 critical' };
const GATED = { ...REVIEW_INPUTS, 'fail-on': 'findings:major' };

interface Origin {
  readonly name: string;
  readonly patch: PayloadPatch;
}

const OWN: Origin = { name: 'pull_request', patch: {} };
/** A stranger's pull request, which runs on the commits that somebody with write access labels. */
const FORKED: Origin = {
  name: 'pull_request_target',
  patch: {
    'pull_request.head.repo.full_name': 'octocat/Hello-World',
    'pull_request.user.login': 'octocat',
  },
};

function event({ name, patch }: Origin, wanted: string, sha = HEAD) {
  const action = name === FORKED.name ? 'labeled' : wanted;
  const known = ['synchronize', 'labeled'].includes(action) ? action : 'opened';
  const payload = loadWebhook('pull_request', known, { ...patch, 'pull_request.head.sha': sha });
  return { event: { name, payload: { ...payload, action } } };
}

/**
 * One reply for the tools of each run; the model then ends it. A second look is a reply of its own.
 */
function scene(
  replies: readonly (readonly ScriptedToolCall[] | ModelReply)[],
  {
    origin = OWN,
    ...options
  }: Pick<StageOptions, 'base' | 'diff'> & { readonly origin?: Origin } = {},
): Promise<Stage> {
  const model = replies.flatMap((reply) =>
    'kind' in reply
      ? [reply]
      : [calls(...(reply as readonly ScriptedToolCall[])), text('Reviewed.')],
  );
  const roles = { Codertocat: 'write', monalisa: 'write', octocat: 'read' } as const;
  return reviewStage(model, { ...event(origin, 'opened'), roles, ...options });
}

/** The diff of the pull request, and of the push alone if that is another one. */
type Diffs = readonly [diff: string, fresh?: string];

/** A push by whomever. */
function pushed(stage: Stage, sha: string, [diff, fresh = diff]: Diffs, origin = OWN) {
  push(stage, sha, { diff, fresh }, origin.patch);
  return event(origin, 'synchronize', sha);
}

async function say(
  stage: Stage,
  body: string,
  id: number,
  inputs: StepOptions['inputs'] = REVIEW_INPUTS,
) {
  return await stage.run({ ...commentOnPull(stage, body, id), inputs });
}

/** The findings in the state of the agent. */
function recordIn({ github, repo }: Stage): readonly string[] {
  const files = github.files(`${repo.owner}/${repo.name}`, 'axe-memory');
  return files['reviewer.state.md']?.match(/^- \{"kind":"finding".*$/gm) ?? [];
}

function resultsIn({ outputs }: StepResult): readonly { readonly ruleId: string }[] {
  const sarif = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8')) as {
    readonly runs: readonly { readonly results: readonly { readonly ruleId: string }[] }[];
  };
  return sarif.runs.flatMap(({ results }) => results);
}

function thumbsDown({ repo }: Stage, of: number) {
  const createdAt = new Date().toISOString();
  seedReaction(repo, { on: 'review-comment', of, author: 'monalisa', content: '-1', createdAt });
}

const PRICES = `diff --git a/src/price.ts b/src/price.ts
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/src/price.ts
@@ -0,0 +1,5 @@
+export function price(items: readonly Item[]): number {
+  const first = items[0].price;
+  const total = items.reduce((sum, item) => sum + item.price);
+  return total / items.length + first;
+}
`;
const RENAMED = PRICES.replaceAll('first', 'start').replaceAll('total', 'whole');
const linesOf = (diff: string, from: number, to: number) => diff.split('\n').slice(from, to);
const RENAMING = `${headOf('src/price.ts', '1f7a7a4..2a8b8b5')}@@ -1,5 +1,5 @@
 export function price(items: readonly Item[]): number {
${linesOf(PRICES, 7, 10).join('\n').replaceAll(/^\+/gm, '-')}
${linesOf(RENAMED, 7, 10).join('\n')}
 }
`;

function fault(line: number, code: string, title: string, more: object = {}): ScriptedToolCall {
  const kind = { category: 'correctness', effect: 'failure', reach: 'always' };
  const input = { path: 'src/price.ts', line, code, title, ...kind, body: `${title}.`, ...more };
  return { name: 'add_review_comment', input };
}

const EMPTY = 'An empty list has no first item';
const SEED = 'The sum begins with an item';
const DIVISION = 'An empty list is divided by zero';
const THREE = [
  fault(2, '  const first = items[0].price;', EMPTY),
  fault(3, '  const total = items.reduce((sum, item) => sum + item.price);', SEED),
  fault(4, '  return total / items.length + first;', DIVISION),
];
const THREE_AGAIN = [
  fault(2, '  const start = items[0].price;', EMPTY, { same_as: 'F1' }),
  fault(3, '  const whole = items.reduce((sum, item) => sum + item.price);', SEED, {
    same_as: 'F2',
  }),
  fault(4, '  return whole / items.length + start;', DIVISION, { same_as: 'F3' }),
];

it.each([
  ['the model raises nothing, on a fork', FORKED, [] as readonly ScriptedToolCall[]],
  ['the model raises them again', OWN, THREE_AGAIN],
])('three findings that block outlive a renaming on each line: %s', async (_, origin, again) => {
  const replies = [
    [...THREE, submit('Three.')],
    [...again, submit('All three hold.')],
  ];
  const stage = await scene(replies, { origin, diff: PRICES });
  await stage.run({ inputs: REVIEW_INPUTS });
  const blocked = { conclusion: 'failure', title: '3 open: 3 major · all files read' };
  expect(lastCheck(stage)).toMatchObject({ headSha: HEAD, ...blocked });

  const step = await stage.run({
    ...pushed(stage, SECOND, [RENAMED, RENAMING], origin),
    inputs: REVIEW_INPUTS,
  });
  expect(step.outputs).toMatchObject({ 'findings-open': '3', 'findings-worst': 'major' });
  const said = conversations(stage);
  expect(said).toHaveLength(3);
  expect(said.filter(({ isResolved }) => isResolved)).toEqual([]);
  expect(said.flatMap(({ replies }) => replies).map(numberHandles)).toEqual(
    again.map(() => 'F1 is still there as of 6dcb09b, and major.'),
  );
  expect(states(stage)).not.toContain('DISMISSED');
  expect(states(stage)).toContain('CHANGES_REQUESTED');
  expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, ...blocked });
  const told = stage.model.prompts()[2]?.messages[0] ?? '';
  expect(numberHandles(told)).toContain('The change no longer contains the line of F1, F2, F3.');
});

it.each([
  ['without memory', { 'memory-store': 'none' }, 'reviewer'],
  ['by a second agent', {}, 'second'],
])(
  'a fault that is raised again on the next push fails the step again, %s',
  async (_, more, agent) => {
    const base = {
      'axe/agents/reviewer.toml': REVIEWER,
      'axe/agents/second.toml': REVIEWER.replace('"reviewer"', '"second"'),
    };
    const replies = ['One.', 'Still one.'].map((said) => [TIMING, submit(said)]);
    const stage = await scene(replies, { base });
    const inputs = { ...GATED, ...more };
    const open = { exitCode: 1, outputs: { conclusion: 'findings', 'findings-open': '1' } };
    expect(await stage.run({ inputs })).toMatchObject(open);
    const step = await stage.run({
      ...pushed(stage, SECOND, [CHANGE]),
      inputs: { ...inputs, agent },
    });
    expect(step).toMatchObject(open);
    expect(resultsIn(step)).toHaveLength(1);
    expect(step.summary).toMatch(/\| The comparison of tokens leaks by time · F\w{4}<br>/);
  },
);

it('findings in the text of a review count when the one on a line is fixed', async () => {
  const stage = await scene(
    [
      [LOGGED, TIMING, OFF_BY_ONE, submit('Three.')],
      [LOG_GONE, submit('One is fixed.')],
      SEEN_OVER,
    ],
    { diff: CHANGE + QUEUE },
  );
  const inputs = { ...GATED, 'max-comments': '1' };
  await stage.run({ inputs });
  expect(conversations(stage)).toMatchObject([{ at: 'src/auth.ts:11' }]);
  const step = await stage.run({ ...pushed(stage, SECOND, [QUIET + QUEUE, TAKEN_OUT]), inputs });
  expect(step).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'findings', 'findings-open': '2' },
  });
  expect(conversations(stage)).toMatchObject([{ isResolved: true }]);
  expect(lastCheck(stage)).toMatchObject({
    conclusion: 'failure',
    title: '2 open: 2 major · all files read',
  });
  const told = stage.repo.talk.reviews.filter(({ body }) => body !== '').at(-1)?.body ?? '';
  expect(told).toMatch(
    /^- 🟠 The size is one too large · `src\/queue\.ts:2` · F\w{4} — still open$/m,
  );
  const [, handle = ''] =
    /leaks by time · `src\/auth\.ts:11` · (F\w{4}) — still open/.exec(told) ?? [];

  await say(stage, `/axe dismiss ${handle}`, 1001, inputs);
  const after = await stage.run({ ...event(OWN, 'reopened', SECOND), inputs });
  expect(after.outputs).toMatchObject({ conclusion: 'findings', 'findings-open': '1' });
});

const OPEN = { conclusion: 'findings', 'findings-open': '1', 'findings-worst': 'critical' };
/** Its file is no longer part of the change. */
const OVER = { 'findings-open': '' };

const IN_SRC = { paths: 'src/**' };

/** Every case: what the pull request is after a push, and what of that is new. */
it.each<[string, string, readonly [string, string?] | undefined, object, object]>([
  ['the pull request is reopened', 'nothing-new', undefined, {}, OPEN],
  ['a push is outside of `paths`', 'nothing-new', [CHANGE + DOCS, DOCS], IN_SRC, OPEN],
  ['nothing of the change is left to review', 'nothing-to-review', [DOCS], IN_SRC, OVER],
  ['the money is spent', 'budget-spent', [CHANGE], { 'max-cost-usd-per-pr': '0.003' }, OPEN],
])('a run that is skipped tells what is open: %s', async (_, ...[reason, diffs, more, outputs]) => {
  const stage = await scene([[LOGGED, submit('One.')]]);
  const inputs = { ...GATED, ...more };
  await stage.run({ inputs });
  const asked = stage.model.requests().length;
  const next = diffs === undefined ? event(OWN, 'reopened') : pushed(stage, SECOND, diffs);
  const step = await stage.run({ ...next, inputs });
  expect(stage.model.requests()).toHaveLength(asked);
  expect(step).toMatchObject({
    exitCode: outputs === OPEN ? 1 : 0,
    outputs: { reason, ...outputs },
  });
  if (outputs === OVER) return;
  expect(resultsIn(step)).toHaveLength(1);
  const title = expect.stringMatching(/^1 open: 1 critical/);
  expect(lastCheck(stage)).toMatchObject({ conclusion: 'failure', title });
});

it.each<[string, readonly ScriptedToolCall[] | ModelReply, string]>([
  ['has nothing to add', [submit('I have nothing to add.')], 'findings'],
  ['fails', { kind: 'raw', status: 400, body: '' }, 'failure'],
])('a run whose model %s counts what is open', async (_, reply, conclusion) => {
  const stage = await scene([[LOGGED, submit('One.')], reply]);
  await stage.run({ inputs: GATED });
  const step = await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs: GATED });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion, 'findings-open': '1' } });
  expect(resultsIn(step)).toHaveLength(1);
  if (conclusion === 'findings')
    expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, conclusion: 'failure' });
});

it('a run that is skipped for its actor stays green, and counts and posts nothing', async () => {
  const stage = await scene([[LOGGED, submit('One.')]]);
  await stage.run({ inputs: GATED });
  const githubBefore = stage.github.requests().length;
  const modelBefore = stage.model.requests().length;
  const stranger: Origin = { ...OWN, patch: { 'sender.login': 'octocat' } };
  const step = await stage.run({ ...event(stranger, 'reopened'), inputs: GATED });
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'skipped', reason: 'permission' },
  });
  // The pull request is read next to the permission, so that nothing waits for it.
  const requests = stage.github.requests().slice(githubBefore);
  const isWrite = ({ method, path, bytes }: RecordedRequest) =>
    path === '/graphql' ? bytes.includes('mutation') : method !== 'GET';
  expect(requests.filter(isWrite)).toEqual([]);
  expect(stage.model.requests()).toHaveLength(modelBefore);
});

it('a skipped run frees verdict and check once people have dismissed everything', async () => {
  const stage = await scene([[LOGGED, TIMING, submit('Two.')]]);
  await stage.run({ inputs: GATED });
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  const [logged = 0, timing = 0] = stage.repo.talk.reviewComments.map(({ id }) => id);
  thumbsDown(stage, logged);
  seedReply(stage.repo, timing, { author: 'monalisa', body: 'By design.' });
  const asked = stage.model.requests().length;
  const step = await stage.run({ ...event(OWN, 'reopened'), inputs: GATED });
  expect(stage.model.requests()).toHaveLength(asked);
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'skipped', 'findings-open': '' },
  });
  expect(states(stage)).toEqual(['DISMISSED']);
  expect(lastCheck(stage)).toMatchObject(CLEAR);
  expect(conversations(stage)).toMatchObject([{ isResolved: true }, { isResolved: true }]);
});

it('a finding is open again once its 👎 is taken back', async () => {
  const stage = await scene([[LOGGED, submit('One.')]]);
  await stage.run({ inputs: GATED });
  const [logged = 0] = stage.repo.talk.reviewComments.map(({ id }) => id);
  thumbsDown(stage, logged);
  const dismissed = await stage.run({ ...event(OWN, 'reopened'), inputs: GATED });
  expect(dismissed.outputs).toMatchObject({ conclusion: 'skipped', 'findings-open': '' });
  stage.repo.talk.reactions.length = 0;
  const back = await stage.run({ ...event(OWN, 'reopened'), inputs: GATED });
  expect(back).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'findings', 'findings-open': '1' },
  });
  expect(stage.repo.talk.resolved.has(logged)).toBe(false);
  expect(lastCheck(stage)).toMatchObject(CRITICAL);
  expect(states(stage).at(-1)).toBe('CHANGES_REQUESTED');
  expect(saidIn(stage).slice(1)).toEqual([
    'Noted: F1 is dismissed, and not raised again on this line.',
    'F1 is open again.',
  ]);
});

it('findings count although GitHub does not tell of conversations, and no model is asked', async () => {
  const stage = await scene([[LOGGED, TIMING, submit('Two.')], [submit('All is well.')]]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const [logged = 0] = stage.repo.talk.reviewComments.map(({ id }) => id);
  stage.repo.talk.resolved.set(logged, 'monalisa');
  const asked = stage.model.requests().length;
  const [before, comments] = [states(stage), stage.repo.talk.reviewComments.length];
  const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
  const refused = { status: 200, body: { data: null, errors }, times: 20 };
  stage.github.fail({ route: 'POST /graphql', contains: 'reviewThreads', ...refused });
  const step = await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs: REVIEW_INPUTS });
  expect(stage.model.requests()).toHaveLength(asked);
  expect(step).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'incomplete', 'findings-open': '2', 'findings-worst': 'critical' },
  });
  expect(states(stage)).toEqual(before);
  expect(stage.repo.talk.reviewComments).toHaveLength(comments);
  expect(stage.repo.comments).toEqual([]);
  expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, conclusion: 'failure' });
});

it('a review is posted by what was known at its beginning, with one warning, if GitHub cannot be read again', async () => {
  const stage = await scene([
    [LOGGED, submit('One.')],
    [TIMING, submit('One more.')],
  ]);
  const inputs = { ...REVIEW_INPUTS, 'memory-store': 'branch' };
  await stage.run({ inputs });
  const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
  const refused = { status: 200, body: { data: null, errors }, skip: 1, times: 20 };
  stage.github.fail({ route: 'POST /graphql', contains: 'reviewThreads', ...refused });
  const step = await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs });
  expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '2' } });
  expect(stage.repo.talk.reviewComments).toHaveLength(2);
  expect(troubles(step).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^what people have answered on #2 since the run began was not read: /),
  ]);
});

it('a command frees verdict and check at once, and `/axe reopen` takes that back', async () => {
  const stage = await scene([[LOGGED, submit('One.')]]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const { handle } = findingOf(stage);
  await say(stage, `/axe done ${handle.toLowerCase()}`, 1001);
  expect(stage.repo.comments[0]?.body).toContain(
    `Noted: ${handle} is settled. It is not raised again while its line stays as it is. Undo: \`/axe reopen ${handle}\`.`,
  );
  expect(conversations(stage)).toMatchObject([{ isResolved: true }]);
  expect(states(stage)).toEqual(['DISMISSED']);
  expect(lastCheck(stage)).toMatchObject({ headSha: HEAD, ...CLEAR });
  await say(stage, `/axe reopen ${handle}`, 1002);
  expect(states(stage)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
  expect(lastCheck(stage)).toMatchObject({ headSha: HEAD, ...CRITICAL });
});

it.each([
  ['branch', true],
  ['branch', false],
  ['none', true],
  ['none', false],
])(
  'with memory: %s, `/axe reopen` takes a *Resolve* back, noted by a run: %s',
  async (store, isNoted) => {
    const stage = await scene([[LOGGED, submit('One.')], [submit('As before.')]]);
    const inputs = { ...REVIEW_INPUTS, 'memory-store': store };
    await stage.run({ inputs });
    const { resolved } = stage.repo.talk;
    const { id, handle } = findingOf(stage);
    resolved.set(id, 'monalisa');
    if (isNoted) await stage.run({ ...event(OWN, 'reopened'), inputs });
    await say(stage, `/axe reopen ${handle}`, 1002, inputs);
    expect(lastCheck(stage)).toMatchObject(CRITICAL);
    expect(resolved.has(id)).toBe(false);
    expect(states(stage).at(-1)).toBe('CHANGES_REQUESTED');
  },
);

it('without memory, `/axe reopen` leaves the others as they are', async () => {
  const mild = { ...LOGGED.input, category: 'docs', effect: 'upkeep', reach: 'always' };
  const other = {
    ...mild,
    category: 'data',
    title: 'Printing is left over',
    body: 'It prints.',
    new: true,
  };
  const wrong = { how: 'wrong', reason: 'It is a debug build.' };
  const settle = (finding: string) => ({ name: 'settle_finding', input: { finding, ...wrong } });
  const raise = [mild, other].map((input) => ({ ...LOGGED, input }));
  const stage = await scene([
    [...raise, submit('Two.')],
    [settle('F1'), settle('F2'), submit('None.')],
    // What is read without memory may be a stranger's, so each end has its second look.
    SEEN_OVER,
    SEEN_OVER,
  ]);
  const inputs = { 'memory-store': 'none' };
  await stage.run({ inputs });
  await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs });
  await say(stage, `/axe reopen ${findingOf(stage).handle}`, 1002, inputs);
  const { outputs } = await stage.run({ ...event(OWN, 'reopened', SECOND), inputs });
  expect(outputs['findings-open']).toBe('1');
});

it('a run that cannot read its memory changes nothing in the record, and what it raises is known to the next', async () => {
  const mild = { ...LOGGED.input, category: 'docs', effect: 'upkeep', reach: 'always' };
  const wrong = { finding: 'F1', how: 'wrong', reason: 'It is a debug build.' };
  const stage = await scene([
    [{ ...LOGGED, input: mild }, submit('One.')],
    [{ name: 'settle_finding', input: wrong }, submit('None.')],
    [TIMING, submit('Another.')],
    [submit('As before.')],
  ]);
  await stage.run({ inputs: REVIEW_INPUTS });
  await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs: REVIEW_INPUTS });
  const record = recordIn(stage);
  expect(record).toEqual([expect.stringContaining('"state":"settled","by":"model"')]);

  const conflict = { status: 409, body: { message: 'Conflict' } };
  stage.github.fail({ ...conflict, route: 'POST /graphql', contains: 'qualifiedName' });
  const unread = await stage.run({ ...pushed(stage, THIRD, [CHANGE]), inputs: REVIEW_INPUTS });
  expect(unread.annotations).toMatchObject([{ title: 'Memory not loaded' }]);
  expect(recordIn(stage)).toEqual(record);

  const { outputs } = await stage.run({ ...event(OWN, 'reopened', THIRD), inputs: REVIEW_INPUTS });
  expect(outputs['findings-open']).toBe('1');
  const kept = ['"words":"own"', '"state":"open"'].map((part) => expect.stringContaining(part));
  expect(recordIn(stage)).toEqual(kept);
});

it('a run without an answer keeps the check as red as what is open makes it', async () => {
  const refused: ModelReply = { kind: 'raw', status: 400, body: '' };
  const stage = await scene([[LOGGED, submit('One.')], refused, refused]);
  await stage.run({ inputs: GATED });
  await say(stage, '/axe review full', 1003, GATED);
  expect(lastCheck(stage)?.conclusion).toBe('failure');
  await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs: GATED });
  expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, ...UNANSWERED });
});

it('a run without an answer keeps the check red for what was opened after its request was withdrawn', async () => {
  const stage = await scene([[LOGGED, submit('One.')], { kind: 'raw', status: 400, body: '' }]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const { id, handle } = findingOf(stage);
  await say(stage, `/axe done ${handle}`, 1005);
  expect(states(stage)).toEqual(['DISMISSED']);
  stage.repo.talk.resolved.delete(id);
  await stage.run({ ...pushed(stage, SECOND, [CHANGE]), inputs: REVIEW_INPUTS });
  expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, ...UNANSWERED });
});

it('a run without an answer makes no check red where none is to block', async () => {
  const stage = await scene([[LOGGED, submit('One.')], { kind: 'raw', status: 400, body: '' }]);
  await stage.run({ inputs: { ...REVIEW_INPUTS, 'block-on': '' } });
  await stage.run({
    ...pushed(stage, SECOND, [CHANGE]),
    inputs: { ...REVIEW_INPUTS, comment: 'never' },
  });
  expect(lastCheck(stage)).toMatchObject({ headSha: SECOND, conclusion: 'neutral' });
});

it('what a run had found before it failed makes the check red', async () => {
  const raising = await scene([calls(LOGGED), { kind: 'raw', status: 400, body: '' }]);
  await raising.run({ inputs: REVIEW_INPUTS });
  expect(lastCheck(raising)).toMatchObject({
    conclusion: 'failure',
    title: '1 open: 1 critical, cut short',
  });
});

it('`/axe reopen` does not bring back what has left the change', async () => {
  const stage = await scene([[LOGGED, submit('One.')], [submit('Nothing.')]]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const { id, handle } = findingOf(stage);
  stage.repo.talk.resolved.set(id, 'monalisa');
  await stage.run({ ...pushed(stage, SECOND, [DOCS]), inputs: REVIEW_INPUTS });
  await say(stage, `/axe reopen ${handle}`, 1004);
  expect(lastCheck(stage)).toMatchObject(CLEAR);
  expect(states(stage)).toEqual(['DISMISSED']);
  expect(stage.repo.comments.at(-1)?.body).toContain(
    'is not open now: its file is not part of the change',
  );
});

it('changes are asked for once where GitHub takes no such review, on a pull request of our own', async () => {
  const stage = await scene([[LOGGED, submit('One.')]]);
  for (const [number, pull] of stage.repo.pulls)
    stage.repo.pulls.set(number, { ...pull, author: 'github-actions[bot]' });
  await stage.run({ inputs: REVIEW_INPUTS });
  for (const _ of [1, 2, 3]) await stage.run({ ...event(OWN, 'reopened'), inputs: REVIEW_INPUTS });
  expect(stage.repo.talk.reviews).toHaveLength(1);
});
