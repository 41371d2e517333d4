import { expect, it } from '@jest/globals';
import { readPathAt, resolveCommit } from '../../../src/github/reading/contents.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { NAME, startHello } from '../hello-fixture.js';

it.each<[string, object]>([
  ['a.toml', { kind: 'file', bytes: new TextEncoder().encode('name = "ä"\n') }],
  ['empty.toml', { kind: 'file', bytes: new Uint8Array() }],
  ['latin.toml', { kind: 'file', bytes: new Uint8Array([0x61, 0xe4]) }],
  ['long.toml', { kind: 'refused', reason: 'it has 101 bytes; the limit is 100' }],
  ['none.toml', { kind: 'missing' }],
  ['', { kind: 'folder', names: ['a.toml', 'empty.toml', 'latin.toml', 'long.toml'] }],
])('a file is read byte for byte: %s', async (name, found) => {
  const { client, github } = await startHello();
  github.commit(NAME, {
    'axe/agents/a.toml': 'name = "ä"\n',
    'axe/agents/empty.toml': '',
    'axe/agents/latin.toml': Buffer.from([0x61, 0xe4]),
    'axe/agents/long.toml': 'x'.repeat(101),
  });
  const place = { client, repository: HELLO, ref: 'main' };
  const file = { path: `axe/agents/${name}`.replace(/\/$/, ''), maxBytes: 100 };
  expect(await readPathAt(place, file, noAbort())).toMatchObject(found);
});

it('a branch or a sha resolves to its commit', async () => {
  const { client, headSha } = await startHello();
  for (const ref of ['topic', headSha]) {
    expect(await resolveCommit({ client, repository: HELLO, ref }, noAbort())).toBe(headSha);
  }
});

it('a missing ref is distinguished from a missing repository', async () => {
  const { client } = await startHello();
  await expect(resolveCommit({ client, repository: HELLO, ref: 'v9' }, noAbort())).rejects.toMatchObject({
    reason: 'invalid',
  });
  const repository = { ...HELLO, name: 'nothing' };
  await expect(resolveCommit({ client, repository, ref: 'main' }, noAbort())).rejects.toMatchObject({
    reason: 'missing',
  });
});
