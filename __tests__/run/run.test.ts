import { expect, it } from '@jest/globals';
import { AxeError, ProviderError } from '../../src/lib/errors.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT,
  broken,
  createFakeDependencies,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { createFakeModel, never } from '../helpers/model-fake.js';
import { plainEntry } from '../memory/stores/entries.js';

const TASK = 'Execute the task described in your instructions.';
const UNREADABLE = {
  kind: 'failed',
  message: 'is a directory',
  location: '/memory/bot.md',
} as const;

it('the order of a run remembers what was published, under the id that was pending before (D9, D16)', async () => {
  const published = {
    posts: [{ kind: 'comment', number: 2, isUpdate: true }],
    url: 'https://example.com/c',
  } as const;
  const deps = createFakeDependencies({ published });
  const report = await runPipeline(makeRequest(), deps);
  expect(report).toMatchObject({ published });
  expect(deps.memory.get('bot.md')).toBe(
    plainEntry(TASK, 'Updated the comment on #2.\nthe answer'),
  );
  expect(deps.journaled.map(([change]) => change)).toEqual([
    { kind: 'append', path: 'bot.md', id: 'id1', text: plainEntry(TASK, 'the answer') },
    {
      kind: 'append',
      path: 'bot.md',
      id: 'id1',
      text: plainEntry(TASK, 'Updated the comment on #2.\nthe answer'),
    },
  ]);
});

it('the order of a run reports memory before a missing key ends it (axe-behaviour §4)', async () => {
  const fails = { open: new AxeError('no key', { exitCode: 3 }) };
  const deps = createFakeDependencies({ fails, restore: UNREADABLE });
  await expect(runPipeline(makeRequest(), deps)).rejects.toMatchObject({
    message: 'no key',
    exitCode: 3,
  });
  expect(deps.warnings.map(({ code }) => code)).toEqual(['memory-load-failed']);
  expect(deps.events).toEqual([]);
  expect(deps.steps).not.toContain('write memory');
  expect(deps.journaled).toEqual([]);
});

it('the order of a run reports a wrong setting before a missing key (axe-behaviour §4)', async () => {
  const fails = { open: new AxeError('no key', { exitCode: 3 }) };
  const deps = createFakeDependencies({ fails, agents: { bot: `${AGENT}skill = "none.md"\n` } });
  await expect(runPipeline(makeRequest(), deps)).rejects.toThrow('skill not found: none.md');
});

it('a run ends by a cancellation: failed', async () => {
  const model = createFakeModel([never(() => deps.abort(broken('everything')))]);
  const deps = createFakeDependencies({ model });
  expect(await runPipeline(makeRequest(), deps)).toMatchObject({
    outcome: { kind: 'failed', error: { message: 'everything is broken' } },
  });
  expect(deps.memory.size).toBe(0);
});

it('a run ends with a saved answer even if the deadline passes while it is published', async () => {
  const deps = createFakeDependencies();
  const slow = {
    ...deps.publisher,
    async publish() {
      deps.abort(new ProviderError('timeout', 'context deadline exceeded'));
      return { posts: [] };
    },
  };
  expect(await runPipeline(makeRequest(), { ...deps, publisher: slow })).toMatchObject({
    remembered: { result: { kind: 'saved' } },
  });
});
