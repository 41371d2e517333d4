import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { GitHubClient } from '../../../src/github/client/client.js';
import { fetchArchive } from '../../../src/github/reading/archive.js';
import { blobSha } from '../../../src/github/reading/contents.js';
import { ARCHIVE_LIMITS } from '../../../src/lib/defaults.js';
import type { ToolParts } from '../../../src/run/built-in-tools.js';
import { createTools } from '../../../src/run/tools.js';
import { createCommitSources, createSubjectFiles } from '../../../src/tools/github/commit-files.js';
import { createGitHubReader } from '../../../src/tools/github/reader.js';
import { type Hello, NAME, sidesOf, startHello } from '../../github/hello-fixture.js';
import {
  createFakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';
import type { FileTree } from '../../helpers/github-state.js';
import { tarOf } from '../../helpers/tar.js';
import { pullRequest } from '../../helpers/triggers.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';

const TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const TARBALL = 'GET /repos/{owner}/{repo}/tarball/{ref}';
const SECRET = 'q7Zk2Pv9Xw4Lm8Rt3Ns6Bd1Fh5Jc0Gy';

/** More files than one request reads, so that the archive is fetched. */
const MANY: FileTree = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `src/part${index}.ts`,
    `export const n${index} = 1;\n`,
  ]),
);

interface Scene {
  readonly files?: FileTree;
  readonly isFork?: boolean;
  readonly secrets?: readonly string[];
  readonly patch?: (client: GitHubClient) => GitHubClient;
}

/** `github_search` over the wire, at a head with these files next to {@link MANY}. */
async function scene({ files = {}, isFork = false, secrets = [], patch = (c) => c }: Scene = {}) {
  const hello = await startHello();
  const headSha = hello.github.commit(NAME, { ...MANY, ...files }, { branch: 'topic' });
  const sides = sidesOf({ ...hello, headSha });
  return { ...hello, headSha, ...searching(patch(hello.client), { sides, isFork, secrets }) };
}

function searching(
  client: GitHubClient,
  {
    sides,
    isFork,
    secrets,
  }: { sides: ReturnType<typeof sidesOf>; isFork: boolean; secrets: readonly string[] },
) {
  const trigger = pullRequest({ ...sides, isFork });
  const sourceAt = createCommitSources(client, HELLO, noAbort());
  const open = async () => {
    const { tools } = await createTools(['github_search'], {
      github: createGitHubReader(client, trigger),
      sourceAt,
      clock: createFakeClock(),
      secrets,
    } as unknown as ToolParts);
    return async (input: object) => {
      const [tool] = tools;
      if (tool === undefined) throw new Error('there is no github_search');
      return await tool.execute(input, noAbort());
    };
  };
  return { open, subject: createSubjectFiles(client, trigger, sourceAt, noAbort()) };
}

const count = ({ github }: Hello, name: string) =>
  github.calls().filter((call) => call === name).length;

const withTree =
  (change: (body: object) => object) =>
  (client: GitHubClient): GitHubClient => ({
    ...client,
    async request(route, options) {
      const answer = await client.request(route, options);
      return route === TREE ? { body: change(answer.body as object) } : answer;
    },
  });

it('finds lines of the head with their numbers, which count as shown, and says what was searched', async () => {
  const stage = await scene({ files: { 'lib/auth.ts': 'one\r\n  check(token);\r\n' } });
  const search = await stage.open();
  expect(await search({ text: 'check(' })).toEqual({
    text: '<third-party-text source="lines of the head">\nlib/auth.ts:2:   check(token);\n</third-party-text>\n[searched the 41 text files of the head]',
    isError: false,
    strangers: undefined,
    shown: [{ path: 'lib/auth.ts', side: 'RIGHT', firstLine: 2, lines: ['  check(token);'] }],
  });
  expect((await search({ text: 'CHECK(' })).text).toBe(
    '(nothing found in the 41 text files of the head)',
  );
  expect((await search({ text: 'CHECK(', ignore_case: true })).text).toContain('auth.ts:2:');
  expect((await search({ text: 'n1 =', glob: 'lib/**' })).text).toBe(
    '(nothing found in the 1 text file of the head that match the glob)',
  );
  expect((await search({ glob: 'auth.*' })).text).toContain('\nlib/auth.ts\n');
  expect((await search({ text: 'two', ref: 'base' })).shown).toEqual([
    { path: 'src/a.ts', side: 'LEFT', firstLine: 2, lines: ['two'] },
  ]);
});

it('two verifiers and a later search share one list and one archive, which gets no token', async () => {
  const stage = await scene();
  const searches = await Promise.all([stage.open(), stage.open()]);
  await Promise.all(searches.map((search) => search({ text: 'n7 ' })));
  await (await stage.open())({ text: 'n8 ' });
  await stage.subject.readAhead();
  expect([count(stage, TREE), count(stage, TARBALL)]).toEqual([1, 1]);
  expect(count(stage, 'POST /graphql repository')).toBe(0);
});

