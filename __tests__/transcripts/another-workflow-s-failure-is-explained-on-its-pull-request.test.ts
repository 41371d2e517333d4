import { expect, it } from '@jest/globals';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';
import { ANSWER, BASE, DIFF, REPO, routesOf, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const BASE_SHA = 'f'.repeat(40);

/** A CI that failed, on the head of a pull request or on another commit. */
async function stageWith({ state = 'open', isNamed = false, patch = {} }: Setting = {}) {
  const payload = loadWebhook('workflow_run', 'completed', {
    'workflow_run.conclusion': 'failure',
    ...patch,
  });
  const run = payload['workflow_run'] as Record<string, unknown>;
  const sha = String(run['head_sha']);
  const pull = {
    id: 1,
    url: '',
    number: 7,
    head: { ref: 'topic', sha },
    base: { ref: 'main', sha: BASE_SHA },
  };
  run['pull_requests'] = isNamed ? [pull] : [];
  const stage = await setStageInProcess({ event: { name: 'workflow_run', payload }, base: BASE });
  const { github, repo } = stage;
  const head = { ref: 'topic', sha, repository: String(payloadField(payload, 'repository.full_name')) };
  if (state !== 'none')
    github.addPull(REPO, { number: 7, base: { ref: 'main', sha: BASE_SHA }, head, state });
  repo.comparisons.set(`${BASE_SHA}...${sha}`, DIFF);
  return { stage, sha };
}

interface Setting {
  readonly state?: 'open' | 'closed' | 'none';
  /** The payload lists the pull request. */
  readonly isNamed?: boolean;
  readonly patch?: Readonly<Record<string, unknown>>;
}

it.each([
  ['which the event names', { isNamed: true }, 'auto'],
  ['which the event names', { isNamed: true }, 'always'],
  ['which is found by the commit', {}, 'auto'],
  ['which is found by the commit', {}, 'always'],
] as const)('%s, %#, with `comment: %3$s`', async (_, setting, comment) => {
  const { stage } = await stageWith(setting);
  for (const __ of [1, 2]) {
    const step = await stage.run({ inputs: { comment } });
    expect(step.outputs['conclusion']).toBe('success');
    expect(step.outputs['comment-url']).toContain('/7#issuecomment-');
    expect(troubles(step)).toEqual([]);
  }
  expect(stage.repo.comments).toMatchObject([{ issue: 7, body: expect.stringContaining(ANSWER) }]);
  expect(stage.model.prompts()[0]?.messages.join()).toContain('+  return expected == token;');
});

it.each(['closed', 'none'] as const)('a missing pull request is reported: %s', async (state) => {
  const { stage, sha } = await stageWith({ state });
  const step = await stage.run();
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.repo.comments).toEqual([]);
  expect(step.summary).toContain(
    `No open pull request has the commit ${sha.slice(0, 7)} as its head, so the answer is only here.`,
  );
});

it('nothing is posted with `comment: never`, and forks are left alone', async () => {
  const { stage } = await stageWith();
  await stage.run({ inputs: { comment: 'never' } });
  expect(stage.repo.comments).toEqual([]);
  const fork = await stageWith({ patch: { 'workflow_run.head_repository.full_name': 'octocat/fork' } });
  const step = await fork.stage.run();
  expect(step.outputs).toMatchObject({ conclusion: 'skipped', reason: 'fork' });
  expect(routesOf(fork.stage)).toEqual([]);
});

it('a number of another repository is not used', async () => {
  const { stage } = await stageWith({ state: 'none', isNamed: true });
  const run = stage.payload['workflow_run'] as { pull_requests: { base: Record<string, unknown> }[] };
  const base = run.pull_requests[0]?.base ?? {};
  base['repo'] = { id: 2, url: 'https://api.github.com/repos/upstream/Hello-World', name: 'Hello-World' };
  await stage.run();
  expect(stage.repo.comments).toEqual([]);
});
