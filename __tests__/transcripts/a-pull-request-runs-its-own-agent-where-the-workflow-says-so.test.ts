import { expect, it } from '@jest/globals';
import { loadWebhook } from '../helpers/webhooks.js';
import { AGENT, HEAD, REPO, type StageOptions, setStage, told } from './stage.js';

const OWN = AGENT.replace('You review changes.', 'You try something new.');
const FROM_HEAD = { 'agent-ref': 'head' };

/** A pull request that changes the agent. */
async function withChangedAgent(options: StageOptions = {}) {
  const stage = await setStage(options);
  stage.github.commit(REPO, { 'axe/agents/reviewer.toml': OWN }, { branch: 'changes', sha: HEAD });
  return stage;
}

it('the agent comes from the head of a writer’s branch', async () => {
  const stage = await withChangedAgent();
  const step = await stage.run({ inputs: FROM_HEAD });
  expect(step.outputs['conclusion']).toBe('success');
  expect(stage.model.prompts().map(({ system }) => system)).toEqual(['You try something new.']);
  expect(step.log).toContain(`(Codertocat/Hello-World@${HEAD.slice(0, 7)}:axe/agents/reviewer.toml)`);
});

it.each<[string, StageOptions, string, Readonly<Record<string, string>>]>([
  [
    'a fork',
    {
      event: {
        name: 'pull_request_target',
        payload: loadWebhook('pull_request', 'labeled', {
          'pull_request.head.repo.full_name': 'octocat/Hello-World',
        }),
      },
    },
    'comes from a fork',
    {},
  ],
  [
    'somebody who can only triage',
    { role: 'triage' },
    'Codertocat cannot write here',
    { 'min-permission': 'triage' },
  ],
])('the pull request of %s is skipped, with the reason', async (_, options, why, inputs) => {
  const stage = await withChangedAgent(options);
  const step = await stage.run({ inputs: { ...FROM_HEAD, ...inputs } });
  expect(step.exitCode).toBe(0);
  expect(stage.model.requests()).toEqual([]);
  expect(step.outputs).toMatchObject({ conclusion: 'skipped', 'skip-reason': 'agent-ref' });
  expect(told(step)).toEqual([expect.stringContaining(why)]);
});
