import { expect, it } from '@jest/globals';
import { estimateText } from '../../src/lib/text/bytes.js';
import { markedTable, readDocument } from '../helpers/documents.js';
import { seedReview } from '../helpers/github-review-seed.js';
import { text } from '../helpers/model-server.js';
import { loadWebhook, payloadField, schedulePayload } from '../helpers/webhooks.js';
import { earlierEntry } from './branch-scene.js';
import { CHANGE, calls, LOGGED, push, submit, TIMING, withSecondLook } from './review-scene.js';
import { AGENT, HEAD, REPO, type Stage, type StageOptions } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const PAGE = readDocument('docs/cost-and-limits.md').replaceAll(/\s+/g, ' ');
const [, ...ROWS] = markedTable('docs/cost-and-limits.md', 'requests');

/** How many requests the page says that a run makes. */
function statedRequests(run: string): number {
  const [, requests = ''] = ROWS.find(([what]) => what === run) ?? [];
  expect(requests).toMatch(/^\d+$/);
  return Number(requests);
}

it('the README states the same for reviews', () => {
  const [, first, later] =
    /A review makes (\d+) requests to GitHub, and (\d+) after a push\./.exec(
      readDocument('README.md').replaceAll(/\s+/g, ' '),
    ) ?? [];
  expect([first, later].map(Number)).toEqual([
    statedRequests('A first review with memory on a branch'),
    statedRequests('A review after a push'),
  ]);
});

/** Somebody's memory is on the branch, and the token may write it. */
function remembers({ github, repo }: Stage): void {
  github.commit(
    `${repo.owner}/${repo.name}`,
    { 'other.md': earlierEntry('Fine.', 'a') },
    { branch: 'axe-memory' },
  );
}

/** Something the first review did not see. */
const FRESH = `diff --git a/src/other.ts b/src/other.ts
--- a/src/other.ts
+++ b/src/other.ts
@@ -1 +1 @@
-one
+two
`;