it('finds what the pull request’s own .gitattributes keep out of the archive or change in it', async () => {
  const attributes = 'hidden/** export-ignore\nversion.ts export-subst\n';
  const stage = await scene({
    files: {
      '.gitattributes': attributes,
      'hidden/fault.ts': 'eval(input);\n',
      'version.ts': 'const commit = "$Format:%H$";\n',
    },
  });
  const search = await stage.open();
  expect((await search({ text: 'eval(' })).text).toContain('\nhidden/fault.ts:1: eval(input);\n');
  expect((await search({ text: '$Format' })).text).toContain('\nversion.ts:1: ');
  expect((await search({ text: stage.headSha })).text).toMatch(/^\(nothing found in /);
  expect([count(stage, TARBALL), count(stage, 'POST /graphql repository')]).toEqual([1, 1]);
});

it('reads a fork’s head, which is a stranger’s, though no tool may change its files', async () => {
  const stage = await scene({ isFork: true });
  const found = await (await stage.open())({ text: 'n7 ' });
  expect(found.strangers).toBe('commits of a fork');
  await expect(stage.subject.list()).rejects.toThrow('anyone may have made this commit');
});

it('says what it did not search: larger files, and what GitHub does not list', async () => {
  const large = `${'x'.repeat(1024 * 1024)}needle\n`;
  const stage = await scene({
    files: { 'data/large.csv': large },
    patch: withTree((body) => ({ ...body, truncated: true })),
  });
  const { text } = await (await stage.open())({ text: 'needle' });
  expect(text).toBe(
    '(nothing found in the 40 text files of the head; 1 larger one was not searched; GitHub lists only a part of its files, and the rest was not searched)',
  );
  await expect(stage.subject.list()).rejects.toThrow('check it out');
});

it('says what could not be read, after one request that failed', async () => {
  let requests = 0;
  const patch = (client: GitHubClient): GitHubClient => ({
    ...client,
    download: async () => (async function* () {})(),
    graphql: async () => {
      requests += 1;
      throw failure(500);
    },
  });
  const stage = await scene({ patch });
  const { text } = await (await stage.open())({ text: 'n7 ' });
  expect(text).toBe('(nothing found in the 0 text files of the head; 40 could not be read)');
  expect(requests).toBe(2);
});

it('hides secrets before it searches, and compares ids before it hides', async () => {
  const stage = await scene({ files: { 'a.ts': `call("${SECRET}");\n` }, secrets: [SECRET] });
  const search = await stage.open();
  expect((await search({ text: SECRET.slice(0, 12) })).text).toMatch(/^\(nothing found in /);
  expect((await search({ text: 'call(' })).text).toContain('a.ts:1: call("***");');
  expect(count(stage, 'POST /graphql repository')).toBe(0);
});

it.each([
  [{}, 'give `text`, `glob`, or both'],
  [{ text: '' }, '`text` is part of one line: it cannot be empty or contain a line break'],
  [{ text: 'x', ref: 'main' }, '`ref` must be one of `head`, `base`, not "main"'],
])('refuses %j', async (input, text) => {
  const stage = await scene();
  expect(await (await stage.open())(input)).toEqual({ text, isError: true });
});

describe('an archive', () => {
  const texts = ['one\n', 'two\n', `three\n${'3'.repeat(2000)}`].map((text) => Buffer.from(text));
  const ids = new Set(texts.map(blobSha));
  const packed = gzipSync(tarOf(texts.map((bytes, index) => ({ path: `top/${index}`, bytes }))), {
    level: 0,
  });

  async function contentsOf(chunks: readonly Uint8Array[], limits: object = {}) {
    const client = createFakeGitHubClient({
      [TARBALL]: () =>
        (async function* () {
          yield* chunks;
        })(),
    });
    const place = { client, repository: HELLO, ref: 'abc' };
    const all = { ...ARCHIVE_LIMITS, ...limits };
    const contents = await fetchArchive(place, (sha) => ids.has(sha), noAbort(), all);
    return [...contents.values()].map((bytes) => `${bytes}`.slice(0, 3));
  }

  it.each([
    ['whole', [packed], {}, ['one', 'two', 'thr']],
    ['in single bytes', [...packed].map((byte) => Buffer.of(byte)), {}, ['one', 'two', 'thr']],
    ['cut in the last file', [packed.subarray(0, 4000)], {}, ['one', 'two']],
    ['cut in its header', [packed.subarray(0, 5)], {}, []],
    ['empty', [], {}, []],
    ['not packed', [Buffer.from('<html>Not found</html>')], {}, []],
    ['packed, but no tar', [gzipSync('<html>Not found</html>'.repeat(100))], {}, []],
    [
      'larger than the limit packed',
      [packed.subarray(0, 3000), packed.subarray(3000)],
      { packedBytes: 3100 },
      ['one', 'two'],
    ],
    ['larger than the limit unpacked', [packed], { unpackedBytes: 100 }, []],
    ['with more text than the limit', [packed], { textBytes: 8 }, ['one', 'two']],
    ['with a file over the limit', [packed], { fileBytes: 100 }, ['one', 'two']],
  ])('that is %s gives the files that are whole', async (_, chunks, limits, expected) => {
    expect(await contentsOf(chunks, limits)).toEqual(expected);
  });

  it('counts only for contents that the tree names', async () => {
    const forged = gzipSync(tarOf([{ path: 'top/0', bytes: Buffer.from('forged\n') }]));
    expect(await contentsOf([forged])).toEqual([]);
  });
});
