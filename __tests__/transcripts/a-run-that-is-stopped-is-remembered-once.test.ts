import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startCacheServer } from '../helpers/cache-server.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runMain, runPost, type StepResult, startStep } from '../helpers/run-action.js';
import { startCli } from '../helpers/run-cli.js';
import { branchScene, earlierEntry, NO_CACHE } from './branch-scene.js';
import { countEntries, memoryIn, resultsIn, scheduledStep, titles } from './memory-scene.js';
import { blockIn, laptop, type NotesStage, notesStage, type Store } from './notes-scene.js';
import { submitting } from './review-scene.js';
import { ANSWER, setStage } from './stage.js';

const FACT = 'The build needs two gigabytes.';
const DONE = 'Looked at the build.';
const WRITES = {
  kind: 'tools',
  calls: [
    { name: 'memory_write', input: { target: 'long_term', content: FACT } },
    { name: 'memory_write', input: { target: 'daily', content: DONE } },
  ],
} as const;

interface Death {
  readonly store: Store;
  /** The request at which the run is killed. */
  readonly at:
    | 'second turn'
    | 'createCommitOnBranch'
    | 'CreateCacheEntry'
    | 'FinalizeCacheEntryUpload';
  /** Whether that request is not carried out. */
  readonly isLost?: boolean;
  readonly entries: number;
}

const DEATHS: readonly (readonly [string, Death])[] = [
  ['while the model works', { store: 'file', at: 'second turn', entries: 0 }],
  [
    'before its commit is made',
    { store: 'branch', at: 'createCommitOnBranch', isLost: true, entries: 1 },
  ],
  ['after its commit is made', { store: 'branch', at: 'createCommitOnBranch', entries: 1 }],
  [
    'before the cache reserved its place',
    { store: 'cache', at: 'CreateCacheEntry', isLost: true, entries: 1 },
  ],
  [
    'after the cache took its version',
    { store: 'cache', at: 'FinalizeCacheEntryUpload', entries: 1 },
  ],
];

/** Runs main and kills it. */
async function killed(
  stage: NotesStage,
  { store, at, isLost = false }: Death,
): Promise<StepResult> {
  const { github, cache, model } = stage;
  if (isLost && store === 'branch')
    github.fail({ route: 'POST /graphql', contains: at, status: 'disconnect' });
  if (isLost && store === 'cache')
    cache.fail({ operation: 'CreateCacheEntry', status: 'disconnect' });
  const running = startStep('main', stage.stepOn(store));
  let isKilled = false;
  const kill = (isMoment: boolean) => {
    if (isMoment && !isKilled) running.kill('SIGKILL');
    isKilled ||= isMoment;
  };
  model.onRequest(() => kill(at === 'second turn' && model.requests().length === 2));
  github.onRequest(({ bytes }) => kill(bytes.includes(at)));
  cache.onRequest(({ path }) => kill(path.endsWith(at)));
  return await running.finished.finally(() => Promise.all([github.idle(), cache.idle()]));
}

function notesOf(stage: NotesStage, store: Store): readonly string[] {
  const notes = Object.entries(stage.memoryOf(store)).filter(([path]) =>
    /MEMORY\.md$|\/daily\//.test(path),
  );
  return notes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, content]) => content);
}

