import { expect, it } from '@jest/globals';
import { listFolderAt, readPathAt } from '../../../src/github/reading/contents.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { NAME, startHello } from '../hello-fixture.js';

it.each([
  ['a.toml', { kind: 'file', bytes: new TextEncoder().encode('name = "ä"\n') }],
  ['empty.toml', { kind: 'file', bytes: new Uint8Array() }],
  ['latin.toml', { kind: 'file', bytes: new Uint8Array([0x61, 0xe4]) }],
  ['long.toml', { kind: 'refused', reason: 'it has 101 bytes; the limit is 100' }],
  ['none.toml', { kind: 'missing' }],
])('a file is read byte for byte: %s', async (name, found) => {
  const { client, github } = await startHello();
  github.commit(NAME, {
    'axe/agents/a.toml': 'name = "ä"\n',
    'axe/agents/empty.toml': '',
    'axe/agents/latin.toml': Buffer.from([0x61, 0xe4]),
    'axe/agents/long.toml': 'x'.repeat(101),
  });
  const place = { client, repository: HELLO, ref: 'main' };
  const file = { path: `axe/agents/${name}`, maxBytes: 100 };
  expect(await readPathAt(place, file, noAbort())).toMatchObject(found);
  expect(await listFolderAt(place, '.axe/agents', noAbort())).toEqual([]);
});
