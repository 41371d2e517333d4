import { expect, it } from '@jest/globals';
import { createFileStore } from '../../../../src/adapters/stores/file/file-store.js';
import { withIgnoreFile } from '../../../../src/adapters/stores/file/ignore-file.js';
import { noAbort } from '../../../helpers/github-client-fake.js';
import { append } from '../entries.js';
import { createFakeClock } from '../fake-clock.js';
import { createFakeFiles } from '../fake-files.js';

const FOLDER = '/work/.axe/memory';
const IGNORED = `${FOLDER}/.gitignore`;

function open(files = createFakeFiles()) {
  const root = { root: '/work', folder: '.axe/memory', followLinks: false };
  const store = createFileStore({ files, clock: createFakeClock(), ...root });
  return { files, store: withIgnoreFile(store, { files, folder: FOLDER }) };
}

it('tells git to leave copies, locks and temporary files alone, and nothing else', async () => {
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

it('leaves a file that is there as it is', async () => {
  const { files, store } = open();
  await files.append(IGNORED, '*.tmp\n', { followLinks: false });
  await store.write([append('a')], noAbort());
  expect(files.text(IGNORED)).toBe('*.tmp\n');
});

it('saves all the same where that file cannot be written, and says so', async () => {
  const broken = createFakeFiles();
  const { store } = open({ ...broken, createExclusive: async () => Promise.reject(new Error('read-only')) });
  expect(await store.write([append('a')], noAbort())).toMatchObject({
    kind: 'saved',
    notices: [expect.stringMatching(/\.gitignore could not be written: read-only.*\.bak/)],
  });
});
