import { describe, expect, it } from '@jest/globals';
import { encodeBytes } from '../../../../src/lib/text/bytes.js';
import { type Answer, noAbort, type SeenRequest } from '../../../helpers/github-client-fake.js';
import {
  blobAnswer,
  blobId,
  branchWith,
  drops,
  fileEntry,
  HEAD,
  refuses,
  refusesQuery,
  repositoryAt,
} from './memory-branch-fixture.js';

const BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const EMPTY = {
  kind: 'found',
  head: HEAD,
  isPublic: true,
  files: new Map(),
  refused: new Map(),
  left: [],
};
const folder = (oid: string) => ({ type: 'tree', mode: 0o40000, oid, size: 0 });
const denied = (remedy: RegExp) => ({ reason: 'denied', remedy: expect.stringMatching(remedy) });
const unavailable = (text: string) => ({
  reason: 'unavailable',
  message: expect.stringContaining(text),
});
const INVALID = Uint8Array.of(0x23, 0x20, 0xe9, 0x0a);

describe('reading a branch', () => {
  it('uses one query, with the paths as variables', async () => {
    const entries = { mem: folder(HEAD), 'mem/a.md': fileEntry('# a\n') };
    const { branch, client } = branchWith({ query: repositoryAt(HEAD, { entries }) });
    const files = new Map([['mem/a.md', '# a\n']]);
    expect(await branch.read(['mem/a.md', 'mem/b.md'], noAbort())).toEqual({ ...EMPTY, files });
    const paths = { p0: 'mem/a.md', p1: 'mem', p2: 'mem/b.md' };
    expect(client.requests.map(({ params }) => params)).toEqual([
      { owner: 'octocat', name: 'hello', ref: 'refs/heads/axe-memory', ...paths },
    ]);
  });

  it('distinguishes a missing branch from an empty one, and a private repository from a public one', async () => {
    const missing = branchWith({ query: repositoryAt(undefined, { isPrivate: true }) });
    expect(await missing.branch.read(['a.md'], noAbort())).toEqual({
      kind: 'missing',
      isPublic: false,
    });
    const empty = branchWith({ query: repositoryAt(HEAD) });
    expect(await empty.branch.read([], noAbort())).toEqual(EMPTY);
  });

  it.each<[string, Answer, object, object?]>([
    [
      'a repository the token cannot see',
      () => ({ repository: null }),
      denied(/that can read octocat\/hello as `repositories-token`/),
      { isOwn: false, token: 'repositories-token' },
    ],
    ['an invalid token', refuses(401, 'Bad credentials'), denied(/check `github-token`/)],
    [
      'a missing permission',
      refusesQuery('Resource not accessible by integration', 'FORBIDDEN'),
      denied(/^Add `contents: read` under `permissions:` of the job/),
    ],
    [
      'C3 49: a secondary limit',
      refuses(403, 'a secondary rate limit', { 'retry-after': '7' }),
      { reason: 'rate-limited', retryAfterMs: 7000 },
    ],
    [
      'a failing server, which is called again',
      refuses(502),
      { reason: 'unavailable', retryAfterMs: 5000 },
    ],
    ['a broken connection', drops, unavailable('socket hang up')],
    [
      'an answer that is not understood',
      () => ({ repository: 7 }),
      unavailable('is not understood'),
    ],
  ])('reports for %s what was tried and what fixes it', async (_, query, trouble, place = {}) => {
    const { branch } = branchWith({ query }, place);
    const message = expect.stringMatching(/^reading octocat\/hello@axe-memory failed: /);
    expect(await branch.read(['a.md'], noAbort())).toMatchObject({
      kind: 'failed',
      message,
      ...trouble,
    });
    expect(await branch.readAll('', noAbort())).toMatchObject({
      kind: 'failed',
      message,
      ...trouble,
    });
  });
});

it.each([
  { name: 'cut', content: 'x'.repeat(600_000), text: 'x'.repeat(512_000) },
  { name: 'taken for binary', content: Uint8Array.of(0, 1, 0x0a), text: null },
  { name: 'guessed from another encoding', content: INVALID, text: '# é\n' },
  { name: 'without its byte order mark', content: '\uFEFF# a\n', text: '# a\n' },
])('C3 50: a text that is $name is fetched as bytes', async ({ content, text }) => {
  const entries = { 'a.md': fileEntry(content, { object: { text } }) };
  const query = repositoryAt(HEAD, { entries });
  const { branch, client } = branchWith({ query, [BLOB]: () => blobAnswer(content) });
  const read = await branch.read(['a.md'], noAbort());
  const file = (read.kind === 'found' && read.files.get('a.md')) || '';
  expect(Buffer.from(encodeBytes(file))).toEqual(Buffer.from(content));
  expect(client.requests[1]?.params['file_sha']).toBe(blobId(content));
});

it('C3 50: a pointer of Git LFS is refused', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
  const { branch } = branchWith({
    query: repositoryAt(HEAD, { entries: { 'a.md': fileEntry(pointer) } }),
  });
  const refused = new Map([['a.md', 'its content is in Git LFS']]);
  expect(await branch.read(['a.md'], noAbort())).toMatchObject({ files: new Map(), refused });
});

