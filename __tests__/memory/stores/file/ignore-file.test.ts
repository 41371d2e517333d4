import { expect, it } from '@jest/globals';
import { createFileStore, withIgnoreFile } from '../../../../src/memory/stores/file/file-store.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { append } from '../entries.js';
import { createFakeClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';

const FOLDER = '/work/.axe/memory';
const IGNORED = `${FOLDER}/.gitignore`;

function open(files = createFakeFiles()) {
  const root = { root: '/work', folder: '.axe/memory', followLinks: false };
  const store = createFileStore({ files, clock: createFakeClock(), ...root });
  return { files, store: withIgnoreFile(store, files, FOLDER) };
}

it('the ignore file excludes copies, locks and temporary files from git, and nothing else', async () => {
  const { files, store } = open();
  await store.readTree(noAbort());
  expect(files.text(IGNORED)).toBeUndefined();
  expect(await store.write([append('a')], noAbort())).toMatchObject({ kind: 'saved' });
  const patterns = (files.text(IGNORED) ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(patterns).toEqual(['*.bak', '*.lock', '.axe-*.tmp']);
  expect(await store.readTree(noAbort())).toMatchObject({ kind: 'tree', warnings: [] });
});

it('the ignore file is not written by a save that wrote nothing', async () => {
  const { files, store } = open();
  await store.write([], noAbort());
  expect(files.text(IGNORED)).toBeUndefined();
});

it('a save succeeds even if the ignore file cannot be written, and reports it', async () => {
  const broken = createFakeFiles();
  const { store } = open({ ...broken, createExclusive: async () => Promise.reject(new Error('read-only')) });
  expect(await store.write([append('a')], noAbort())).toMatchObject({
    kind: 'saved',
    notices: [expect.stringMatching(/\.gitignore could not be written: read-only.*\.bak/)],
  });
});
