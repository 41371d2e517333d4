import { expect, it } from '@jest/globals';
import { setStage, told } from './stage.js';

it.each([
  ['anthropic/claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
  ['openai/gpt-4o', 'OPENAI_API_KEY'],
])('C1 14: the error names for %s what has to be set and how', async (model, variable) => {
  const stage = await setStage();
  const step = await stage.run({ inputs: { model }, env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  const [message = ''] = told(step);
  expect(message).toMatch(
    /^error: API key for provider "\w+" is not configured \(set \w+_API_KEY or add to config\.toml\)\n/,
  );
  expect(message).toContain(`env: { ${variable}: \${{ secrets.${variable} }} }`);
  expect(step.annotations).toHaveLength(1);
  expect(step.summary).toContain(`\${{ secrets.${variable} }}`);
  expect(stage.model.requests()).toEqual([]);
  expect(stage.repo.comments).toEqual([]);
});

it('the key comes from the input `api-key`, which the log never shows', async () => {
  const stage = await setStage();
  const key = 'sk-ant-api03-of-the-input-0123456789';
  const step = await stage.run({ inputs: { 'api-key': key }, env: { ANTHROPIC_API_KEY: '' } });
  expect(step.exitCode).toBe(0);
  expect(stage.model.requests().map(({ headers }) => headers['x-api-key'])).toEqual([key]);
  expect(step.masks).toContain(key);
  expect(step.log).not.toContain(key);
});
