import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ChangeRules, Changes } from '../../../src/tools/workspace/changes.js';
import {
  type CommitFile,
  type CommitFiles,
  createCommitWorkspace,
} from '../../../src/tools/workspace/commit-workspace.js';
import { createWorkspace, type Workspace } from '../../../src/tools/workspace/workspace.js';
import { gitSha } from '../../helpers/github-git.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';
import { toolsOver } from '../workspace-scene.js';

type Files = Readonly<Record<string, string>>;

const FILES: Files = {
  'README.md': '# Hello\n',
  'src/a.ts': 'const a = 1;\nconst b = 2;\n',
  'src/deep/c.ts': '\uFEFFconst c = 3;\r\nexport {};\r\n',
  'src/empty.ts': '',
  'src/run.sh': '#!/bin/sh\n',
  'picture.png': '\x89PNG\0\0',
  '.env': 'TOKEN=1',
  '.github/workflows/ci.yml': 'on: push\n',
  'axe/agents/fixer.toml': 'name = "fixer"\n',
  'AGENTS.md': 'Be kind.\n',
  '.axe/memory/fixer.md': '## entry\n',
};
const EXECUTABLE = 'src/run.sh';
const MEMORY_ROOTS = ['.axe/memory'];

/** A commit in memory. */
function commitOf(files: Files): CommitFiles {
  const bySha = new Map<string, Buffer>();
  const listed = Object.entries(files).map(([path, text]): [string, CommitFile] => {
    const bytes = Buffer.from(text);
    const sha = gitSha('blob', bytes);
    bySha.set(sha, bytes);
    return [path, { kind: 'file', isExecutable: path === EXECUTABLE, sha, bytes: bytes.length }];
  });
  return {
    readAhead: async () => {},
    list: async () => new Map(listed),
    async read({ sha }) {
      const bytes = bySha.get(sha);
      return bytes?.includes(0) ? undefined : bytes;
    },
  };
}

interface Scene {
  readonly changes: Changes;
  call(name: string, input: object): Promise<string>;
}

function sceneOf(workspace: Workspace, changes: Changes): Scene {
  const call = toolsOver(workspace);
  return {
    changes,
    async call(name, input) {
      const { text, isError } = await call(name, input);
      return `${isError ? 'error: ' : ''}${text}`;
    },
  };
}

const rules = (allowed: readonly string[]): ChangeRules => {
  const agentsDirs = ['axe/agents'];
  return {
    allowed,
    memoryRoots: MEMORY_ROOTS,
    agentsDirs,
    instructionFiles: () => [],
    secrets: [],
  };
};

function checkoutScene(
  files: Files,
  allowed: readonly string[],
): Scene & { readonly root: string } {
  const root = join(tempDir('contract'), 'repo');
  mkdirSync(root);
  writeFiles(root, files);
  chmodSync(join(root, EXECUTABLE), 0o755);
  const changes = new Changes(rules(allowed));
  const guarded = {
    denied: [],
    readOnly: [],
    memory: MEMORY_ROOTS.map((path) => join(root, path)),
  };
  return { ...sceneOf(createWorkspace(root, guarded, { checkout: root, changes }), changes), root };
}

function commitScene(files: Files, allowed: readonly string[]): Scene {
  const changes = new Changes(rules(allowed));
  const options = { folder: '', changes, memoryRoots: MEMORY_ROOTS };
  return sceneOf(createCommitWorkspace(commitOf(files), options), changes);
}

const texts = ({ changes }: Scene) =>
  Object.fromEntries(
    [...changes.edits].map(([path, { before, after }]) => [
      path,
      [before, after].map((bytes) =>
        bytes === undefined ? undefined : Buffer.from(bytes).toString(),
      ),
    ]),
  );

const SCENES = [['a checkout', checkoutScene] as const, ['a commit', commitScene] as const];

