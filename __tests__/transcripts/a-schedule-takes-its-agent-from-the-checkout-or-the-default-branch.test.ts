import { expect, it } from '@jest/globals';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';
import {
  AGENT,
  expectTranscript,
  routesOf,
  type StageEvent,
  seen,
  setStage,
  steady,
  told,
  troubles,
} from './stage.js';

const REPORTER = `${AGENT.replace('You review changes.', 'You report on Mondays.')}last_n = 3\n`;
const CHECKOUT = {
  'axe/agents/reviewer.toml': REPORTER.replace('[memory]', 'files = ["docs/*.md"]\n\n[memory]'),
  'docs/a.md': 'The first page.\n',
};

const PUSHED = {
  ref: 'refs/heads/master',
  commits: [{ id: '6113728f27ae82c7b1a177c8d03f9e96e0adf246', message: 'Fix auth\n\nCloses #1' }],
};

const EVENTS: readonly StageEvent[] = [
  { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
  { name: 'workflow_dispatch' },
  { name: 'push', patch: PUSHED },
];

it.each(EVENTS)('$name runs with the agent of the checkout, else of the default branch', async (event) => {
  const workspace = tempDir('checkout');
  writeFiles(workspace, CHECKOUT);
  const [local, remote] = await Promise.all([runOn(event, workspace), runOn(event)]);
  // Nothing but memory (the branch is read, and gets the entry) and what was pushed.
  expect(
    routesOf(local.stage).filter(
      (route) => !/^POST .(?:graphql|git.(?:trees|commits|refs))$|^GET .compare/.test(route),
    ),
  ).toEqual([]);
  expect(local.system).toMatch(/^You report on Mondays\..*The first page\./s);
  expect(remote.system).toBe('You review changes.');
  const text = `##### with a checkout\n\n${local.text}\n##### without\n\n${remote.text}`;
  expectTranscript(`a-schedule-takes-its-agent-on-${event.name}`, text);
});

it.each(EVENTS)('$name shows the agents of the default branch if the name is mistyped', async (event) => {
  const stage = await setStage({ event });
  const step = await stage.run({ inputs: { agent: 'reviwer' } });
  expect(step.exitCode).toBe(1);
  expect(told(step)).toEqual([
    expect.stringMatching(
      /^error: agent config not found: reviwer\n {2}Did you mean `reviewer`\? There are: `reviewer`, .* Searched in `axe\/agents`, `\.axe\/agents` and in .* of [\w-]+\/[\w-]+@\w+\.$/,
    ),
  ]);
});

it('a schedule runs with the agent of the default branch, though its event names no repository', async () => {
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  const step = await stage.run({
    event: { name: 'schedule', payload: { schedule: '0 6 * * 1' } },
    repository: 'octo-org/octo-repo',
    ref: `refs/heads/${stage.repo.defaultBranch}`,
    actor: 'octocat',
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', 'memory-saved': 'true' } });
  expect(troubles(step)).toEqual([]);
  expect(stage.model.prompts()[0]?.system).toBe('You review changes.');
});

/** Runs a step on the event, in an empty workspace if none is given. */
async function runOn(event: StageEvent, workspace?: string) {
  const stage = await setStage({ event });
  const step = await stage.run(workspace === undefined ? {} : { workspace });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(step.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  expect(stage.repo.comments).toEqual([]);
  const [{ system, messages } = { system: '', messages: [] }] = stage.model.prompts();
  const [shown = ''] = seen(step, stage).split('\n=== outputs');
  return { stage, system, text: `${shown}\n${steady(`${system}\n----\n${messages.join('\n')}`)}\n` };
}
