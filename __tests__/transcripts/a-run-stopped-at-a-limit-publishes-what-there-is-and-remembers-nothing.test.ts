import { expect, it } from '@jest/globals';
import type { ModelReply } from '../helpers/model-server.js';
import { expectNoEntry, expectTranscript, seen, setStage, steady } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml } from './tool-scene.js';

const NAME = 'a-run-stopped-at-a-limit-publishes-what-there-is-and-remembers-nothing';
const SAID = 'So far: `src/auth.ts:11` compares with `==`.';

/** A turn of a model that says something and wants to go on. 1000 tokens cost 0.0042 dollars. */
const ON: ModelReply = {
  kind: 'tools',
  text: SAID,
  calls: [{ name: 'list_directory', input: {} }],
  usage: { inputTokens: 900, outputTokens: 100 },
};

/** What is limited, by what, and how that ends. */
it.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
  ['turns', 'max-turns', { 'max-turns': '2' }, /^agent exceeded maximum conversation turns \(2\)/],
  [
    'tokens',
    'budget-exceeded',
    { 'max-tokens': '2500' },
    /^budget exceeded: used 3000 of 2500 tokens\n.*`max-tokens`/,
  ],
  [
    "the agent's own tokens",
    'budget-exceeded',
    { 'max-tokens': '5000' },
    /^budget exceeded: used 1000 of 1000 tokens\n.*`\[budget\]`/,
  ],
  [
    'cost',
    'budget-exceeded',
    { 'max-cost-usd': '0.008' },
    /^budget exceeded: used \$0\.0084 of \$0\.008\n.*`max-cost-usd`/,
  ],
  // Time enough for a first turn on a busy machine.
  [
    'time',
    'timeout',
    { 'timeout-minutes': '0.25' },
    /^timeout: the run reached its time limit of 15 s\n.*`timeout-minutes`/,
  ],
])('C4 65: a run reports %s', async (limit, conclusion, inputs, message) => {
  const tables = limit.startsWith('the agent') ? '[budget]\nmax_tokens = 1000\n' : '';
  const toml = agentToml({ tools: ['list_directory'], memory: true, tables });
  const set = limit === 'tokens' ? setStage : setStageInProcess;
  const stage = await set({
    base: { 'axe/agents/worker.toml': toml },
    model: (_request, index) => (limit === 'time' && index > 0 ? { kind: 'stall' } : ON),
  });
  const step = await stage.run({ inputs: { agent: 'worker', ...inputs } });
  expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion, response: SAID } });
  expect(step.annotations).toMatchObject([
    { level: 'error', message: expect.stringMatching(message) },
  ]);
  const why = step.annotations[0]?.message.split('\n')[0];
  for (const part of [`### worker: ${conclusion}`, why, SAID]) expect(step.summary).toContain(part);
  const [comment, ...others] = stage.repo.comments;
  expect(others).toEqual([]);
  expect(comment?.body).toContain(SAID);
  const words = limit === 'time' ? 'the time limit of the run was reached' : why;
  expect(comment?.body).toContain(`*Cut short: ${words}.*`);
  expect(comment?.body).not.toContain('the whole');
  expectNoEntry(step);
  if (limit === 'tokens') expectTranscript(NAME, steady(seen(step, stage)));
});

it('the model is warned before', async () => {
  const stage = await setStageInProcess({
    base: { 'axe/agents/worker.toml': agentToml({ tools: ['list_directory'] }) },
    model: () => ON,
  });
  const inputs = { 'max-turns': '4', model: 'openai/model-nobody-knows' };
  const step = await stage.run({ inputs: { agent: 'worker', ...inputs } });
  expect(step.outputs).toMatchObject({ conclusion: 'max-turns', 'input-tokens': '3600' });
  expect(step.outputs['cost-usd']).toBeUndefined();
  const notices = stage.model
    .prompts()
    .map(({ messages }) => messages.filter((line) => line.includes('[Little is left')).length);
  expect(notices).toEqual([0, 1, 2, 3]);
  expect(stage.model.prompts()[3]?.messages.at(-1)).toMatch(
    /1 turn\. Your next reply is the last one/,
  );
});

it('a limit in dollars ends a run before its first request if nobody knows the price', async () => {
  const stage = await setStageInProcess({
    base: { 'axe/agents/worker.toml': agentToml({ tools: ['list_directory'] }) },
    model: () => ON,
  });
  const inputs = { 'max-cost-usd': '0.001', model: 'openai/model-nobody-knows' };
  const step = await stage.run({ inputs: { agent: 'worker', ...inputs } });
  expect(step.outputs).toMatchObject({ conclusion: 'failure' });
  expect(step.annotations[0]?.message).toMatch(
    /the price of `openai\/model-nobody-knows` is not known.*max-cost-usd.*`price`/s,
  );
  expect(stage.model.requests()).toEqual([]);
});
