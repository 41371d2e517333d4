import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AxeError, ConfigError } from '../../src/lib/errors.js';
import {
  createMissingFiles,
  isFolder,
  openEditor,
  readConfigFile,
  readStdin,
  readTextFile,
  resolveInside,
} from '../../src/lib/user-files.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const purpose = { what: 'prompt file', remedy: 'Is there a checkout?' };

it.each([
  ['missing.md', 'no such file or directory'],
  ['.', 'is a directory'],
  ['file/prompt.md', 'not a directory'],
  ['circle', 'too many levels of symbolic links'],
  ['pipe', 'not a regular file'],
])(
  '%s is no file of the user’s, which is an error that states its purpose: %s',
  async (name, reason) => {
    const folder = tempDir();
    writeFiles(folder, { file: '' });
    symlinkSync('circle', join(folder, 'circle'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const path = join(folder, name);
    await expect(readTextFile(path, purpose)).rejects.toMatchObject({
      name: 'ConfigError',
      message: `cannot read the prompt file ${path}: ${reason}`,
      remedy: 'Is there a checkout?',
      exitCode: 2,
    });
  },
);

it.each([
  ['.', true],
  ['missing', false],
  ['file', false],
  ['file/in', false],
  ['circle', true],
])('%s is a folder, or one whose reader says what is wrong: %j', async (name, expected) => {
  const folder = tempDir();
  writeFiles(folder, { file: '' });
  symlinkSync('circle', join(folder, 'circle'));
  expect(await isFolder(join(folder, name))).toBe(expected);
});

it("config.toml is undefined if there is none, and reported in axe's words if it cannot be read", async () => {
  const path = join(tempDir(), 'config.toml');
  expect(await readConfigFile(path)).toBeUndefined();
  mkdirSync(path);
  await expect(readConfigFile(path)).rejects.toMatchObject({
    name: 'ConfigError',
    message: `failed to read config file: read ${path}: is a directory`,
    exitCode: 2,
    at: { file: path },
  });
});

const files = [
  { path: 'skills/sample/SKILL.md', content: '# Sample\n' },
  { path: 'config.toml', content: '# keys\n', mode: 0o600 },
];

it('a new configuration folder gets the missing files, and keeps those that are there', async () => {
  const folder = join(tempDir(), 'new', 'axe');
  const [skill, config] = files.map(({ path }) => join(folder, path)) as [string, string];
  expect(await createMissingFiles(folder, files)).toEqual([skill, config]);
  expect(statSync(config).mode & 0o777).toBe(0o600);
  writeFiles(folder, { 'config.toml': 'my own' });
  expect(await createMissingFiles(folder, files)).toEqual([]);
  expect([readFileSync(skill, 'utf8'), readFileSync(config, 'utf8')]).toEqual([
    '# Sample\n',
    'my own',
  ]);
});

it('a new configuration folder is an error if it cannot be created, and the file in its way is named', async () => {
  const folder = tempDir();
  writeFiles(folder, { axe: 'a file' });
  await expect(createMissingFiles(join(folder, 'axe'), files)).rejects.toMatchObject({
    name: 'AxeError',
    message: `failed to create the configuration: mkdir ${join(folder, 'axe', 'skills/sample')}: not a directory`,
    exitCode: 1,
    remedy: `A file is where a folder is needed: rename or remove ${join(folder, 'axe')}.`,
  });
  symlinkSync('nowhere', join(folder, 'link'));
  await expect(createMissingFiles(join(folder, 'link'), files)).rejects.toMatchObject({
    remedy: `A file is where a folder is needed: rename or remove ${join(folder, 'link')}.`,
  });
});

// Nothing is read-only for root.
const asUser = process.getuid?.() === 0 ? it.skip : it;

asUser('a folder that takes no files is named', async () => {
  const folder = tempDir();
  chmodSync(folder, 0o500);
  await expect(createMissingFiles(folder, files)).rejects.toMatchObject({
    remedy: `Make ${folder} writable, or run the command where you can write.`,
  });
});

const quiet = new AbortController().signal;
const opened = new Set<Readable>();

afterEach(() => {
  for (const stream of opened) stream.destroy();
  opened.clear();
});

/** A file or folder as standard input, read a few bytes at a time. */
function stream(path: string): Readable & { fd: number } {
  const fd = openSync(path, 'r');
  return Object.assign(createReadStream('', { fd, highWaterMark: 3 }), { fd });
}

/** A pipe as standard input, and its other end. */
function pipe(): {
  stdin: Readable & { fd: number };
  write: (text: string) => void;
  end: () => void;
} {
  const path = join(tempDir('stdin'), 'pipe');
  execFileSync('mkfifo', [path]);
  // Opened for reading first without waiting for a writer, as the other end is this process too.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  const stdin = Object.assign(new Socket({ fd, readable: true, writable: false }), { fd });
  opened.add(stdin);
  return { stdin, write: (text) => void writeSync(writer, text), end: () => closeSync(writer) };
}

describe('standard input (axe-behaviour §6)', () => {
  it('is empty if it is /dev/null, or closed', async () => {
    const fd = openSync('/dev/null', 'r');
    const read = () => {
      throw new Error('it was read');
    };
    const untouched = Object.assign(new Readable({ read }), { fd });
    expect(await readStdin(untouched, quiet)).toBe('');
    closeSync(fd);
    expect(await readStdin(untouched, quiet)).toBe('');
  });

  it.each<[string | Uint8Array, string]>([
    ['\uFEFFwith a mark', '\uFEFFwith a mark'],
    [new Uint8Array([0x61, 0xff, 0xfe, 0x62]), 'a\uFFFD\uFFFDb'],
  ])('is read byte for byte from a file: %j', async (content, text) => {
    const folder = tempDir('stdin');
    writeFiles(folder, { input: content });
    expect(await readStdin(stream(join(folder, 'input')), quiet)).toBe(text);
  });

  it('is read from a pipe to its end', async () => {
    const { stdin, write, end } = pipe();
    write('one ');
    const text = readStdin(stdin, quiet);
    write('two');
    end();
    expect(await text).toBe('one two');
  });

  it('that cannot be read is an error, exit status 1', async () => {
    await expect(readStdin(stream(tempDir('stdin')), quiet)).rejects.toMatchObject({
      name: 'AxeError',
      message: 'failed to read stdin: read /dev/stdin: is a directory',
      exitCode: 1,
    });
  });
});

/** An editor that does what the script says. */
function editorThat(script: string): string {
  const folder = tempDir('editor');
  writeFiles(folder, { editor: `#!/bin/sh\n${script}\n` });
  chmodSync(join(folder, 'editor'), 0o755);
  return join(folder, 'editor');
}

it.each([
  [undefined, 'cannot start the editor "/gone/editor": spawnSync /gone/editor ENOENT'],
  ['exit 7', 'the editor ended with status 7'],
  ['kill -KILL $$', 'the editor was ended by SIGKILL'],
])('an editor that fails is reported: %s', (script, message) => {
  const editor = script === undefined ? '/gone/editor' : editorThat(script);
  expect(() => openEditor(editor, 'x')).toThrow(new AxeError(message));
});

function workspace(): string {
  const folder = join(tempDir('confine'), 'work');
  writeFiles(folder, { 'docs/a.md': 'a' });
  writeFiles(join(folder, '..'), { 'outside/secret.md': 's', 'worker/b.md': 'b' });
  symlinkSync('docs', join(folder, 'inner'));
  symlinkSync('../outside', join(folder, 'out'));
  symlinkSync('../outside/secret.md', join(folder, 'env.md'));
  symlinkSync('/proc/self/environ', join(folder, 'environ.md'));
  symlinkSync('nowhere', join(folder, 'dangling'));
  symlinkSync('work', join(folder, '../back'));
  mkdirSync(join(folder, 'empty'));
  return folder;
}

const what = 'the input `prompt-file`';

it.each([
  '.',
  'docs/a.md',
  'docs/../docs/a.md',
  'inner/a.md',
  'empty',
  'missing/b.md',
  'inner/missing.md',
])('a path that a workflow names is accepted inside the workspace: %s', async (path) => {
  const folder = workspace();
  expect(await resolveInside(folder, { path, what })).toBe(join(folder, path).replace(/\/\.$/, ''));
  expect(await resolveInside(folder, { path: join(folder, path), what })).toContain(folder);
});

it.each([
  '..',
  '../outside/secret.md',
  '../worker/b.md',
  // By its text it leads out, although a link leads back in.
  '../back/docs/a.md',
  'docs/../../outside/secret.md',
  '/etc/passwd',
  'out/secret.md',
  'out/missing.md',
  'env.md',
  'environ.md',
  'dangling',
  'docs/a.md\0.txt',
])(
  'C1 10: a path that a workflow names is refused outside, with the name of the input: %p',
  async (path) => {
    const refused = resolveInside(workspace(), { path, what });
    await expect(refused).rejects.toThrow('the input `prompt-file` leads out of the workspace');
    await expect(refused).rejects.toBeInstanceOf(ConfigError);
  },
);