describe.each(SCENES)('the file tools over %s', (_, open) => {
  let scene: Scene;
  beforeEach(() => {
    scene = open(FILES, ['src/**', 'README.md', '.github/**', 'AGENTS.md']);
  });
  afterEach(() => expect(scene.changes.problem ?? '').not.toMatch(/github|AGENTS/));

  it('list, read and search', async () => {
    const top = '.axe/\n.github/\nAGENTS.md\nREADME.md\naxe/\npicture.png\nsrc/';
    expect(await scene.call('list_directory', {})).toBe(top);
    expect(await scene.call('list_directory', { path: '.axe' })).toBe('(the directory is empty)');
    expect(await scene.call('list_directory', { path: './src/' })).toBe(
      'a.ts\ndeep/\nempty.ts\nrun.sh',
    );
    expect(await scene.call('read_file', { path: 'src/a.ts', offset: 2 })).toBe('2: const b = 2;');
    expect(await scene.call('read_file', { path: 'src/empty.ts' })).toBe('(the file is empty)');
    expect(await scene.call('search_files', { text: 'const' })).toBe(
      'src/a.ts:1: const a = 1;\nsrc/a.ts:2: const b = 2;\nsrc/deep/c.ts:1: const c = 3;',
    );
    expect(await scene.call('search_files', { glob: 'deep/*.ts', path: 'src' })).toBe(
      'src/deep/c.ts',
    );
    expect(scene.changes.problem).toBe('no file was changed');
  });

  it('see what they have changed, and keep the bytes around it', async () => {
    const edit = { old_string: 'c = 3;\nexport', new_string: 'c = 4;\nexport' };
    await scene.call('edit_file', { path: 'src/deep/c.ts', ...edit });
    await scene.call('write_file', { path: 'src/new/d.ts', content: 'const d = 5;' });
    await scene.call('delete_file', { path: 'src/a.ts' });
    expect(await scene.call('search_files', { text: 'const' })).toBe(
      'src/deep/c.ts:1: const c = 4;\nsrc/new/d.ts:1: const d = 5;',
    );
    expect(await scene.call('list_directory', { path: 'src' })).toBe(
      'deep/\nempty.ts\nnew/\nrun.sh',
    );
    expect(await scene.call('read_file', { path: 'src/a.ts' })).toMatch(
      /^error: "src\/a.ts": no such file/,
    );
    expect(texts(scene)).toEqual({
      'src/a.ts': [FILES['src/a.ts'], undefined],
      'src/deep/c.ts': [FILES['src/deep/c.ts'], '\uFEFFconst c = 4;\r\nexport {};\r\n'],
      'src/new/d.ts': [undefined, 'const d = 5;'],
    });
    expect(scene.changes.problem).toBeUndefined();
    await scene.call('delete_file', { path: 'src/new/d.ts' });
    await scene.call('write_file', { path: 'src/a.ts', content: FILES['src/a.ts'] });
    expect(Object.keys(texts(scene))).toEqual(['src/deep/c.ts']);
  });

  it.each([
    ['read_file', { path: 'missing.ts' }, /no such file/],
    ['read_file', { path: 'src' }, /is a directory, not a file/],
    [
      'read_file',
      { path: 'picture.png' },
      /^error: binary file detected: "picture.png" \(7 bytes\)/,
    ],
    ['read_file', { path: '.env' }, /credentials may be kept there/],
    ['read_file', { path: '.axe/memory/fixer.md' }, /memory is kept there/],
    ['read_file', { path: 'src/../../x' }, /`\.\.` is not allowed/],
    ['read_file', { path: 'README.md/x' }, /no such file|not a directory/i],
    ['list_directory', { path: 'README.md' }, /is not a directory/],
    [
      'write_file',
      { path: 'docs/a.md', content: 'x' },
      /the workflow lets runs change `src\/\*\*`/,
    ],
    [
      'write_file',
      { path: '.github/workflows/ci.yml', content: 'x' },
      /only people change workflows/,
    ],
    [
      'write_file',
      { path: '.GITHUB/workflows/ci.yml', content: 'x' },
      /only people change workflows/,
    ],
    [
      'write_file',
      { path: 'src/.gitignore', content: 'x' },
      /only people change what configures git/,
    ],
    ['write_file', { path: 'AGENTS.md', content: 'x' }, /only people change what guides agents/],
    ['write_file', { path: '.axe/memory/x.md', content: 'x' }, /memory/],
    ['write_file', { path: 'src', content: 'x' }, /is a directory, not a file/],
    ['write_file', { path: 'src/a.ts/b', content: 'x' }, /not a directory/i],
    ['edit_file', { path: 'src/a.ts', old_string: 'zzz', new_string: 'y' }, /old_string not found/],
    ['edit_file', { path: 'src/z.ts', old_string: 'zzz', new_string: 'y' }, /no such file/],
    [
      'write_file',
      { path: EXECUTABLE, content: 'x' },
      /was not changed: it is executable, which a commit/,
    ],
    [
      'delete_file',
      { path: EXECUTABLE },
      /was not changed: it is executable, which a commit here does/,
    ],
    ['delete_file', { path: 'src/z.ts' }, /no such file/],
    ['delete_file', { path: 'src/deep' }, /is a directory, not a file/],
    ['delete_file', { path: '.github/workflows/ci.yml' }, /only people change workflows/],
  ])('%s of %j is refused and changes nothing', async (name, input, why) => {
    const answer = await scene.call(name, input);
    expect(answer).toMatch(/^error: /);
    expect(answer).toMatch(why);
    expect(scene.changes.edits.size).toBe(0);
  });
});

