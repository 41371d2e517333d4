import { describe, expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { runPost, type StepResult, startStep } from '../helpers/run-action.js';
import { startCli } from '../helpers/run-cli.js';
import { countEntries } from './memory-scene.js';
import { blockIn, laptop, type NotesStage, notesStage, type Store } from './notes-scene.js';

const FACT = 'The build needs two gigabytes.';
const DONE = 'Looked at the build.';
const REPLIES = [
  {
    kind: 'tools',
    calls: [
      { name: 'memory_write', input: { target: 'long_term', content: FACT } },
      { name: 'memory_write', input: { target: 'daily', content: DONE } },
    ],
  },
  { kind: 'stall' },
] as const;

/** Runs main and kills it when the server of its choice has got the n-th request that fits. */
async function killed(
  stage: NotesStage,
  store: Store,
  at: 'thinking' | 'commit' | 'upload',
): Promise<StepResult> {
  const running = startStep('main', stage.stepOn(store));
  const kill = () => running.kill('SIGKILL');
  if (at === 'thinking') stage.model.onRequest(() => void (stage.model.requests().length === 2 && kill()));
  else if (at === 'commit') {
    stage.github.onRequest(({ bytes }) => void (bytes.includes('createCommitOnBranch') && kill()));
  } else stage.cache.onRequest(({ path }) => void (path.endsWith('FinalizeCacheEntryUpload') && kill()));
  return await running.finished.finally(() => Promise.all([stage.github.idle(), stage.cache.idle()]));
}

function notesOf(stage: NotesStage, store: Store): readonly string[] {
  const notes = Object.entries(stage.memoryOf(store)).filter(([path]) => /MEMORY\.md$|\/daily\//.test(path));
  return notes.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, content]) => content);
}

/** A branch that is there, so that a save is one commit. */
const BRANCH_FILES = { 'README.md': 'Memory.\n' };

describe('a run that is killed after it wrote notes', () => {
  it.each(['branch', 'cache', 'file'] as const)(
    'while the model works leaves them to the post step, once, on the store %s',
    async (store) => {
      const stage = await notesStage({ model: [...REPLIES, text('Later.')], branch: BRANCH_FILES });
      const main = await killed(stage, store, 'thinking');
      expect(main).toMatchObject({ signal: 'SIGKILL' });
      for (const _ of [1, 2]) {
        const post = await runPost(stage.stepOn(store), main);
        expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
        expect(notesOf(stage, store)).toEqual([`${FACT}\n`, `${DONE}\n`]);
        expect(stage.memoryOf(store)['keeper.md'] ?? '').toBe('');
      }
      await stage.runOn(store);
      expect(blockIn(stage.model.prompts().at(-1)?.system ?? '')).toContain(FACT);
    },
  );

  it.each([
    ['branch', 'commit'],
    ['cache', 'upload'],
  ] as const)('while it saves to the store %s leaves notes and entry once', async (store, at) => {
    const stage = await notesStage({ model: [REPLIES[0], text('Two.')], branch: BRANCH_FILES });
    const main = await killed(stage, store, at);
    expect(main).toMatchObject({ signal: 'SIGKILL' });
    for (const _ of [1, 2]) {
      const post = await runPost(stage.stepOn(store), main);
      expect(post).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
      expect(notesOf(stage, store)).toEqual([`${FACT}\n`, `${DONE}\n`]);
      expect(countEntries(stage.memoryOf(store)['keeper.md'] ?? '')).toBe(1);
    }
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'on the command line by %s has already written them',
    async (signal) => {
      const model = await startModelServer(REPLIES);
      const { env, cwd, memory } = laptop(model.env);
      const running = startCli(['run', 'keeper'], { env, cwd, stdin: 'What does the build need?' });
      model.onRequest(() => void (model.requests().length === 2 && running.kill(signal)));
      await running.finished;
      expect(memory()['MEMORY.md']).toBe(`${FACT}\n`);
      expect(memory()['keeper.md']).toBeUndefined();
    },
  );
});
