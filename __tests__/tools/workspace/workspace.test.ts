// linux-only: folders are held open through /proc/self/fd, and commands run under `unshare`
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { protectedPaths } from '../../../src/safety/path-rules.js';
import { createShell } from '../../../src/tools/process/shell.js';
import type { ToolResult } from '../../../src/tools/tool.js';
import { createWorkspace, openFolder, readStart } from '../../../src/tools/workspace/workspace.js';
import { CREDENTIAL_FILES } from '../../helpers/credential-files.js';
import { bareJail } from '../../helpers/jail.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';
import { toolsOver } from '../workspace-scene.js';

const SECRET = 'TOKEN-0123456789';
let base = '';
let root = '';

beforeEach(() => {
  base = tempDir('workspace');
  root = join(base, 'repo');
  mkdirSync(root);
  writeFiles(base, {
    'outside.txt': SECRET,
    'repo/in.txt': 'inside',
    'repo/src/a.ts': 'const a = 1;\n',
  });
});

type Env = Readonly<Record<string, string>>;

function call(name: string, input: object, env: Env = {}, folder = root): Promise<ToolResult> {
  const shell = createShell(process.env, bareJail);
  return toolsOver(createWorkspace(folder, protectedPaths(env)), { shell, workdir: folder })(
    name,
    input,
  );
}

/**
 * Every file tool aimed at one path; `edit_file` and `search_files` look for text they would find.
 */
const AIMS: readonly (readonly [string, (path: string) => object])[] = [
  ['read_file', (path) => ({ path })],
  ['list_directory', (path) => ({ path })],
  ['search_files', (path) => ({ path, text: 'TOKEN' })],
  ['write_file', (path) => ({ path, content: 'overwritten' })],
  ['edit_file', (path) => ({ path, old_string: 'TOKEN', new_string: 'x' })],
];

async function expectDenied(path: string, env: Env = {}, folder = root): Promise<void> {
  for (const [tool, aim] of AIMS) {
    const result = await call(tool, aim(path), env, folder);
    expect({ tool, path, isError: result.isError }).toEqual({ tool, path, isError: true });
    expect(result.text).not.toContain('TOKEN-');
  }
}

describe('the file tools over a real folder', () => {
  it('accept absolute paths inside the folder', async () => {
    expect(await call('read_file', { path: join(root, 'in.txt') })).toMatchObject({
      text: '1: inside',
    });
    expect((await call('list_directory', { path: root })).text).toBe('in.txt\nsrc/');
  });

  it('follow links that stay inside, and write through them', async () => {
    symlinkSync('in.txt', join(root, 'link.txt'));
    symlinkSync('src', join(root, 'linked'));
    expect((await call('read_file', { path: 'link.txt' })).text).toBe('1: inside');
    expect((await call('read_file', { path: 'linked/a.ts' })).text).toBe('1: const a = 1;');
    await call('edit_file', { path: 'link.txt', old_string: 'in', new_string: 'IN' });
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('INside');
    await call('write_file', { path: 'linked/b.ts', content: 'b' });
    expect(readFileSync(join(root, 'src/b.ts'), 'utf8')).toBe('b');
  });

  it('keep the mode of a file and create a new one with the usual mode', async () => {
    chmodSync(join(root, 'in.txt'), 0o750);
    await call('write_file', { path: 'in.txt', content: 'x' });
    await call('write_file', { path: 'new.txt', content: 'x' });
    expect(statSync(join(root, 'in.txt')).mode & 0o777).toBe(0o750);
    expect(statSync(join(root, 'new.txt')).mode & 0o133).toBe(0);
  });

  it('lose none of many concurrent edits of one file', async () => {
    const marks = Array.from({ length: 20 }, (_, index) => `<${index}>`);
    writeFileSync(join(root, 'marks.txt'), marks.join('\n'));
    const workspace = createWorkspace(root, protectedPaths({}));
    const change = (mark: string) => (old: Uint8Array | undefined) =>
      Buffer.from(new TextDecoder().decode(old).replace(mark, 'done'));
    await Promise.all(marks.map((mark) => workspace.change('marks.txt', change(mark))));
    expect(readFileSync(join(root, 'marks.txt'), 'utf8')).toBe(marks.map(() => 'done').join('\n'));
  });

  it('go on after a change that failed', async () => {
    const workspace = createWorkspace(root, protectedPaths({}));
    const failed = workspace.change('in.txt', () => {
      throw new Error('no');
    });
    const next = workspace.change('in.txt', () => Buffer.from('after'));
    await Promise.all([expect(failed).rejects.toThrow('no'), next]);
    expect(readFileSync(join(root, 'in.txt'), 'utf8')).toBe('after');
  });

  it('report errors without naming places outside', async () => {
    const below = { path: 'in.txt/x' };
    expect((await call('read_file', below)).text).toBe('"in.txt/x": not a directory');
    expect((await call('write_file', { ...below, content: '' })).text).toBe(
      '"in.txt/x": not a directory',
    );
    const top = await call('write_file', { path: '.', content: '' });
    expect(top.text).toBe('"." is a directory, not a file');
    expect((await call('read_file', { path: 'x'.repeat(300) })).text).toContain('name too long');
  });

  it('report that the working directory is missing', async () => {
    const result = await call('read_file', { path: 'a' }, {}, join(base, 'nowhere'));
    expect(result).toEqual({ text: expect.stringContaining('does not exist'), isError: true });
  });

  it('find nothing in links and in excluded files', async () => {
    writeFiles(root, { '.git/config': 'TOKEN', '.env': 'TOKEN', 'sub/.npmrc': 'TOKEN' });
    symlinkSync(base, join(root, 'up'));
    symlinkSync(root, join(root, 'around'));
    expect((await call('search_files', { text: 'TOKEN' })).text).toBe('(nothing found)');
    expect((await call('search_files', { glob: '.git/**' })).text).toBe('(nothing found)');
    expect((await call('list_directory', {})).text).toBe('around\nin.txt\nsrc/\nsub/\nup');
  });
});

