import { expect, it } from '@jest/globals';
import { readPathAt, resolveCommit } from '../../../src/github/reading/contents.js';
import { createFakeGitHubClient, HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { type Hello, NAME, startHello } from '../hello-fixture.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';

async function read({ client }: Pick<Hello, 'client'>, path: string, maxBytes = 100) {
  return await readPathAt(
    { client, repository: HELLO, ref: 'main' },
    { path, maxBytes },
    noAbort(),
  );
}

it.each<[string, object]>([
  ['/a.toml', { kind: 'file', bytes: new TextEncoder().encode('name = "ä"\n') }],
  ['/empty.toml', { kind: 'file', bytes: new Uint8Array() }],
  ['/latin.toml', { kind: 'file', bytes: new Uint8Array([0x61, 0xe4]) }],
  ['/none.toml', { kind: 'missing' }],
  ['', { kind: 'folder', names: ['a.toml', 'empty.toml', 'latin.toml'] }],
])('a file is read byte for byte: %s', async (name, found) => {
  const hello = await startHello();
  hello.github.commit(NAME, {
    'axe/agents/a.toml': 'name = "ä"\n',
    'axe/agents/empty.toml': '',
    'axe/agents/latin.toml': Buffer.from([0x61, 0xe4]),
  });
  expect(await read(hello, `axe/agents${name}`)).toMatchObject(found);
});

it('C3 50: a file of more than 1 MB is read whole, unless that is over the limit', async () => {
  const hello = await startHello();
  const large = 'é'.repeat(600_000);
  hello.github.commit(NAME, { 'large.md': large });
  const bytes = new TextEncoder().encode(large);
  expect(await read(hello, 'large.md', 1e9)).toEqual({ kind: 'file', path: 'large.md', bytes });
  const reason = 'it has 1,200,000 bytes; the limit is 1,000';
  expect(await read(hello, 'large.md', 1000)).toEqual({ kind: 'refused', reason });
  expect(hello.github.calls()).toEqual([CONTENTS, BLOB, CONTENTS]);
});

it.each([[null], ['<html>'], [[]], [{}]])('a path is refused for the answer %j', async (body) => {
  const client = createFakeGitHubClient({ [CONTENTS]: () => body });
  expect(await read({ client }, 'a')).toMatchObject({
    reason: expect.stringContaining('not understood'),
  });
});

it('a branch or a sha resolves to its commit', async () => {
  const { client, headSha } = await startHello();
  for (const ref of ['topic', headSha]) {
    expect(await resolveCommit({ client, repository: HELLO, ref }, noAbort())).toBe(headSha);
  }
});

it('a missing ref is distinguished from a missing repository', async () => {
  const { client } = await startHello();
  const resolve = (name: string, ref: string) =>
    resolveCommit({ client, repository: { ...HELLO, name }, ref }, noAbort());
  await expect(resolve('hello', 'v9')).rejects.toMatchObject({ reason: 'invalid' });
  await expect(resolve('nothing', 'main')).rejects.toMatchObject({ reason: 'missing' });
});