describe('C3 54: a run that is killed', () => {
  it.each(DEATHS)('%s leaves notes and entry once, from the post step', async (_, death) => {
    const { store, entries } = death;
    const answer = death.at === 'second turn' ? ({ kind: 'stall' } as const) : text('Two.');
    // A branch that is there, so that a save is one commit.
    const stage = await notesStage({
      model: [WRITES, answer, text('Later.')],
      branch: { 'README.md': 'Memory.\n' },
    });
    const main = await killed(stage, death);
    expect(main).toMatchObject({ signal: 'SIGKILL', outputs: {} });
    for (const _again of [1, 2]) {
      const post = await runPost(stage.stepOn(store), main);
      expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
      expect(notesOf(stage, store)).toEqual([`${FACT}\n`, `${DONE}\n`]);
      expect(countEntries(stage.memoryOf(store)['keeper.md'] ?? '')).toBe(entries);
    }
    await stage.runOn(store);
    expect(blockIn(stage.model.prompts().at(-1)?.system ?? '')).toContain(FACT);
  });

  it('while it comments leaves its entry and its cost', async () => {
    const stage = await setStage({ model: submitting(ANSWER) });
    const options = { inputs: { agent: 'builtin/pr-reviewer', 'memory-store': 'file' } };
    const running = stage.start(options);
    stage.github.onRequest(({ method, path }) => {
      if (method === 'POST' && path.endsWith('/reviews')) running.kill('SIGKILL');
    });
    const main = await running.finished;
    const post = await stage.post(main, options);
    expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(post.log.trim()).toBe(
      'Memory: saved to .axe/memory/pr-reviewer.md as the main step could not.',
    );
    expect(resultsIn(memoryIn(main.workspace, 'pr-reviewer.md'))).toEqual([ANSWER]);
    expect(memoryIn(main.workspace, 'pr-reviewer.state.md')).toMatch(
      /^- \{"kind":"spent","v":1,"id":"\S+","pull":2,"day":"\S+","usd":0\.\d+,/m,
    );
  });

  it('on the command line has already written its notes', async () => {
    const model = await startModelServer([WRITES, { kind: 'stall' }]);
    const { env, cwd, memory } = laptop(model.env);
    const running = startCli(['run', 'keeper'], { env, cwd, stdin: 'What does the build need?' });
    model.onRequest(() => void (model.requests().length === 2 && running.kill('SIGKILL')));
    await running.finished;
    expect(memory()['MEMORY.md']).toBe(`${FACT}\n`);
    expect(memory()['keeper.md']).toBeUndefined();
  });

  it('before it could report that nothing can be saved has its entry shown by the post step', async () => {
    const cache = await startCacheServer();
    const model = await startModelServer([text('It rains.')]);
    const options = scheduledStep({ model, cache, token: { mayWrite: false } });
    const running = startStep('main', options);
    cache.onRequest(
      ({ path }) => void (path.endsWith('CreateCacheEntry') && running.kill('SIGKILL')),
    );
    const post = await runPost(options, await running.finished);
    expect(post).toMatchObject({ exitCode: 0, stderr: '' });
    expect(titles(post)).toEqual(['Memory not saved']);
    expect(post.annotations[0]?.message).toContain('cache write denied');
    expect(post.summary).toContain('**Result:** It rains.');
  });
});

it('C3 54: a run that is cancelled while the model works ends as cancelled, and leaves nothing to save', async () => {
  const model = await startModelServer([{ kind: 'stall' }]);
  const options = scheduledStep({ model }, { inputs: { 'memory-store': 'file' } });
  const running = startStep('main', options);
  model.onRequest(() => running.kill('SIGINT'));
  const main = await running.finished;
  expect(main).toMatchObject({ exitCode: 1, signal: null, stderr: '' });
  expect(main.outputs).toMatchObject({ conclusion: 'cancelled', 'memory-saved': '' });
  expect(main.annotations).toMatchObject([{ level: 'error', message: 'the run was cancelled' }]);
  expect(main.summary).toContain('the run was cancelled');
  const post = await runPost(options, main);
  expect(post.log.trim()).toBe('Memory: nothing is left to save.');
  expect(existsSync(join(main.workspace, '.axe'))).toBe(false);
});

it('C3 54: a run that is cancelled while it saves completes its save first', async () => {
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('Before.') } });
  const running = startStep('main', scene.step({ env: NO_CACHE }));
  scene.github.onRequest(
    ({ bytes }) => void (bytes.includes('createCommitOnBranch') && running.kill('SIGTERM')),
  );
  const main = await running.finished;
  expect(main).toMatchObject({ exitCode: 0, signal: null, stderr: '', annotations: [] });
  expect(main.outputs).toMatchObject({ conclusion: 'success', 'memory-saved': 'true' });
  expect(resultsIn(scene.memory())).toEqual(['Before.', 'Answer 0.']);
});

it('the post step saves what the main step reported as not saved, if that is possible now', async () => {
  const cache = await startCacheServer();
  const model = await startModelServer([text('It rains.')]);
  const options = scheduledStep({ model, cache });
  cache.fail({ operation: 'CreateCacheEntry', status: 429, headers: { 'retry-after': '600' } });
  const main = await runMain(options);
  expect(main.outputs['memory-saved']).toBe('false');
  const post = await runPost(options, main);
  expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(post.log).toContain('Memory: saved to cache axe-memory/v1/trunk/default/0000000001');
  expect(cache.entries()).toHaveLength(1);
});
