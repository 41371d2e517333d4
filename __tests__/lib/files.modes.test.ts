import * as nodeFs from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { tempDir } from '../helpers/temp.js';

/** Modes of files the moment they were created, by the end of their names. */
const born: { readonly path: string; readonly mode: number }[] = [];

jest.unstable_mockModule('node:fs/promises', () => ({
  ...fs,
  open: async (path: string, flags: number, mode?: number) => {
    const handle = await fs.open(path, flags, mode);
    const isNew = (flags & fs.constants.O_CREAT) !== 0;
    if (isNew) born.push({ path, mode: (await handle.stat()).mode & 0o777 });
    return handle;
  },
}));
/** The flag of the system that an open follows no link; Windows has none. */
let noFollow: number | undefined = nodeFs.constants.O_NOFOLLOW;

jest.unstable_mockModule('node:fs', () => ({
  ...nodeFs,
  constants: {
    ...nodeFs.constants,
    get O_NOFOLLOW() {
      return noFollow;
    },
  },
}));
const { createFiles } = await import('../../src/lib/files.js');
const { createWorkspace } = await import('../../src/tools/workspace/workspace.js');
const { createFileStore } = await import('../../src/memory/stores/file/file-store.js');
const { createClock } = await import('../../src/lib/clock.js');

let root: string;
beforeEach(() => {
  root = tempDir('modes');
  born.length = 0;
});

async function written(name: string, mode: number): Promise<string> {
  const path = join(root, name);
  await fs.writeFile(path, '## 2026-01-01T00:00:00Z\nx\n\n## 2026-01-02T00:00:00Z\ny\n\n', {
    mode: 0o600,
  });
  await fs.chmod(path, mode);
  return path;
}

async function modeOf(name: string): Promise<number> {
  return (await fs.stat(join(root, name))).mode & 0o777;
}

function bornIn(folder: string): readonly number[] {
  return born
    .filter(({ path }) => path.includes(folder) && path.endsWith('.tmp'))
    .map(({ mode }) => mode);
}

describe('a temporary file', () => {
  it.each([0o600, 0o640, 0o400])(
    'has the mode of the replaced file from its first moment: %o',
    async (mode) => {
      await createFiles().replace(await written('m.md', mode), 'new');
      expect(bornIn(root)).toEqual([mode]);
      expect(await modeOf('m.md')).toBe(mode);
    },
  );

  it('has the mode of a file that a tool rewrites', async () => {
    await written('m.txt', 0o600);
    const workspace = createWorkspace(root, { denied: [], readOnly: [] });
    await workspace.change('m.txt', () => new TextEncoder().encode('new'));
    expect(born.filter(({ path }) => path.endsWith('.tmp')).map(({ mode }) => mode)).toEqual([
      0o600,
    ]);
    expect(await modeOf('m.txt')).toBe(0o600);
  });

  it('keeps a group-writable mode, whatever the umask is', async () => {
    await createFiles().replace(await written('m.md', 0o664), 'new');
    expect(await modeOf('m.md')).toBe(0o664);
  });

  it('has the mode of the file behind a link in its place', async () => {
    await fs.symlink(await written('real.md', 0o600), join(root, 'link.md'));
    await createFiles().replace(join(root, 'link.md'), 'new');
    expect(bornIn(root)).toEqual([0o600]);
  });
});

const open = () =>
  createFileStore({ files: createFiles(), clock: createClock(), root, followLinks: true });
const never = new AbortController().signal;

it('a backup of a run log has the mode of the log, even in place of a world-readable one', async () => {
  await written('bot.md', 0o600);
  await written('bot.md.bak', 0o644);
  const rewrite = () => '## 2026-01-02T00:00:00Z\ny\n\n';
  const result = await open().write([{ kind: 'rewrite', path: 'bot.md', rewrite }], never);
  expect(result).toMatchObject({ kind: 'saved' });
  expect([await modeOf('bot.md'), await modeOf('bot.md.bak')]).toEqual([0o600, 0o600]);
  const ofLog = born.filter(({ path }) => path.endsWith('.tmp')).map(({ mode }) => mode);
  expect(ofLog).toEqual([0o600, 0o600]);
});

it('a backup of a note has the mode of the note', async () => {
  await written('MEMORY.md', 0o600);
  const edit = { kind: 'overwrite', text: 'new\n' } as const;
  await open().write([{ kind: 'note', id: 'n1', path: 'MEMORY.md', edit, backup: true }], never);
  expect([await modeOf('MEMORY.md'), await modeOf('MEMORY.bak')]).toEqual([0o600, 0o600]);
});

it.each([nodeFs.constants.O_NOFOLLOW, undefined])(
  'a link is not followed with the flag %j',
  async (flag) => {
    noFollow = flag;
    const [real, link] = [await written('real.md', 0o600), join(root, 'link.md')];
    await fs.symlink('real.md', link);
    const files = createFiles();
    await expect(files.open(link, { followLinks: false })).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(files.append(link, 'x', { followLinks: false })).rejects.toMatchObject({
      code: 'ELOOP',
    });
    for (const path of [real, link]) {
      const file = await files.open(path, { followLinks: path === link });
      expect(file?.bytes).toBeGreaterThan(0);
      await file?.close();
    }
  },
);