it.each([
  '/proc/self/environ',
  '/proc/1/environ',
  `/proc/${process.pid}/environ`,
  '/proc/self/fd/0',
  '/proc/self/root/etc/passwd',
  '/proc/self/cwd',
  '/dev/stdin',
  '/dev/zero',
  '/dev',
  '/sys',
  '/sys/kernel',
])(
  'C7 85: a kernel interface %p is denied to all file tools, by its path and behind a link',
  async (path) => {
    await expectDenied(path);
    symlinkSync(path, join(root, 'link'));
    await expectDenied('link');
  },
);

it('C7 85: a kernel interface is denied even if the working directory is the whole machine', async () => {
  await expectDenied('proc/self/environ', {}, '/');
  await expectDenied('/proc/self/environ', {}, '/');
  // Plain text, which nothing but the guard keeps from being read.
  await expectDenied('proc/self/status', {}, '/');
  await expectDenied('proc/version', {}, '/');
  await expectDenied('dev/zero', {}, '/');
  await expectDenied('environ', {}, '/proc/self');
});

it('C7 85: a kernel interface reveals nothing of our environment to a command', async () => {
  process.env['AXE_TEST_SECRET'] = SECRET;
  try {
    const { text } = await call('run_command', {
      command: 'cat /proc/self/environ | tr "\\0" "\\n"; env',
    });
    expect(text).toContain('PATH=');
    expect(text).not.toContain(SECRET);
  } finally {
    delete process.env['AXE_TEST_SECRET'];
  }
});

it.each(CREDENTIAL_FILES)(
  'C7 86: credentials in %p are denied, also behind a link',
  async (path) => {
    writeFiles(root, { [path]: SECRET });
    await expectDenied(path);
    symlinkSync(join(root, path), join(root, 'harmless.txt'));
    await expectDenied('harmless.txt');
    expect(readFileSync(join(root, path), 'utf8')).toBe(SECRET);
  },
);

it('C7 86: credentials in the runner’s folders are denied wherever these are', async () => {
  const secrets =
    `temp/git-credentials-1 temp/_github_workflow/event.json event.json home/.aws/credentials
    home/.docker/config.json home/.netrc home/.ssh/id_rsa creds.json`.split(/\s+/);
  writeFiles(root, Object.fromEntries(secrets.map((path) => [path, SECRET])));
  const env = {
    RUNNER_TEMP: join(root, 'temp'),
    GITHUB_EVENT_PATH: join(root, 'event.json'),
    HOME: join(root, 'home'),
    GOOGLE_APPLICATION_CREDENTIALS: join(root, 'creds.json'),
  };
  for (const path of secrets) await expectDenied(path, env);
  mkdirSync(join(root, 'temp/new'));
  await expectDenied('temp/new', env);
  const { text } = await call('search_files', { text: 'TOKEN' }, env);
  expect(text).toBe('(nothing found)\n[2 files could not be read]');
});

it('C7 86: credentials are denied behind a link to the folder that holds them', async () => {
  writeFiles(base, { 'temp/token.txt': SECRET });
  symlinkSync(join(base, 'temp'), join(base, 'alias'));
  writeFiles(root, { 'in-temp.txt': '' });
  await expectDenied('temp/token.txt', { RUNNER_TEMP: join(base, 'alias') }, base);
});

