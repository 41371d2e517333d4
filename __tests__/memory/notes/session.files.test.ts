import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFiles } from '../../../src/adapters/host/files.js';
import { createFileStore } from '../../../src/memory/stores/file/file-store.js';
import { createFakeClock } from '../stores/fake-clock.js';
import { createNotesScene, type NotesScene, PROJECT } from './notes-scene.js';

const { signal } = new AbortController();
let root = '';

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'axe-notes-')));
});
afterEach(async () => await rm(root, { recursive: true, force: true }));

/** A run on the command line: what it writes is in the files at once. */
function openFiles(): NotesScene {
  const store = createFileStore({ files: createFiles(), clock: createFakeClock(), root, followLinks: false });
  return createNotesScene({
    load: (under) => store.readTree(signal, under),
    writeThrough: (changes) => store.write(changes, signal),
  });
}

async function onDisk(path: string): Promise<string> {
  return await readFile(join(root, path), 'utf8');
}

describe('notes in files', () => {
  it('keep what a hundred concurrent calls of two runs write', async () => {
    const runs = [openFiles(), openFiles()];
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const answers = await Promise.all(
      lines.map(
        async (content, index) =>
          await runs[index % 2]?.call('memory_write', { target: 'long_term', content }),
      ),
    );
    expect(answers.filter((answer) => answer?.isError !== false)).toEqual([]);
    const written = (await onDisk('MEMORY.md')).split('\n');
    expect(written.at(-1)).toBe('');
    expect(written.slice(0, -1).sort()).toEqual([...lines].sort());
  });

  it('are found by the next run', async () => {
    await openFiles().call('write_memory', { content: '部署前要运行迁移' });
    const { text } = await openFiles().call('memory_search', { query: '迁移' });
    expect(text).toContain('MEMORY.md  [matched: 迁移]');
  });

  it('are written anew, and kept as their former version', async () => {
    const scene = openFiles();
    for (const [mode, content] of [
      ['append', 'text'],
      ['overwrite', ''],
    ])
      await scene.call('memory_write', { target: 'note', name: 'a', mode, content });
    expect(await onDisk(`${PROJECT}/notes/a.bak`)).toBe('text\n');
    expect((await scene.call('memory_read', { source: 'note', name: 'a' })).text).toBe('(empty)');
  });
});
