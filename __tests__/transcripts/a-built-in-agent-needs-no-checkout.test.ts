import { readdirSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { ANSWER, expectTranscript, routesOf, seen, setStage } from './stage.js';

it('a built-in agent reviews in an empty workspace of a repository without agents', async () => {
  const stage = await setStage({ base: {} });
  const step = await stage.run({
    inputs: { agent: 'builtin/pr-reviewer', model: 'openai/gpt-4o', 'memory-store': 'none' },
  });
  expect(step).toMatchObject({ exitCode: 0, annotations: [] });
  expect(step.outputs).toMatchObject({
    conclusion: 'success',
    'memory-saved': 'false',
  });
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([expect.stringContaining(ANSWER)]);
  expect(readdirSync(step.workspace)).toEqual([]);
  expect(routesOf(stage).filter((route) => route.includes('/contents/'))).toEqual([]);
  expect(stage.cache.requests()).toEqual([]);
  const [prompt] = stage.model.prompts();
  expect(prompt?.model).toBe('gpt-4o');
  expect(prompt?.system).toMatch(
    /^You review a pull request for the people who have to live with this code\./,
  );
  expectTranscript('a-built-in-agent-needs-no-checkout', seen(step, stage));
});
