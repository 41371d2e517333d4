import { describe, expect, it } from '@jest/globals';
import { setStage, told, troubles } from './stage.js';

const MODEL = { agent: '', model: 'openai/gpt-4o' };

describe('a step without `agent`', () => {
  it('uses the built-in agent, and memory keeps the prompt as the task', async () => {
    const stage = await setStage({ base: {} });
    const step = await stage.run({ inputs: { ...MODEL, prompt: 'Is the change safe to release?' } });
    expect(step.exitCode).toBe(0);
    expect(troubles(step)).toEqual([]);
    expect(step.log).toContain('Agent:  builtin/ask (built-in)');
    expect(step.outputs['memory-entry']).toContain('**Task:** Is the change safe to release?\n');
    const message = stage.model.prompts()[0]?.messages.join() ?? '';
    expect(message).toMatch(/^user: Is the change safe to release\?\n\nText between <third-party-text> tags/);
    expect(message).toContain('+  return expected == token;');
  });

  it.each([
    [
      'no prompt',
      MODEL,
      'error: the input `agent` is missing\n  Give `agent: builtin/pr-reviewer` or the name of an agent of yours, or both `prompt` and `model` to ask without one.',
    ],
    [
      'a flag that is neither',
      { 'dry-run': 'yes' },
      'error: the input `dry-run` must be true or false, not "yes"\n  Write `dry-run: true` or leave it out.',
    ],
    [
      'a store that does not exist',
      { 'memory-store': 'redis' },
      'error: the input `memory-store` cannot be "redis"\n  Give one of `branch`, `cache`, `file`, `none`.',
    ],
    [
      'an invalid time limit',
      { 'timeout-minutes': 'soon' },
      'error: the input `timeout-minutes` must be a number above 0, not "soon"\n  Write digits alone, with a point for a fraction, or leave it out for 15 minutes.',
    ],
  ])('names the inputs if it has %s', async (_, inputs, message) => {
    const stage = await setStage();
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step)).toEqual([message]);
    expect(stage.model.requests()).toEqual([]);
    expect(stage.github.requests()).toEqual([]);
  });
});
