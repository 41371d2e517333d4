import { expect, it } from '@jest/globals';
import { AGENT, expectTranscript, seen, setStage, troubles } from './stage.js';

const MISTAKES = [
  ['a syntax error', AGENT.replace('4-5"', '4-5'), 'error', 2],
  ['a value of the wrong type', `${AGENT}last_n = "ten"\n`, 'error', 7],
  ['a missing model', AGENT.replace(/^model.*\n/m, ''), 'error', undefined],
  ['a model without a provider', AGENT.replace('anthropic/', ''), 'error', undefined],
  ['an unknown key', `${AGENT}last_m = 10\n`, 'warning', 7],
] as const;

it.each(MISTAKES)('the error about %s names what, where and a remedy', async (name, toml, level, line) => {
  const stage = await setStage({ base: { 'axe/agents/reviewer.toml': toml } });
  const step = await stage.run();
  expect(step.exitCode).toBe(level === 'error' ? 1 : 0);
  expect(step.outputs['conclusion']).toBe(level === 'error' ? 'failure' : 'success');
  const at = line === undefined ? {} : { file: 'axe/agents/reviewer.toml', line };
  expect(troubles(step)).toMatchObject([{ level, ...at }]);
  expect(stage.model.requests()).toHaveLength(level === 'error' ? 0 : 1);
  expect(stage.repo.comments).toHaveLength(level === 'error' ? 0 : 1);
  expectTranscript(`a-mistake-in-the-agent-${name.replaceAll(' ', '-')}`, seen(step, stage));
});
