import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runPost, startStep } from '../helpers/run-action.js';
import { countEntries, memoryIn, pullRequestScene, resultsIn } from './memory-scene.js';

it('the post step saves the entry, and adds nothing when it runs again', async () => {
  const model = await startModelServer([text('Compares with `==`.')]);
  const { github, step } = await pullRequestScene({ model });
  const options = step({ inputs: { 'memory-store': 'file' } });
  const running = startStep('main', options);
  github.onRequest(({ method, path }) => {
    if (method === 'POST' && path.endsWith('/comments')) running.kill('SIGKILL');
  });
  const main = await running.finished;
  expect(main).toMatchObject({ exitCode: null, signal: 'SIGKILL', outputs: {} });

  const post = await runPost(options, main);
  expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(post.log.trim()).toBe('Memory: saved to .axe/memory/pr-reviewer.md what the main step had left.');
  const memory = memoryIn(main.workspace, 'pr-reviewer.md');
  expect(countEntries(memory)).toBe(1);
  expect(resultsIn(memory)).toEqual(['Compares with `==`.']);
  expect(memory).toContain('**Task:** Review pull request #2');
  // It counts against the limits over several runs like any other.
  expect(memoryIn(main.workspace, 'pr-reviewer.state.md')).toMatch(
    /^- \{"kind":"spent","id":"\S+","pull":2,"day":"\S+","usd":0\.\d+,/m,
  );

  const again = await runPost(options, main);
  expect(again).toMatchObject({ exitCode: 0, annotations: [] });
  expect(memoryIn(main.workspace, 'pr-reviewer.md')).toBe(memory);
  expect(model.requests()).toHaveLength(1);
});
