import { expect, it } from '@jest/globals';
import { listFolderAt, type RefPlace, readPathAt } from '../../../../src/adapters/github/reading/contents.js';
import { HELLO, noAbort } from '../../../helpers/github-client-fake.js';
import { deniedQuery, NAME, startHello } from '../hello-fixture.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const QUERY = 'POST /graphql repository';
const LIMIT = { maxBytes: 100 };

/** Agents on the default branch, as a branch and as the commit that it leads to. */
async function startAgents() {
  const hello = await startHello();
  const sha = hello.github.commit(NAME, {
    'axe/agents/a.toml': 'name = "ä"\n',
    'axe/agents/empty.toml': '',
    'axe/agents/latin.toml': Buffer.from([0x61, 0xe4]),
    'axe/agents/binary.toml': Buffer.from([0, 1, 2]),
    'axe/agents/long.toml': 'x'.repeat(101),
  });
  const place = { client: hello.client, repository: HELLO };
  const places: readonly RefPlace[] = [
    { ...place, ref: 'main', kind: 'branch' },
    { ...place, ref: sha, kind: 'commit' },
  ];
  return { ...hello, place, places };
}

it.each(['a.toml', 'empty.toml', 'latin.toml', 'binary.toml', 'long.toml', 'none.toml'])(
  'reads the same from both of GitHub’s APIs: %s',
  async (name) => {
    const { github, place, places } = await startAgents();
    const file = { path: `axe/agents/${name}`, ...LIMIT };
    const byRest = await readPathAt({ ...place, ref: 'main' }, file, noAbort());
    expect(github.calls()).toEqual([CONTENTS]);
    for (const one of places) expect(await readPathAt(one, file, noAbort())).toEqual(byRest);
    github.fail(deniedQuery('isTruncated'));
    for (const one of places) expect(await readPathAt(one, file, noAbort())).toEqual(byRest);
  },
);

it.each([
  ['a text', 'a.toml', [QUERY]],
  ['nothing', 'none.toml', [QUERY]],
  ['a file that is too long', 'long.toml', [QUERY]],
  ['a text in another encoding, which GraphQL converts', 'latin.toml', [QUERY, CONTENTS]],
])('asks the REST API only for what GraphQL does not give byte for byte: %s', async (_, name, calls) => {
  const { github, places } = await startAgents();
  for (const place of places) {
    const before = github.calls().length;
    await readPathAt(place, { path: `axe/agents/${name}`, ...LIMIT }, noAbort());
    expect(github.calls().slice(before)).toEqual(calls);
  }
});

it('reads several files of a ref in one request', async () => {
  const { github, places } = await startAgents();
  const [branch] = places;
  if (branch === undefined) throw new Error('there is no branch');
  const signal = noAbort();
  const [file, missing, names] = await Promise.all([
    readPathAt(branch, { path: 'axe/agents/a.toml', ...LIMIT }, signal),
    readPathAt(branch, { path: '.axe/agents/a.toml', ...LIMIT }, signal),
    listFolderAt(branch, 'axe/agents', signal),
  ]);
  expect([file.kind, missing.kind, names.length]).toEqual(['file', 'missing', 5]);
  expect(github.calls()).toEqual([QUERY]);
});

it('lists no folder that is not there', async () => {
  const { places } = await startAgents();
  for (const place of places) expect(await listFolderAt(place, '.axe/agents', noAbort())).toEqual([]);
});

it('asks the REST API for a name that is no branch', async () => {
  const { github, repo, place, headSha } = await startAgents();
  repo.tags.set('v1', headSha);
  await readPathAt({ ...place, ref: 'v1', kind: 'branch' }, { path: 'src/a.ts', ...LIMIT }, noAbort());
  expect(github.calls()).toEqual([QUERY, CONTENTS]);
});
