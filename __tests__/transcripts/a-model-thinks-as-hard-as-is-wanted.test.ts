import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { setStage, told, troubles } from './stage.js';

const AGENT = 'name = "worker"\nmodel = "litellm/any"\n[params]\n';

it.each([
  ['what the built-in reviewer says', { agent: 'builtin/pr-reviewer' }, 'medium'],
  ['what the workflow says instead', { agent: 'builtin/pr-reviewer', effort: 'xhigh' }, 'xhigh'],
  ['its own, where nobody says', { agent: 'builtin/ask', prompt: 'Is it safe?' }, undefined],
])('the effort is %s', async (_, inputs, effort) => {
  const stage = await setStage({ base: {} });
  const step = await stage.run({ inputs });
  expect(troubles(step)).toEqual([]);
  const body = stage.model.requests()[0]?.body as { readonly output_config?: { readonly effort?: string } };
  expect(body.output_config?.effort).toBe(effort);
});

it('a level that the model lacks becomes the next lower one, which is told', async () => {
  const stage = await setStage({ base: {} });
  const step = await stage.run({
    inputs: { agent: 'builtin/pr-reviewer', model: 'openai/gpt-4.1', effort: 'max' },
  });
  expect(step.exitCode).toBe(0);
  expect(troubles(step).map(({ message }) => message)).toEqual([
    "the model's provider: effort: this model cannot be told how hard to think, so `effort` is ignored",
  ]);
});

it('an effort that does not exist is named', async () => {
  const stage = await setStage({ base: {} });
  const step = await stage.run({ inputs: { agent: 'builtin/pr-reviewer', effort: 'huge' } });
  expect(told(step)).toContain(
    'error: the input `effort` cannot be "huge"\n  Give one of `low`, `medium`, `high`, `xhigh`, `max`.',
  );
});

it('on the command line `--effort` wins over the agent, whose raw options are sent', async () => {
  const model = await startModelServer([text('Done.'), text('Done.')]);
  const cwd = tempDir('effort');
  writeFiles(cwd, { 'axe/agents/worker.toml': `${AGENT}effort = "low"\ncompatible = { top_k = 5 }\n` });
  const env = { AXE_LITELLM_BASE_URL: model.url };
  expect(await runCli(['run', 'worker'], { cwd, env })).toMatchObject({ exitCode: 0, stdout: 'Done.' });
  expect(await runCli(['run', 'worker', '--effort', 'high'], { cwd, env })).toMatchObject({ exitCode: 0 });
  expect(model.requests().map(({ body }) => body)).toMatchObject([
    { reasoning_effort: 'low', top_k: 5 },
    { reasoning_effort: 'high', top_k: 5 },
  ]);
});

it('the price that an agent gives counts where none is known', async () => {
  const priced = `${AGENT}price = { input = 1000, output = 2000 }\n`;
  const stage = await setStage({ base: { 'axe/agents/worker.toml': priced } });
  const step = await stage.run({
    inputs: { agent: 'worker', 'max-cost-usd': '5' },
    env: { AXE_LITELLM_BASE_URL: stage.model.url },
  });
  expect(troubles(step)).toEqual([]);
  const { 'cost-usd': cost, 'input-tokens': input, 'output-tokens': output } = step.outputs;
  expect(Number(cost)).toBeCloseTo((Number(input) * 1000 + Number(output) * 2000) / 1e6);
  expect(Number(cost)).toBeGreaterThan(0);
});
