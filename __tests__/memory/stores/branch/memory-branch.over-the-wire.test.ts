import { describe, expect, it } from '@jest/globals';
import { createGitHubClient } from '../../../../src/github/client/client.js';
import { encodeBytes } from '../../../../src/lib/text/bytes.js';
import type { BranchRead, MemoryBranch } from '../../../../src/memory/stores/branch/branch.js';
import { createMemoryBranch } from '../../../../src/memory/stores/branch/memory-branch.js';
import {
  GITHUB_TOKEN,
  type GitHubOptions,
  type GitHubServer,
  startGitHubServer,
} from '../../../helpers/github-server.js';
import type { FileTree } from '../../../helpers/github-state.js';
import { createFakeClock } from '../fake-clock.js';

const signal = new AbortController().signal;
const REPO = 'octocat/hello';
const BRANCH = 'axe-memory';

/** A repository with a first commit and, if files are given, memory. */
async function start(options: GitHubOptions = {}, memory?: FileTree): Promise<GitHubServer> {
  const github = await startGitHubServer(options);
  github.addRepo(REPO, { contents: 'write' });
  github.commit(REPO, { 'README.md': '# Hello\n' });
  if (memory !== undefined) github.commit(REPO, memory, { branch: BRANCH });
  return github;
}

async function connect(github: GitHubServer, name = 'hello'): Promise<MemoryBranch> {
  const client = await createGitHubClient({
    token: GITHUB_TOKEN,
    apiUrl: github.env.GITHUB_API_URL,
    graphqlUrl: github.env.GITHUB_GRAPHQL_URL,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/test',
    clock: createFakeClock(),
  });
  const serverUrl = 'https://github.com';
  return createMemoryBranch(client, { owner: 'octocat', name, branch: BRANCH, serverUrl });
}

function found(read: BranchRead): Extract<BranchRead, { kind: 'found' }> {
  if (read.kind !== 'found') throw new Error(`not found: ${JSON.stringify(read)}`);
  return read;
}

function textAt(read: BranchRead, path: string): string {
  const file = found(read).files.get(path);
  return file?.kind === 'text' ? file.text : '';
}

const SERVERS: readonly { readonly name: string; readonly options: GitHubOptions }[] = [
  { name: 'github.com', options: {} },
  { name: 'an enterprise server', options: { isEnterprise: true } },
];

describe.each(SERVERS)('memory on a branch of $name, over the wire', ({ options }) => {
  it('C3 52: other files and the bytes of a hand-edited one stay unchanged', async () => {
    const latin1 = Buffer.from('# notes in café\r\n', 'latin1');
    const github = await start(options, {
      'mem/a.md': latin1,
      'mem/b.md': 'B',
      'run.sh': { executable: '#!/bin/sh\n' },
    });
    const branch = await connect(github);
    const read = await branch.read(['mem/a.md'], signal);
    const text = textAt(read, 'mem/a.md');
    expect(Buffer.from(encodeBytes(text))).toEqual(latin1);
    const change = { files: new Map([['mem/a.md', `${text}more\n`]]), message: 'axe: remember' };
    expect(await branch.commit(found(read).head, change, signal)).toMatchObject({ kind: 'committed' });
    const again = textAt(await branch.read(['mem/a.md'], signal), 'mem/a.md');
    expect(Buffer.from(encodeBytes(again))).toEqual(Buffer.concat([latin1, Buffer.from('more\n')]));
    expect(github.files(REPO, BRANCH)).toMatchObject({ 'mem/b.md': 'B', 'run.sh': '#!/bin/sh\n' });
  });

  it('the notes directly in a folder are read, and one is removed with the commit that writes another', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`p/notes/n${at}.md`, `note ${at}\n`]),
    );
    const github = await start(options, {
      ...notes,
      'p/notes/n1.bak': 'before',
      'p/notes/link.md': { link: '/etc/passwd' },
      'p/notes/deeper/x.md': 'x',
      'p/MEMORY.md': 'facts\n',
      'p/daily': 'a file in the place of a folder',
    });
    const branch = await connect(github);
    const read = found(await branch.read(['p/MEMORY.md', 'p/notes/', 'p/daily/', 'nowhere/'], signal));
    const texts = [...read.files].flatMap(([path, file]) =>
      file.kind === 'text' ? [[path, file.text]] : [],
    );
    expect(Object.fromEntries(texts)).toEqual({ ...notes, 'p/MEMORY.md': 'facts\n' });
    const refused = [...read.files].flatMap(([path, file]) => (file.kind === 'refused' ? [path] : []));
    expect(refused.sort()).toEqual(['p/daily/', 'p/notes/link.md']);
    const change = { files: new Map([['p/notes/n0.md', 'new']]), removed: ['p/notes/n1.md'], message: 'axe' };
    expect(await branch.commit(read.head, change, signal)).toMatchObject({ kind: 'committed' });
    const files = github.files(REPO, BRANCH);
    expect([files['p/notes/n0.md'], files['p/notes/n1.md'], files['p/notes/n2.md']]).toEqual([
      'new',
      undefined,
      'note 2\n',
    ]);
  });
});

describe('memory on a branch, over the wire', () => {
  it('C3 50: refuses links, submodules and folders, and everything below a link', async () => {
    const github = await start(
      {},
      {
        'a.md': { link: '/etc/passwd' },
        'b.md': { submodule: 'f'.repeat(40) },
        'c.md/d.md': 'D',
        e: { link: 'c.md' },
      },
    );
    const branch = await connect(github);
    const paths = ['a.md', 'b.md', 'c.md', 'e/d.md', 'missing.md'];
    expect(Object.fromEntries(found(await branch.read(paths, signal)).files)).toEqual({
      'a.md': { kind: 'refused', reason: 'it is a symbolic link' },
      'b.md': { kind: 'refused', reason: 'it is a submodule' },
      'c.md': { kind: 'refused', reason: 'it is a folder' },
      'e/d.md': { kind: 'refused', reason: '`e` is not a folder' },
    });
  });

  it('reads everything below a folder', async () => {
    const long = 'x'.repeat(1_100_000);
    const github = await start(
      {},
      {
        'mem/a.md': 'A',
        'mem/untrusted/a.md': Buffer.from([0xff, 0x0a]),
        'mem/a.md.bak': long,
        'mem/run.sh': '#!/bin/sh',
        'mem/link.md': { link: 'a.md' },
        'other.md': 'O',
      },
    );
    const branch = await connect(github);
    expect(Object.fromEntries(found(await branch.readAll('mem', signal)).files)).toEqual({
      'mem/a.md': { kind: 'text', text: 'A' },
      'mem/untrusted/a.md': { kind: 'text', text: '\uDCFF\n' },
      'mem/a.md.bak': { kind: 'text', text: long },
      'mem/run.sh': { kind: 'refused', reason: 'it is not a markdown file' },
      'mem/link.md': { kind: 'refused', reason: 'it is a symbolic link' },
    });
    const all = found(await branch.readAll('', signal));
    expect(all.files.get('other.md')).toEqual({ kind: 'text', text: 'O' });
    expect(all.head).toBe(github.repo(REPO).branches.get(BRANCH));
  });
});
