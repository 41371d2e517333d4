import { describe, expect, it } from '@jest/globals';
import { estimateText } from '../../src/lib/text/bytes.js';
import { markedTable, readDocument } from '../helpers/documents.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { loadWebhook, payloadField, schedulePayload } from '../helpers/webhooks.js';
import { earlierEntry } from './branch-scene.js';
import { BRANCH, nameOf } from './memory-command-scene.js';
import {
  CHANGE,
  calls,
  commentOnPull,
  DOCS,
  LOGGED,
  openPull,
  push,
  submit,
  TIMING,
  withSecondLook,
} from './review-scene.js';
import { AGENT, HEAD, REPO, type Stage, type StageOptions } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const PAGE = readDocument('docs/cost-and-limits.md').replaceAll(/\s+/g, ' ');
const [, ...ROWS] = markedTable('docs/cost-and-limits.md', 'requests');

/** The requests that a run makes and the points that it costs, as the page states them. */
function stated(run: string): { readonly requests: number; readonly points: number } {
  const [, requests = '', points = ''] = ROWS.find(([name]) => name === run) ?? [];
  expect([requests, points]).toEqual([
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\d+$/),
  ]);
  return { requests: Number(requests), points: Number(points) };
}

function statedRequests(run: string): number {
  return stated(run).requests;
}

/** The cost of all runs of a stage so far. */
function costOf({ github }: Stage, maxConnections = 140) {
  // By GitHub's formula a query has its next point at 150.
  expect(github.billed().maxConnections).toBeLessThanOrEqual(maxConnections);
  return { requests: github.calls().length, points: github.billed().points };
}

/** By the formula the fourth point of a query is at 350. */
const OTHERS_CONNECTIONS = 340;

const MENTION = {
  name: 'issue_comment',
  action: 'created',
  patch: { 'comment.body': '@axe Why?' },
};
const SCHEDULE = { name: 'schedule', payload: schedulePayload('0 6 * * 1') };
const ASKED = { agent: 'builtin/ask', 'trigger-phrase': '@axe' };
const REPORTS = { agent: 'builtin/ask', 'report-to': 'issue' };
const UNMERGED = { base: { 'README.md': '# Hello\n' } };
const REVIEWER = { agent: 'builtin/pr-reviewer' };
const FINDS = [calls(TIMING, submit('One finding.')), text('One finding.')];

/** A run where somebody's memory is on the branch, and the token may write it. */
async function run(options: StageOptions, inputs: object, hasMemory = true): Promise<Stage> {
  const stage = await setStageInProcess(options);
  const other = { 'other.md': earlierEntry('Fine.', 'a') };
  if (hasMemory) stage.github.commit(nameOf(stage), other, { branch: BRANCH });
  const step = await stage.run({ inputs: { 'memory-store': 'branch', ...inputs } });
  expect(step.exitCode).toBe(0);
  return stage;
}

it.each<[string, StageOptions, object]>([
  ['A first review with memory on a branch', { diff: CHANGE, model: FINDS }, REVIEWER],
  ['A mention that is answered on an issue', { event: MENTION }, ASKED],
  ['A scheduled report', { event: SCHEDULE }, REPORTS],
])('%s sends as many requests to GitHub as the page states', async (what, options, inputs) => {
  expect(costOf(await run(options, inputs))).toEqual(stated(what));
});