it.each([
  '../outside.txt',
  'src/../../outside.txt',
  '..',
  '%2e%2e/outside.txt',
  '..%2foutside.txt',
  '..\\outside.txt',
  'C:\\Windows\\win.ini',
  '\\\\server\\share\\a',
  '\\\\?\\C:\\a',
  'in.txt:stream',
  'in.txt\0.png',
  '~/.ssh/id_rsa',
  '/etc/passwd',
  '.GIT/config',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  '.git\u200d/config',
  '.\uff47\uff49\uff54/config',
  '//?/C:/a',
  '//server/share/a',
  'file:///etc/passwd',
  '.../outside.txt',
  '.. /outside.txt',
])('C7 87: the path %p is denied to all file tools or does not exist', async (path) => {
  writeFiles(root, { '.git/config': SECRET });
  for (const [tool, aim] of AIMS) {
    if (tool === 'write_file') continue;
    const result = await call(tool, aim(path));
    expect({ tool, isError: result.isError }).toEqual({ tool, isError: true });
  }
  await call('write_file', { path, content: 'overwritten' });
  expect(readFileSync(join(base, 'outside.txt'), 'utf8')).toBe(SECRET);
  expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe(SECRET);
  expect(readdirSync(base).sort()).toEqual(['outside.txt', 'repo']);
});

it('C7 87: paths next to the folder whose name starts alike are outside', async () => {
  writeFiles(base, { 'repo-other/a.txt': SECRET });
  await expectDenied(join(base, 'repo-other/a.txt'));
  await expectDenied(join(base, 'repo-other'));
});

describe('C7 88: links', () => {
  it('to files and folders outside are denied', async () => {
    symlinkSync(join(base, 'outside.txt'), join(root, 'file'));
    symlinkSync('../outside.txt', join(root, 'relative'));
    symlinkSync(base, join(root, 'folder'));
    symlinkSync('file', join(root, 'twice'));
    for (const path of 'file relative folder folder/outside.txt folder/new.txt folder/a/b twice'.split(
      ' ',
    ))
      await expectDenied(path);
    expect(readFileSync(join(base, 'outside.txt'), 'utf8')).toBe(SECRET);
    expect(readdirSync(base).sort()).toEqual(['outside.txt', 'repo']);
  });

  it('with missing targets are denied, so that nothing is created behind them', async () => {
    symlinkSync(join(base, 'not-yet.txt'), join(root, 'dangling'));
    symlinkSync('loop', join(root, 'loop'));
    await expectDenied('dangling');
    await expectDenied('loop');
    expect(existsSync(join(base, 'not-yet.txt'))).toBe(false);
  });

  it('that are hard are denied, except files of package managers', async () => {
    linkSync(join(base, 'outside.txt'), join(root, 'hard.txt'));
    const refused = { text: expect.stringContaining('hard link'), isError: true };
    expect(await call('read_file', { path: 'hard.txt' })).toEqual(refused);
    const edit = { path: 'hard.txt', old_string: 'T', new_string: 'x', replace_all: true };
    expect(await call('edit_file', edit)).toEqual(refused);
    const { text } = await call('search_files', { text: 'TOKEN' });
    expect(text).toBe('(nothing found)\n[1 file could not be read]');
    mkdirSync(join(root, 'node_modules/p'), { recursive: true });
    writeFileSync(join(base, 'store.js'), 'shared');
    linkSync(join(base, 'store.js'), join(root, 'node_modules/p/index.js'));
    expect((await call('read_file', { path: 'node_modules/p/index.js' })).text).toBe('1: shared');
  });

  it('that are hard are not written through', async () => {
    writeFileSync(join(base, 'store.js'), 'shared');
    mkdirSync(join(root, 'node_modules'));
    linkSync(join(base, 'store.js'), join(root, 'node_modules/a.js'));
    await call('write_file', { path: 'node_modules/a.js', content: 'mine' });
    expect(readFileSync(join(base, 'store.js'), 'utf8')).toBe('shared');
    expect(readFileSync(join(root, 'node_modules/a.js'), 'utf8')).toBe('mine');
  });
});

describe('C7 89: what is not a regular file', () => {
  it('is never opened: a FIFO blocks nobody', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expectDenied('pipe');
    symlinkSync('pipe', join(root, 'link'));
    await expectDenied('link');
    expect((await call('search_files', { text: 'inside' })).text).toBe('in.txt:1: inside');
    expect(statSync(join(root, 'pipe')).isFIFO()).toBe(true);
  });

  it('is never opened: a socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    try {
      await expectDenied('socket');
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });

  it('with 50 GB of zeros is recognized as not text at once', async () => {
    writeFileSync(join(root, 'sparse.bin'), '');
    truncateSync(join(root, 'sparse.bin'), 50 * 1024 ** 3);
    expect((await call('read_file', { path: 'sparse.bin' })).text).toContain(
      'binary file detected',
    );
    expect((await call('search_files', { text: 'x', glob: 'sparse.bin' })).text).toBe(
      '(nothing found)',
    );
    const edited = await call('edit_file', {
      path: 'sparse.bin',
      old_string: 'a',
      new_string: 'b',
    });
    expect(edited.text).toContain('too large to change');
  });
});