it.each([
  ['a.md', 'an unknown kind', { mode: 0 }, 'it is not a regular file'],
  ['a.md', 'a symbolic link', { mode: 0o120000 }, 'it is not a regular file'],
  ['a.md', 'a submodule', { type: 'commit' }, 'it is not a regular file'],
  ['a.md', 'a folder', { type: 'tree' }, 'it is not a regular file'],
  ['e', 'a symbolic link above it', { mode: 0o120000 }, '`e` is not a folder'],
])('C3 50: what is at %s is refused without reading it: %s', async (at, _, entry, reason) => {
  const path = at === 'e' ? 'e/d.md' : at;
  const { branch } = branchWith({
    query: repositoryAt(HEAD, { entries: { [at]: fileEntry('x', entry) } }),
  });
  const refused = new Map([[path, reason]]);
  expect(await branch.read([path], noAbort())).toMatchObject({ files: new Map(), refused });
});

it('the files directly in a folder are read, and what is in the place of a folder blocks it', async () => {
  const listed = (name: string, mode = 0o100644, type = 'blob') => {
    return { name, type, mode, oid: blobId(name), size: name.length };
  };
  const children = [
    listed('a.md'),
    listed('a.bak'),
    listed('l.md', 0o120000),
    listed('b', 0o40000, 'tree'),
  ];
  const notes = { ...folder(HEAD), object: { entries: children } };
  const entries = { 'p/notes': notes, 'p/daily': fileEntry('x') };
  const { branch } = branchWith({
    query: (request) =>
      'ref' in request.params
        ? repositoryAt(HEAD, { entries })(request)
        : { repository: { file0: { text: 'a.md' } } },
  });
  expect(await branch.read(['p/notes/', 'p/daily/', 'nowhere/'], noAbort())).toMatchObject({
    files: new Map([['p/notes/a.md', 'a.md']]),
    refused: new Map([
      ['p/daily/', '`p/daily` is not a folder'],
      ['p/notes/l.md', 'it is not a regular file'],
    ]),
  });
});

const TREES = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const BLOBS = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';

/** A branch with one folder's listing; contents are known by their ids. */
function branchOf(
  listing: readonly Record<string, unknown>[],
  { contents = [], truncated = false }: { contents?: readonly string[]; truncated?: boolean } = {},
) {
  const byId = new Map(contents.map((content) => [blobId(content), content]));
  const entries = { mem: folder('e'.repeat(40)) };
  const texts = ({ params }: SeenRequest) => {
    const asked = Object.entries(params).filter(([name]) => /^file\d+$/.test(name));
    const fields = asked.map(([name, oid]) => [name, { text: byId.get(String(oid)) ?? null }]);
    return { repository: Object.fromEntries(fields) };
  };
  return branchWith({
    query: (request) =>
      'ref' in request.params ? repositoryAt(HEAD, { entries })(request) : texts(request),
    [TREES]: () => ({ truncated, tree: listing }),
    [BLOBS]: ({ params }) => blobAnswer(byId.get(String(params['file_sha'])) ?? ''),
  });
}

function listed(
  path: string,
  content: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    path,
    mode: '100644',
    type: 'blob',
    sha: blobId(content),
    size: content.length,
    ...more,
  };
}

describe('reading a whole branch', () => {
  it('requests fifty files at a time, and each content once', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `f${index}.md`);
    const contents = names.map((name, index) => (index < 3 ? 'same' : name));
    const listing = names.map((name, index) => listed(name, contents[index] ?? ''));
    const { branch, client } = branchOf(listing, { contents });
    const read = await branch.readAll('mem', noAbort());
    expect(read.kind === 'found' && read.files).toEqual(
      new Map(names.map((name, index) => [`mem/${name}`, contents[index]])),
    );
    const routes = ['graphql', TREES, 'graphql', 'graphql', 'graphql'];
    expect(client.requests.map(({ route }) => route)).toEqual(routes);
  });

  it('reads at most a thousand files', async () => {
    const listing = Array.from({ length: 1001 }, (_, index) => listed(`f${index}.md`, 'A'));
    const { branch } = branchOf(listing, { contents: ['A'] });
    const read = await branch.readAll('mem', noAbort());
    if (read.kind !== 'found') throw new Error(read.kind);
    expect(read.files.size).toBe(1000);
    expect(read.left).toHaveLength(1);
    const reason = 'the folder holds more than 1000 files or 8 MiB';
    expect([...read.refused]).toEqual([[read.left[0], reason]]);
  });

  it('reads at most 8 MiB', async () => {
    const listing = [listed('big.md', 'B', { size: 8 * 1024 * 1024 }), listed('small.md', 'A')];
    const { branch } = branchOf(listing, { contents: ['A', 'B'] });
    const told = { files: new Map([['mem/big.md', 'B']]), left: ['mem/small.md'] };
    expect(await branch.readAll('mem', noAbort())).toMatchObject(told);
  });

  it('finds nothing in a folder that does not exist, and refuses one that is a file', async () => {
    const missing = branchWith({ query: repositoryAt(HEAD) });
    expect(await missing.branch.readAll('mem', noAbort())).toMatchObject({
      kind: 'found',
      files: new Map(),
    });
    const entries = { mem: fileEntry('x') };
    const file = branchWith({ query: repositoryAt(HEAD, { entries }) });
    const refused = new Map([['mem', 'it is not a folder']]);
    expect(await file.branch.readAll('mem', noAbort())).toMatchObject({ refused });
  });

  it('fails instead of treating a part as the whole', async () => {
    const { branch } = branchOf([listed('a.md', 'A')], { truncated: true });
    expect(await branch.readAll('', noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'error',
      message: expect.stringContaining(
        '`/` of octocat/hello@axe-memory holds more files than GitHub lists',
      ),
      remedy: 'Give memory a folder of its own with `memory-path`.',
    });
  });
});