it('an answer in the thread of a line sends as many requests as the page states', async () => {
  const event = { name: 'pull_request_review_comment', action: 'created' };
  const stage = await setStageInProcess({ event });
  stage.github.commit(REPO, { 'other.md': earlierEntry('Fine.', 'a') }, { branch: BRANCH });
  const { comments } = seedReview(stage.repo, {
    pull: Number(payloadField(stage.payload, 'pull_request.number')),
    author: 'Codertocat',
    comments: [{ path: 'src/auth.ts', line: 11, body: '@axe Why?' }],
  });
  const patch = { 'comment.id': comments[0] ?? 0, 'comment.body': '@axe Why?' };
  const payload = loadWebhook(event.name, event.action, patch);
  const inputs = { 'memory-store': 'branch', ...ASKED };
  const step = await stage.run({ inputs, event: { name: event.name, payload } });
  expect(step.log).toMatch(/^Answered in a thread of #\d+\./m);
  expect(costOf(stage)).toEqual(stated('A mention that is answered on a line of a pull request'));
});

it.each([
  ['', ''],
  [' with notes', 'notes = true\n'],
  [' with a path', 'path = "team/log.md"\n'],
])('an agent of the repository%s sends as many requests as the page states', async (_, setting) => {
  const base = { 'axe/agents/reviewer.toml': AGENT.replace('[memory]\n', `[memory]\n${setting}`) };
  const { github } = await run({ event: MENTION, base }, { 'trigger-phrase': '@axe' });
  const [, more = ''] = /An agent of the repository makes (\d) more/.exec(PAGE) ?? [];
  const requests = statedRequests('A mention that is answered on an issue') + Number(more);
  expect(github.calls()).toHaveLength(requests);
});

it('the first save of all sends as many requests more as the page states', async () => {
  const { github } = await run({ event: SCHEDULE }, REPORTS, false);
  const [, more = ''] = /makes (\d) more, as does the run that creates the branch/.exec(PAGE) ?? [];
  expect(github.calls()).toHaveLength(statedRequests('A scheduled report') + Number(more));
});

const COMMENT = { name: 'issue_comment', action: 'created' };

it.each<[string, string, StageOptions, Readonly<Record<string, string>>]>([
  [
    'An event that says by itself that no run starts: a fork, a bot, no mention',
    'no-mention',
    { event: COMMENT },
    { 'trigger-phrase': '@axe' },
  ],
  ['An event that permissions turn away', 'permission', { event: COMMENT, role: 'read' }, {}],
  ['An event that memory turns away', 'paused', {}, {}],
  ['A pull request that brings the agent itself', 'agent-not-merged', UNMERGED, {}],
])('%s sends as many requests as the page states: %s', async (what, reason, options, inputs) => {
  const stage = await setStageInProcess(options);
  stage.github.commit(
    REPO,
    { 'axe/agents/reviewer.toml': AGENT },
    { branch: 'changes', sha: HEAD },
  );
  const pull = reason === 'paused' ? payloadField(stage.payload, 'pull_request.number') : 0;
  const paused = `- {"kind":"paused","pull":${pull},"by":"octocat","at":${Date.parse('2026-02-01')}}\n`;
  stage.github.commit(REPO, { 'reviewer.state.md': paused }, { branch: BRANCH });
  const step = await stage.run({ inputs: { 'memory-store': 'branch', ...inputs } });
  expect(step.outputs['reason']).toBe(reason);
  expect(costOf(stage)).toEqual(stated(what));
});

it('a review after a push sends as many requests as the page states', async () => {
  const model = withSecondLook([...FINDS, calls(LOGGED, submit('One more.')), text('One more.')]);
  const inputs = { 'memory-store': 'branch', ...REVIEWER };
  const stage = await run({ diff: CHANGE, model }, inputs);
  const before = costOf(stage);
  const step = await stage.run({
    ...push(stage, 'd'.repeat(40), { diff: CHANGE, fresh: DOCS }),
    inputs,
  });
  expect(step.exitCode).toBe(0);
  const after = costOf(stage);
  const requests = after.requests - before.requests;
  const points = after.points - before.points;
  expect({ requests, points }).toEqual(stated('A review after a push'));
});

/** The same hunk of another part of the file. */
const ELSEWHERE = CHANGE.replaceAll(/^(@@ )-\d+(,\d+) \+\d+(,\d+)/gm, '$1-200$2 +200$3')
  .replaceAll('console.log(token)', 'console.log(id)')
  .replaceAll('expected == token', 'expected == id');

it('a file of the head is read at the cost that the page states', async () => {
  const costs: { readonly requests: number; readonly points: number }[] = [];
  for (const diff of [CHANGE, ELSEWHERE]) {
    const model = withSecondLook([...FINDS, calls(submit('Nothing.')), text('Nothing.')]);
    const inputs = { 'memory-store': 'branch', ...REVIEWER };
    const stage = await run({ diff: CHANGE, model }, inputs);
    const before = costOf(stage);
    const step = await stage.run({ ...push(stage, 'd'.repeat(40), { diff, fresh: DOCS }), inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
    const after = costOf(stage);
    const requests = after.requests - before.requests;
    costs.push({ requests, points: after.points - before.points });
  }
  const [shown, outside] = costs;
  const more = stated('More, if the diff doesn’t show the line of an open finding');
  expect(outside).toEqual({
    requests: (shown?.requests ?? 0) + more.requests,
    points: (shown?.points ?? 0) + more.points,
  });
});

it('facts of notes are checked at the cost that the page states', async () => {
  const toml = AGENT.replace('[memory]\n', '[memory]\nnotes = true\n');
  const base = {
    'axe/agents/reviewer.toml': toml,
    'src/auth.ts': 'const a = 1;\nreturn open(a);\n',
  };
  const costs: { readonly requests: number; readonly points: number }[] = [];
  for (const note of ['It opens.', 'It opens (src/auth.ts:2 "return open(a);")']) {
    const stage = await setStageInProcess({ event: MENTION, base });
    const [commit] = stage.github.history(nameOf(stage));
    const fact = `- ${note} <!-- ${nameOf(stage)}@${commit?.sha} -->\n`;
    const memory = { 'other.md': earlierEntry('Fine.', 'a'), 'MEMORY.md': fact };
    stage.github.commit(nameOf(stage), memory, { branch: BRANCH });
    const inputs = { 'memory-store': 'branch', 'trigger-phrase': '@axe' };
    expect((await stage.run({ inputs })).exitCode).toBe(0);
    costs.push(costOf(stage));
  }
  const [plain = { requests: 0, points: 0 }, checked] = costs;
  const more = stated('More, if notes have facts to check');
  expect(checked).toEqual({
    requests: plain.requests + more.requests,
    points: plain.points + more.points,
  });
});

it('the first search of a run costs what the page states, and the second nothing', async () => {
  const search = calls({ name: 'github_search', input: { text: 'token', ref: 'head' } });
  const costs: { readonly requests: number; readonly points: number }[] = [];
  for (const looks of [[], [search], [search, search]]) {
    const stage = await setStageInProcess({ diff: CHANGE, model: [...looks, ...FINDS] });
    stage.github.commit(
      nameOf(stage),
      { 'other.md': earlierEntry('Fine.', 'a') },
      { branch: BRANCH },
    );
    stage.github.commit(
      REPO,
      { 'src/auth.ts': 'return token;\n', 'README.md': 'A token.\n' },
      { branch: 'changes', sha: HEAD },
    );
    const step = await stage.run({ inputs: { 'memory-store': 'branch', ...REVIEWER } });
    expect(step.exitCode).toBe(0);
    costs.push(costOf(stage));
  }
  const [none = { requests: 0, points: 0 }, first, second] = costs;
  const more = stated('More, for the first search over a commit');
  expect(first).toEqual({
    requests: none.requests + more.requests,
    points: none.points + more.points,
  });
  expect(second).toEqual(first);
});

it('answers on five other pull requests are read at the cost that the page states', async () => {
  const inputs = { 'memory-store': 'branch', ...REVIEWER };
  const model = withSecondLook(Array.from({ length: 7 }, () => FINDS).flat());
  const stage = await run({ diff: CHANGE, model }, inputs);
  for (const number of [3, 4, 5, 6]) {
    const opened = openPull(stage, { number, sha: String(number).repeat(40), diff: CHANGE });
    const step = await stage.run({ ...opened, inputs });
    expect(step).toMatchObject({ exitCode: 0 });
  }
  const before = costOf(stage, OTHERS_CONNECTIONS);
  const opened = openPull(stage, { number: 7, sha: '7'.repeat(40), diff: CHANGE });
  expect((await stage.run({ ...opened, inputs })).exitCode).toBe(0);
  const after = costOf(stage, OTHERS_CONNECTIONS);
  const first = stated('A first review with memory on a branch');
  const more = stated('At most more, if findings of other pull requests are open');
  expect({
    requests: after.requests - before.requests,
    points: after.points - before.points,
  }).toEqual({ requests: first.requests + more.requests, points: first.points + more.points });
});

it('each further page of conversations costs what the page states', async () => {
  const stage = await setStageInProcess({ diff: CHANGE, model: FINDS });
  seedReview(stage.repo, {
    pull: Number(payloadField(stage.payload, 'pull_request.number')),
    author: 'Codertocat',
    comments: Array.from({ length: 120 }, () => ({ path: 'src/auth.ts', line: 11, body: 'Why?' })),
  });
  stage.github.commit(REPO, { 'other.md': earlierEntry('Fine.', 'a') }, { branch: BRANCH });
  await stage.run({ inputs: { 'memory-store': 'branch', ...REVIEWER } });
  const [, more = ''] = /Each further 40 conversations cost (\d) points/.exec(PAGE) ?? [];
  const { points } = stated('A first review with memory on a branch');
  expect(costOf(stage).points).toBe(points + 2 * Number(more));
  expect(costOf(stage).points).toBeLessThanOrEqual(10);
});

describe('before its model is asked, GitHub is waited for at most twice', () => {
  it.each<[string, StageOptions, (stage: Stage) => Partial<StepOptions>, object]>([
    ['after a mention on an issue', { event: MENTION }, () => ({}), ASKED],
    ['after one on a pull request', {}, (stage) => commentOnPull(stage, '@axe Why?'), ASKED],
    [
      'after `/axe review`',
      { model: FINDS },
      (stage) => commentOnPull(stage, '/axe review'),
      REVIEWER,
    ],
    ['on a schedule', { event: SCHEDULE }, () => ({}), REPORTS],
  ])('%s', async (_, options, event, inputs) => {
    const stage = await setStageInProcess({ diff: CHANGE, ...options });
    const other = { 'other.md': earlierEntry('Fine.', 'a') };
    stage.github.commit(nameOf(stage), other, { branch: BRANCH });
    const { rounds } = stage.github.answerInRounds();
    let roundsBefore: number | undefined;
    stage.model.onRequest(() => {
      roundsBefore ??= rounds();
    });
    const given = { 'memory-store': 'branch', ...inputs };
    const step = await stage.run({ ...event(stage), inputs: given });
    expect(step.exitCode).toBe(0);
    expect(roundsBefore).toBeLessThanOrEqual(2);
  });

  it('in a first review, and in one after a push', async () => {
    const model = withSecondLook([...FINDS, calls(LOGGED, submit('One more.')), text('One more.')]);
    const inputs = { 'memory-store': 'branch', ...REVIEWER };
    const stage = await setStageInProcess({ diff: CHANGE, model });
    stage.github.commit(REPO, { 'other.md': earlierEntry('Fine.', 'a') }, { branch: BRANCH });
    for (const event of [
      () => ({}),
      () => push(stage, 'd'.repeat(40), { diff: CHANGE, fresh: DOCS }),
    ]) {
      const { rounds } = stage.github.answerInRounds();
      let roundsBefore: number | undefined;
      stage.model.onRequest(() => {
        roundsBefore ??= rounds();
      });
      expect((await stage.run({ inputs, ...event() })).exitCode).toBe(0);
      expect(roundsBefore).toBeLessThanOrEqual(2);
    }
  });
});

it('a run sends about as many tokens before the diff as the page states', async () => {
  const stage = await setStageInProcess({ model: [calls(submit('Nothing.')), text('Nothing.')] });
  await stage.run({ inputs: REVIEWER });
  const [first] = stage.model.requests();
  const [, said = ''] = /tools of the built-in reviewer are about ([\d,]+) tokens/.exec(PAGE) ?? [];
  const sent = estimateText(first?.bytes.toString() ?? '');
  expect(Math.round(sent / 500) * 500).toBe(Number(said.replaceAll(',', '')));
});
