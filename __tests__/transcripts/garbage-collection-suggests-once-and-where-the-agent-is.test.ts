import { expect, it } from '@jest/globals';
import { type ModelReply, text } from '../helpers/model-server.js';
import { nameOf, onSchedule, rememberOnBranch, review } from './memory-command-scene.js';
import { AGENT, type Stage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const LOG = [2, 3, 4]
  .map((day) =>
    review(day, { id: `01kg${day}`, task: 'Review pull request #4: Auth', result: 'Compares with ==.' }),
  )
  .join('');

const OWN = { 'axe/agents/reviewer.toml': AGENT };
const ANALYSIS =
  '## Patterns Found\nx\n\n## Repeated Work\ny\n\n## Recommendations\nSay how tokens are compared.';
const PROPOSAL = JSON.stringify({
  title: 'Say how tokens are compared',
  reason: 'Every review found it.',
  edits: [
    {
      path: 'axe/agents/reviewer.toml',
      find: 'You review changes.',
      replace: 'You review changes. Tokens are compared in constant time.',
    },
  ],
});
const PROPOSED = [text(ANALYSIS), text(PROPOSAL)];
const CREATE_PULL = 'POST /repos/{owner}/{repo}/pulls';
const GC_BRANCH = 'axe-gc/reviewer';

async function remembering(replies: readonly ModelReply[]): Promise<Stage> {
  const stage = await setStageInProcess({ event: { name: 'workflow_dispatch' }, base: OWN, model: replies });
  rememberOnBranch(stage, { 'reviewer.md': LOG });
  return stage;
}

function collect(stage: Stage, inputs: Readonly<Record<string, string>> = {}) {
  const given = { mode: 'gc', 'memory-store': 'branch', 'report-to': 'pull-request', ...inputs };
  return stage.run({ ...onSchedule(stage), inputs: given });
}

it('no pull request is opened for an agent of another repository, and its namesake here is left alone', async () => {
  const stage = await remembering([text(ANALYSIS)]);
  const token = 'ghs_ABCDEFGHIJ0123456789abcdefghij0123456';
  stage.github.addRepo('octocat/agents', { isPrivate: true, contents: { [token]: 'read' } });
  stage.github.commit('octocat/agents', OWN, { branch: 'v1' });
  const step = await collect(stage, { 'agents-repo': 'octocat/agents@v1', 'repositories-token': token });
  expect(troubles(step).map(({ message }) => message)).toEqual([
    'the suggestions of gc were not published: the agent is kept in another repository. Write `report-to: issue`.',
  ]);
  expect([stage.repo.pulls.size, stage.repo.branches.has(GC_BRANCH)]).toEqual([0, false]);
  expect(stage.model.requests()).toHaveLength(1);
});

it('nothing is suggested or shown of a memory in another repository', async () => {
  const stage = await remembering([text(ANALYSIS)]);
  stage.github.addRepo('octo-org/memory', { isPrivate: true, contents: 'write' });
  const files = { [`${nameOf(stage)}/reviewer.md`]: LOG };
  stage.github.commit('octo-org/memory', files, { branch: 'axe-memory' });
  const step = await collect(stage, { 'memory-repo': 'octo-org/memory' });
  expect(troubles(step).map(({ message }) => message)).toEqual([
    '`report-to` shows nothing here, since the memory is kept in another repository. Run `mode: gc` there.',
  ]);
  expect(step.outputs).toMatchObject({ 'memory-loaded': '3', response: '' });
  expect([stage.repo.pulls.size, stage.repo.issues.size]).toEqual([0, 0]);
  expect(step.summary).toContain('What was found is not shown here');
  expect(`${step.summary}${step.stdout}`).not.toMatch(/tokens are compared|Busiest day|Compares with/);
});

it('a pull request is opened on a schedule, whose event names no repository', async () => {
  const stage = await remembering(PROPOSED);
  const step = await stage.run({
    event: { name: 'schedule', payload: { schedule: '0 6 * * 1' } },
    repository: nameOf(stage),
    ref: `refs/heads/${stage.repo.defaultBranch}`,
    inputs: { mode: 'gc', 'memory-store': 'branch', 'report-to': 'pull-request' },
  });
  expect(troubles(step)).toEqual([]);
  expect(step.summary).toContain('Opened: [the suggestions]');
  expect(stage.repo.pulls.get(1)).toMatchObject({ base: { ref: stage.repo.defaultBranch } });
});

it('a pull request that people closed is not opened again for the same recommendations', async () => {
  const other = text(ANALYSIS.replace('Say how', 'Say exactly how'));
  const stage = await remembering([...PROPOSED, text(ANALYSIS), other, text(PROPOSAL)]);
  await collect(stage);
  for (const pull of stage.repo.pulls.values())
    stage.repo.pulls.set(pull.number, { ...pull, state: 'closed' });
  const again = await collect(stage);
  expect(troubles(again)).toEqual([]);
  expect(again.summary).toMatch(
    /Not suggested again: \[the same suggestion\]\(\S+\/pull\/1\) was closed\.\n/,
  );
  expect([stage.repo.pulls.size, stage.model.requests().length]).toEqual([1, 3]);
  expect((await collect(stage)).summary).toContain('Opened: [the suggestions]');
  expect(stage.repo.pulls.size).toBe(2);
});

it('an issue that people closed is not opened again, nor one that recommends nothing', async () => {
  const nothing = ANALYSIS.replace('Say how tokens are compared.', 'No specific recommendations.');
  const stage = await remembering([text(ANALYSIS), text(ANALYSIS), text(nothing)]);
  await collect(stage, { 'report-to': 'issue' });
  for (const number of stage.repo.issues.keys()) stage.repo.talk.closedIssues.add(number);
  expect((await collect(stage, { 'report-to': 'issue' })).summary).toContain('Not suggested again:');
  expect((await collect(stage, { 'report-to': 'issue' })).summary).toContain('No change is suggested.');
  expect(stage.repo.issues.size).toBe(1);
});

it('a pull request whose marker a person removed is left alone, and this is reported', async () => {
  const stage = await remembering([...PROPOSED, ...PROPOSED]);
  await collect(stage);
  for (const pull of stage.repo.pulls.values())
    stage.repo.pulls.set(pull.number, { ...pull, body: 'I take this over.' });
  const head = stage.repo.branches.get(GC_BRANCH);
  const step = await collect(stage);
  expect(troubles(step).map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /the hidden first line was removed from \S+\/pull\/1, so it is left as it is\. Merge or close it/,
    ),
  ]);
  expect(stage.repo.branches.get(GC_BRANCH)).toBe(head);
});