it('a link and a submodule of a commit are not changed, and a large file is not read', async () => {
  const special: Readonly<Record<string, CommitFile>> = {
    link: { kind: 'link', isExecutable: false, sha: 'b', bytes: 1 },
    module: { kind: 'other', isExecutable: false, sha: 'c', bytes: 0 },
    'large.txt': { kind: 'file', isExecutable: false, sha: 'd', bytes: 100_000_000 },
    'a.png': { kind: 'file', isExecutable: false, sha: 'e', bytes: 7 },
  };
  const files = {
    list: async () => new Map(Object.entries(special)),
    read: async () => undefined,
    readAhead: async () => {},
  };
  const changes = new Changes(rules(['**']));
  const { call } = sceneOf(
    createCommitWorkspace(files, { folder: '', changes, memoryRoots: [] }),
    changes,
  );
  const write = (path: string) => call('write_file', { path, content: 'x' });
  expect(await write('link')).toMatch(/is not a regular file/);
  expect(await write('link/x')).toMatch(/"link" is not a directory/);
  expect(await write('module/x')).toMatch(/"module" is not a directory/);
  expect(await write('a.png')).toMatch(/only text is changed/);
  expect(await call('read_file', { path: 'large.txt' })).toMatch(
    /has 100,000,000 bytes, and the limit without a checkout is 4,194,304/,
  );
  expect(changes.edits.size).toBe(0);
});

it('an agent with a working directory stays in it', async () => {
  const changes = new Changes(rules(['src/**']));
  const options = { folder: 'src', changes, memoryRoots: MEMORY_ROOTS };
  const { call } = sceneOf(createCommitWorkspace(commitOf(FILES), options), changes);
  expect(await call('search_files', { glob: '*.ts' })).toBe('a.ts\ndeep/c.ts\nempty.ts');
  await call('write_file', { path: 'new.ts', content: 'x' });
  expect([...changes.edits.keys()]).toEqual(['src/new.ts']);
});

/** Names that mean trouble, and some that do not. */
const NAMES =
  'src docs a.ts README.md .github .GitHub workflows ci.yml .. . .git AGENTS.md axe agents fixer.toml .axe memory .env package-lock.json .gitignore deep ｓrc'.split(
    ' ',
  );

/** The patterns of a workflow, and as other people would write them. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  'src/**': /^src\/.*$/,
  'docs/*.md': /^docs\/[^/]*\.md$/,
  '**': /^.*$/,
  '*': /^[^/]*$/,
  '.github/**': /^\.github\/.*$/,
  'README.md': /^README\.md$/,
  '**/*.ts': /^(?:.*\/)?[^/]*\.ts$/,
  '**/package-lock.json': /^(?:.*\/)?package-lock\.json$/,
};

/** Written again, in the plainest words: what a run never changes. */
const NEVER = /(?:^|\/)(?:\.git|\.env|agents\.md$|action\.ya?ml|\.axe|axe\/(?:agents|skills))/i;

it('whatever a model does, no file changes but those that the workflow allows', async () => {
  const path = fc
    .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/'));
  const content = fc.constantFrom('', 'x', 'name = "evil"\n');
  const write = fc.record({ path, content }).map((input) => ['write_file', input] as const);
  const edit = path.map(
    (one) =>
      ['edit_file', { path: one, old_string: 'n', new_string: 'N', replace_all: true }] as const,
  );
  const remove = path.map((one) => ['delete_file', { path: one }] as const);
  const calls = fc.array(fc.oneof(write, edit, remove), { maxLength: 12 });
  const allowed = fc.uniqueArray(fc.constantFrom(...Object.keys(PATTERNS)), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(calls, allowed, async (made, patterns) => {
      const onDisk = checkoutScene(FILES, patterns);
      const inCommit = commitScene(FILES, patterns);
      for (const [name, input] of made)
        for (const { call } of [onDisk, inCommit]) await call(name, input);
      expect(texts(inCommit)).toEqual(texts(onDisk));
      for (const file of inCommit.changes.edits.keys()) {
        expect(file).not.toMatch(NEVER);
        const isListed = patterns.some((pattern) => PATTERNS[pattern]?.test(file));
        expect([file, patterns, isListed]).toEqual([file, patterns, true]);
        if (file.endsWith('package-lock.json')) expect(patterns).toContain('**/package-lock.json');
      }
      // What is not among the edits is as it was.
      for (const [file, text] of Object.entries(FILES)) {
        const place = join(onDisk.root, file);
        const now =
          existsSync(place) && statSync(place).isFile()
            ? readFileSync(place).toString()
            : undefined;
        if (!onDisk.changes.edits.has(file))
          expect([file, now]).toEqual([file, Buffer.from(text).toString()]);
      }
    }),
    { numRuns: 60 },
  );
});