it.each<[string, StageOptions, Readonly<Record<string, string>>]>([
  [
    'A first review with memory on a branch',
    { diff: CHANGE, model: [calls(TIMING, submit('One finding.')), text('One finding.')] },
    { agent: 'builtin/pr-reviewer' },
  ],
  [
    'A mention that is answered on an issue',
    { event: { name: 'issue_comment', action: 'created', patch: { 'comment.body': '@axe Why?' } } },
    { agent: 'builtin/ask', 'trigger-phrase': '@axe' },
  ],
  [
    'A scheduled report',
    { event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') } },
    { agent: 'builtin/ask', 'report-to': 'issue' },
  ],
])('%s sends as many requests to GitHub as the page states', async (run, options, inputs) => {
  const stage = await setStageInProcess(options);
  remembers(stage);
  const step = await stage.run({ inputs: { 'memory-store': 'branch', ...inputs } });
  expect(step.exitCode).toBe(0);
  expect(stage.github.calls()).toHaveLength(statedRequests(run));
});

it('an answer in the thread of a line sends as many requests as the page states', async () => {
  const event = { name: 'pull_request_review_comment', action: 'created' };
  const stage = await setStageInProcess({ event });
  remembers(stage);
  const { comments } = seedReview(stage.repo, {
    pull: Number(payloadField(stage.payload, 'pull_request.number')),
    author: 'Codertocat',
    comments: [{ path: 'src/auth.ts', line: 11, body: '@axe Why?' }],
  });
  const patch = { 'comment.id': comments[0] ?? 0, 'comment.body': '@axe Why?' };
  const step = await stage.run({
    inputs: { 'memory-store': 'branch', agent: 'builtin/ask', 'trigger-phrase': '@axe' },
    event: { name: event.name, payload: loadWebhook(event.name, event.action, patch) },
  });
  expect(step.log).toMatch(/^Answered in a thread of #\d+\./m);
  expect(stage.github.calls()).toHaveLength(
    statedRequests('A mention that is answered on a line of a pull request'),
  );
});

it.each([
  ['', ''],
  [' with notes', 'notes = true\n'],
  [' with a path', 'path = "team/log.md"\n'],
])('an agent of the repository%s sends as many requests as the page states', async (_, setting) => {
  const event = { name: 'issue_comment', action: 'created', patch: { 'comment.body': '@axe Why?' } };
  const agent = AGENT.replace('[memory]\n', `[memory]\n${setting}`);
  const stage = await setStageInProcess({ event, base: { 'axe/agents/reviewer.toml': agent } });
  remembers(stage);
  const step = await stage.run({ inputs: { 'memory-store': 'branch', 'trigger-phrase': '@axe' } });
  expect(step.exitCode).toBe(0);
  const [, more = ''] = /An agent of the repository makes (\d) more/.exec(PAGE) ?? [];
  const requests = statedRequests('A mention that is answered on an issue') + Number(more);
  expect(stage.github.calls()).toHaveLength(requests);
});

it('the first save of all sends as many requests more as the page states', async () => {
  const event = { name: 'schedule', payload: schedulePayload('0 6 * * 1') };
  const inputs = { 'memory-store': 'branch', agent: 'builtin/ask', 'report-to': 'issue' };
  const stage = await setStageInProcess({ event });
  const step = await stage.run({ inputs });
  expect(step.exitCode).toBe(0);
  const [, more = ''] = /The run that creates the branch makes (\d) more/.exec(PAGE) ?? [];
  expect(stage.github.calls()).toHaveLength(statedRequests('A scheduled report') + Number(more));
});

it.each<[string, string, StageOptions, Readonly<Record<string, string>>]>([
  [
    'An event that says by itself that no run starts: a fork, a bot, no mention',
    'no-mention',
    { event: { name: 'issue_comment', action: 'created' } },
    { 'trigger-phrase': '@axe' },
  ],
  [
    'An event that permissions turn away',
    'permission',
    { event: { name: 'issue_comment', action: 'created' }, role: 'read' },
    {},
  ],
  ['An event that memory turns away', 'paused', {}, {}],
  [
    'A pull request that brings the agent itself',
    'agent-not-merged',
    { base: { 'README.md': '# Hello\n' } },
    {},
  ],
])('%s sends as many requests as the page states: %s', async (run, reason, options, inputs) => {
  const stage = await setStageInProcess(options);
  stage.github.commit(REPO, { 'axe/agents/reviewer.toml': AGENT }, { branch: 'changes', sha: HEAD });
  const pull = reason === 'paused' ? payloadField(stage.payload, 'pull_request.number') : 0;
  const paused = `- {"kind":"paused","pull":${pull},"by":"octocat","at":${Date.parse('2026-02-01')}}\n`;
  stage.github.commit(REPO, { 'reviewer.state.md': paused }, { branch: 'axe-memory' });
  const step = await stage.run({ inputs: { 'memory-store': 'branch', ...inputs } });
  expect(step.outputs['reason']).toBe(reason);
  expect(stage.github.calls()).toHaveLength(statedRequests(run));
});

it('a review after a push sends as many requests as the page states', async () => {
  const model = [calls(TIMING, submit('One finding.')), text('One finding.')];
  const stage = await setStageInProcess({
    diff: CHANGE,
    model: withSecondLook([...model, calls(LOGGED, submit('One more.')), text('One more.')]),
  });
  remembers(stage);
  const inputs = { 'memory-store': 'branch', agent: 'builtin/pr-reviewer' };
  await stage.run({ inputs });
  const before = stage.github.calls().length;
  const step = await stage.run({ ...push(stage, 'd'.repeat(40), CHANGE, FRESH), inputs });
  expect(step.exitCode).toBe(0);
  expect(stage.github.calls().length - before).toBe(statedRequests('A review after a push'));
});

it('a run sends about as many tokens before the diff as the page states', async () => {
  const stage = await setStageInProcess({ model: [calls(submit('Nothing.')), text('Nothing.')] });
  await stage.run({ inputs: { agent: 'builtin/pr-reviewer' } });
  const [first] = stage.model.requests();
  const [, said = ''] = /tools of the built-in reviewer are about ([\d,]+) tokens/.exec(PAGE) ?? [];
  const sent = estimateText(first?.bytes.toString() ?? '');
  expect(Math.round(sent / 500) * 500).toBe(Number(said.replaceAll(',', '')));
});
