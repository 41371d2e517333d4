import { describe, expect, it } from '@jest/globals';
import { noAbort, type SeenRequest } from '../../../helpers/github-client-fake.js';
import { blobAnswer, blobId, branchWith, fileEntry, HEAD, repositoryAt } from './memory-branch-fixture.js';

const TREES = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const BLOBS = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const FOLDER = 'e'.repeat(40);

/** A branch with one folder's listing; contents are known by their ids. */
function branchOf(
  listing: readonly Record<string, unknown>[],
  { contents = [], truncated = false }: { contents?: readonly string[]; truncated?: boolean } = {},
) {
  const byId = new Map(contents.map((content) => [blobId(content), content]));
  const entries = { mem: { type: 'tree', mode: 0o40000, oid: FOLDER, size: 0 } };
  const texts = ({ params }: SeenRequest) => {
    const asked = Object.entries(params).filter(([name]) => /^file\d+$/.test(name));
    const fields = asked.map(([name, oid]) => [name, { text: byId.get(String(oid)) ?? null }]);
    return { repository: Object.fromEntries(fields) };
  };
  return branchWith({
    query: (request) => ('ref' in request.params ? repositoryAt(HEAD, { entries })(request) : texts(request)),
    [TREES]: () => ({ truncated, tree: listing }),
    [BLOBS]: ({ params }) => blobAnswer(byId.get(String(params['file_sha'])) ?? ''),
  });
}

function listed(path: string, content: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { path, mode: '100644', type: 'blob', sha: blobId(content), size: content.length, ...more };
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
    expect(client.requests.map(({ route }) => route)).toEqual([
      'graphql',
      TREES,
      'graphql',
      'graphql',
      'graphql',
    ]);
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
    expect(await branch.readAll('mem', noAbort())).toMatchObject({
      files: new Map([['mem/big.md', 'B']]),
      left: ['mem/small.md'],
    });
  });

  it('finds nothing in a folder that does not exist, and refuses one that is a file', async () => {
    const missing = branchWith({ query: repositoryAt(HEAD) });
    expect(await missing.branch.readAll('mem', noAbort())).toMatchObject({ kind: 'found', files: new Map() });
    const entries = { mem: fileEntry('x') };
    const file = branchWith({ query: repositoryAt(HEAD, { entries }) });
    expect(await file.branch.readAll('mem', noAbort())).toMatchObject({
      refused: new Map([['mem', 'it is not a folder']]),
    });
  });

  it('fails instead of treating a part as the whole', async () => {
    const { branch } = branchOf([listed('a.md', 'A')], { truncated: true });
    expect(await branch.readAll('', noAbort())).toMatchObject({
      kind: 'failed',
      reason: 'error',
      message: expect.stringContaining('`/` of octocat/hello@axe-memory holds more files than GitHub lists'),
      remedy: 'Give memory a folder of its own with `memory-path`.',
    });
  });
});