it('no branch remains if GitHub Actions cannot create pull requests, and the suggestion is shown', async () => {
  const stage = await remembering(PROPOSED);
  const message = 'GitHub Actions is not permitted to create or approve pull requests.';
  stage.github.fail({ route: CREATE_PULL, status: 403, body: { message } });
  const step = await collect(stage);
  expect([step.exitCode, step.outputs['conclusion']]).toEqual([0, 'success']);
  expect(troubles(step).map((one) => one.message)).toEqual([
    expect.stringContaining('Allow GitHub Actions to create pull requests'),
  ]);
  expect(stage.repo.branches.has(GC_BRANCH)).toBe(false);
  expect(step.summary).toContain('Suggestions not published:');
  expect(Object.keys(stage.github.files(nameOf(stage), stage.repo.defaultBranch))).toEqual(Object.keys(OWN));
});

it('unused inputs are reported', async () => {
  const stage = await remembering([text(ANALYSIS)]);
  const step = await collect(stage, {
    prompt: 'Why?',
    language: 'German',
    'report-to': '',
    'check-run': 'true',
  });
  expect(step.outputs['conclusion']).toBe('success');
  expect(troubles(step).map(({ message }) => message)).toEqual([
    '`mode: gc` does not use `prompt`, `check-run`, `language`. Remove them, or give them to a step that runs the agent.',
  ]);
});

it('`mode: gc` with `memory-store: none` is refused', async () => {
  const stage = await remembering([]);
  const step = await stage.run({ ...onSchedule(stage), inputs: { mode: 'gc', 'memory-store': 'none' } });
  expect(step.exitCode).toBe(1);
  expect(troubles(step).map(({ message }) => message)).toEqual([
    expect.stringContaining('`mode: gc` cannot be used with `memory-store: none`'),
  ]);
});
