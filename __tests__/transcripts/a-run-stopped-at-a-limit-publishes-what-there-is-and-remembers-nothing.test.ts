import { expect, it } from '@jest/globals';
import type { ModelReply, ModelScript } from '../helpers/model-server.js';
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

interface Limited {
  readonly limit: string;
  readonly conclusion: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly message: RegExp;
  readonly model?: ModelScript;
  readonly tables?: string;
}

const LIMITS: readonly Limited[] = [
  {
    limit: 'turns',
    conclusion: 'max-turns',
    inputs: { 'max-turns': '2' },
    message: /^agent exceeded maximum conversation turns \(2\)/,
  },
  {
    limit: 'tokens',
    conclusion: 'budget-exceeded',
    inputs: { 'max-tokens': '2500' },
    message: /^budget exceeded: used 3000 of 2500 tokens\n.*`max-tokens`/,
  },
  {
    limit: "the agent's own tokens",
    conclusion: 'budget-exceeded',
    inputs: { 'max-tokens': '5000' },
    tables: '[budget]\nmax_tokens = 1000\n',
    message: /^budget exceeded: used 1000 of 1000 tokens\n.*`\[budget\]`/,
  },
  {
    limit: 'cost',
    conclusion: 'budget-exceeded',
    inputs: { 'max-cost-usd': '0.008' },
    message: /^budget exceeded: used \$0\.0084 of \$0\.008\n.*`max-cost-usd`/,
  },
  {
    limit: 'time',
    conclusion: 'timeout',
    // Time enough for a first turn on a busy machine.
    inputs: { 'timeout-minutes': '0.25' },
    message: /^timeout: context deadline exceeded\n.*`timeout-minutes`/,
    model: (_request, index) => (index === 0 ? ON : { kind: 'stall' }),
  },
];

it.each(LIMITS)(
  'C4 65: a run reports $limit',
  async ({ limit, conclusion, inputs, message, model, tables = '' }) => {
    const toml = agentToml({ tools: ['list_directory'], memory: true, tables });
    const set = limit === 'tokens' ? setStage : setStageInProcess;
    const stage = await set({
      base: { 'axe/agents/worker.toml': toml },
      model: model ?? (() => ON),
    });
    const step = await stage.run({ inputs: { agent: 'worker', ...inputs } });
    expect(step).toMatchObject({ exitCode: 1, stderr: '' });
    expect(step.outputs).toMatchObject({ conclusion, response: SAID, 'memory-saved': 'false' });
    expect(step.outputs['memory-entry']).toBeUndefined();
    expect(step.annotations).toMatchObject([{ level: 'error', message: expect.stringMatching(message) }]);
    expect(step.summary).toContain(`### worker: ${conclusion}`);
    expect(step.summary).toContain(step.annotations[0]?.message.split('\n')[0]);
    expect(step.summary).toContain(SAID);
    const [comment, ...others] = stage.repo.comments;
    expect(others).toEqual([]);
    expect(comment?.body).toContain(SAID);
    const why = step.annotations[0]?.message.split('\n')[0];
    const words = limit === 'time' ? 'the time limit of the run was reached' : why;
    expect(comment?.body).toContain(`*Cut short: ${words}.*`);
    expect(comment?.body).not.toContain('the whole');
    expectNoEntry(step);
    if (limit === 'tokens') expectTranscript(NAME, steady(seen(step, stage)));
  },
);

it('the model is warned before, and the log warns that a model without a price cannot be limited by cost', async () => {
  const stage = await setStageInProcess({
    base: { 'axe/agents/worker.toml': agentToml({ tools: ['list_directory'] }) },
    model: () => ON,
  });
  const inputs = { 'max-turns': '4', 'max-cost-usd': '0.001', model: 'openai/model-nobody-knows' };
  const step = await stage.run({ inputs: { agent: 'worker', ...inputs } });
  expect(step.outputs).toMatchObject({ conclusion: 'max-turns', 'input-tokens': '3600' });
  expect(step.outputs['cost-usd']).toBeUndefined();
  const notices = stage.model
    .prompts()
    .map(({ messages }) => messages.filter((line) => line.includes('[Little is left')).length);
  expect(notices).toEqual([0, 1, 2, 3]);
  expect(stage.model.prompts()[3]?.messages.at(-1)).toMatch(/1 turn\. Your next reply is the last one/);
  const warnings = step.annotations.filter(({ level }) => level === 'warning');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/price.*openai\/model-nobody-knows|openai\/model-nobody-knows.*price/),
  ]);
});