it('C7 90: a protected file can be read and not edited', async () => {
  writeFiles(root, { '.github/workflows/x.yml': 'on: push' });
  expect((await call('read_file', { path: '.github/workflows/x.yml' })).text).toBe('1: on: push');
  const edit = {
    path: '.github/workflows/x.yml',
    old_string: 'push',
    new_string: 'pull_request_target',
  };
  expect((await call('edit_file', edit)).text).toContain('only people change workflows');
  expect(readFileSync(join(root, '.github/workflows/x.yml'), 'utf8')).toBe('on: push');
});

it('C7 90: a protected file is not written behind a link, nor from a working directory inside', async () => {
  mkdirSync(join(root, '.github/workflows'), { recursive: true });
  symlinkSync('.github', join(root, 'hub'));
  symlinkSync('.github/workflows', join(root, 'flows'));
  for (const path of ['hub/workflows/x.yml', 'flows/x.yml']) {
    expect(await call('write_file', { path, content: 'x' })).toMatchObject({ isError: true });
  }
  const inside = { path: 'workflows/x.yml', content: 'x' };
  expect((await call('write_file', inside, {}, join(root, '.github'))).isError).toBe(true);
  expect(readdirSync(join(root, '.github/workflows'))).toEqual([]);
});

it('C7 90: a protected file is also a file that controls later steps, and the action itself', async () => {
  const files = { 'env-file': '', 'path-file': '', 'output-file': '' };
  writeFiles(root, { ...files, 'tools/axe/dist/post.js': 'ours' });
  const env = {
    GITHUB_ENV: join(root, 'env-file'),
    GITHUB_PATH: join(root, 'path-file'),
    GITHUB_OUTPUT: join(root, 'output-file'),
    GITHUB_ACTION_PATH: join(root, 'tools/axe'),
  };
  for (const path of [
    'env-file',
    'path-file',
    'output-file',
    'tools/axe/dist/post.js',
    'tools/axe/new.js',
  ])
    expect([path, (await call('write_file', { path, content: 'x' }, env)).isError]).toEqual([
      path,
      true,
    ]);
  expect((await call('read_file', { path: 'tools/axe/dist/post.js' }, env)).text).toBe('1: ours');
  expect((await call('write_file', { path: 'in.txt', content: 'x' }, env)).isError).toBe(false);
});

/**
 * A checked path, and then something else in its place: what a race between check and use comes to
 * (C7 88).
 */
function scene() {
  const base = tempDir('swap');
  writeFiles(base, {
    'root/folder/a.txt': 'inside',
    'root/folder/sub/b.txt': 'inside',
    'outside/folder/a.txt': 'SECRET',
    'outside/folder/sub/b.txt': 'SECRET',
  });
  const root = join(base, 'root');
  return {
    root,
    checked: (path: string) => ({ real: realpathSync(join(root, path)), path }),
    swap(path: string) {
      renameSync(join(root, path), join(root, 'moved'));
      symlinkSync(join(base, 'outside', path), join(root, path));
    },
  };
}

describe('C7 88: a path that was replaced after it was checked', () => {
  it.each([
    ['read', 'the file', 'folder/a.txt', 'folder/a.txt', 'not a regular file'],
    [
      'read',
      'a folder on the way',
      'folder/a.txt',
      'folder',
      'was replaced while it was being opened',
    ],
    ['listed', 'the folder', 'folder', 'folder', 'not a directory'],
    [
      'listed',
      'a folder on the way',
      'folder/sub',
      'folder',
      'was replaced while it was being opened',
    ],
  ])('is not %s: a link in place of %s', async (how, ...[_, path, swapped, why]) => {
    const { checked, swap } = scene();
    const was = checked(path);
    swap(swapped);
    await expect(how === 'read' ? readStart(was, 100) : openFolder(was)).rejects.toThrow(why);
  });

  it('is not entered: a link in an open folder', async () => {
    const { root, checked, swap } = scene();
    const folder = await openFolder(checked('.'));
    const sub = { real: join(root, 'folder'), path: 'folder' };
    swap('folder');
    await expect(openFolder(sub, join(folder.accessPath, 'folder'))).rejects.toThrow(
      'not a directory',
    );
    await folder.close();
  });

  it('does not redirect an open folder', async () => {
    const { root, checked, swap } = scene();
    const folder = await openFolder(checked('folder'));
    swap('folder');
    writeFileSync(join(folder.accessPath, 'b.txt'), 'written');
    expect(readdirSync(folder.accessPath).sort()).toEqual(['a.txt', 'b.txt', 'sub']);
    await folder.close();
    expect(readFileSync(join(root, 'moved/b.txt'), 'utf8')).toBe('written');
  });
});
