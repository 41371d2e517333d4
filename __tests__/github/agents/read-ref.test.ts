import { describe, expect, it } from '@jest/globals';
import { createAgentLoader } from '../../../src/agent/loader.js';
import { refPlace } from '../../../src/github/agents/read-ref.js';
import { readPathAt } from '../../../src/github/reading/contents.js';
import { MAX_AGENT_BYTES } from '../../../src/lib/defaults.js';
import { CREDENTIAL_FILES, HARMLESS_FILES } from '../../helpers/credential-files.js';
import {
  createFakeGitHubClient,
  type FakeGitHubClient,
  failure,
  HELLO,
  noAbort,
} from '../../helpers/github-client-fake.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const BLOB = 'GET /repos/{owner}/{repo}/git/blobs/{file_sha}';
const TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const REF = 'b'.repeat(40);
const AGENT = 'name = "bot"\nmodel = "anthropic/claude-sonnet-4-5"\n';

/** A file's bytes or text, or something that is not a file. */
type Entry = string | Uint8Array | { readonly type: 'symlink' | 'submodule' };

type Payload = Readonly<Record<string, unknown>>;

/** The largest file whose content the contents API sends itself. */
const INLINE_BYTES = 1024 * 1024;

/** A repository at one ref. */
function repository(
  files: Readonly<Record<string, Entry>>,
  options: { truncated?: boolean } = {},
): FakeGitHubClient {
  const entries = new Map(Object.entries(files));
  return createFakeGitHubClient({
    [CONTENTS]: ({ params }) => {
      if (params['ref'] !== REF) throw failure(404, CONTENTS);
      return contentsAnswer(entries, String(params['path']));
    },
    [BLOB]: ({ params }) => {
      const entry = entries.get(String(params['file_sha']).replace(/^sha:/, ''));
      if (entry === undefined) throw failure(404, BLOB);
      return { encoding: 'base64', content: base64(entry) };
    },
    [TREE]: () => ({
      truncated: options.truncated ?? false,
      tree: [
        { path: 'src', mode: '040000', type: 'tree', sha: 'sha:src' },
        ...[...entries].map(([path, entry]) => {
          const size = bytesOf(entry).length;
          return { path, mode: modeOf(entry), type: 'blob', sha: `sha:${path}`, size };
        }),
      ],
    }),
  });
}

function contentsAnswer(entries: ReadonlyMap<string, Entry>, path: string): Payload {
  const entry = entries.get(path);
  if (entry === undefined) return folderAnswer(entries, path);
  if (typeof entry === 'object' && 'type' in entry) return { type: entry.type, size: 10, sha: 's' };
  const { length: size } = bytesOf(entry);
  const isInline = size <= INLINE_BYTES;
  const content = isInline ? base64(entry) : '';
  return { type: 'file', size, sha: `sha:${path}`, encoding: isInline ? 'base64' : 'none', content };
}

function folderAnswer(entries: ReadonlyMap<string, Entry>, folder: string): Payload {
  const inside = [...entries.keys()].filter((path) => path.startsWith(`${folder}/`));
  if (inside.length === 0) throw failure(404, CONTENTS);
  return { type: 'dir', entries: inside.map((path) => ({ name: path.slice(folder.length + 1) })) };
}

function bytesOf(entry: Entry): Uint8Array {
  if (typeof entry === 'string') return new TextEncoder().encode(entry);
  return entry instanceof Uint8Array ? entry : new Uint8Array();
}

/** As GitHub sends it, in lines. */
function base64(entry: Entry): string {
  return Buffer.from(bytesOf(entry)).toString('base64').replace(/.{60}/g, '$&\n');
}

function modeOf(entry: Entry): string {
  if (typeof entry === 'object' && 'type' in entry) return entry.type === 'symlink' ? '120000' : '160000';
  return '100644';
}

function library(
  client: FakeGitHubClient,
  dirs: readonly string[] = ['axe/agents', '.axe/agents'],
  memoryRoots: readonly string[] = [],
) {
  const workspace = '/home/runner/work/hello/hello';
  const signal = noAbort();
  const place = refPlace({ client, memoryRoots, repository: HELLO, ref: REF, dirs, signal, workspace });
  return createAgentLoader([place]);
}

describe('loading an agent', () => {
  it('reads it at the ref and reports where it was found', async () => {
    const client = repository({ 'axe/agents/bot.toml': AGENT });
    const agent = await library(client).loadAgent('bot');
    const config = { name: 'bot', model: 'anthropic/claude-sonnet-4-5' };
    const path = 'axe/agents/bot.toml';
    expect(agent).toMatchObject({ name: 'bot', config, source: `octocat/hello@bbbbbbb:${path}` });
    expect(client.requests[0]?.params).toEqual({ owner: 'octocat', repo: 'hello', path, ref: REF });
  });

  it.each(['./bots/review.toml', 'bots/review.toml', '/home/runner/work/hello/hello/bots/review.toml'])(
    'accepts a path: %s',
    async (name) => {
      const agent = await library(repository({ 'bots/review.toml': AGENT })).loadAgent(name);
      expect(agent).toMatchObject({ name, source: 'octocat/hello@bbbbbbb:bots/review.toml' });
    },
  );

  it('lists the existing agents if it is missing', async () => {
    const files = {
      'axe/agents/review.toml': AGENT,
      'axe/agents/notes.md': '',
      '.axe/agents/chores.toml': '',
    };
    await expect(library(repository(files)).loadAgent('bot')).rejects.toMatchObject({
      name: 'ConfigError',
      exitCode: 2,
      message: 'agent config not found: bot',
      remedy: expect.stringMatching(
        /^There are: `chores`, `review`, .* Searched in `axe\/agents` and `.axe\/agents` of octocat\/hello@bbbbbbb\.$/,
      ),
    });
  });

  it.each(['../outside.toml', '/etc/agents/a.toml', 'a\\b.toml'])('refuses the name %s', async (name) => {
    const message = expect.stringContaining('is not in the repository');
    const refusal = { name: 'ConfigError', message };
    await expect(library(repository({})).loadAgent(name)).rejects.toMatchObject(refusal);
  });

  it.each([
    ['a link', { type: 'symlink' } as const, 'it is a symlink, not a file'],
    ['a file that is too large', 'x'.repeat(MAX_AGENT_BYTES + 1), 'the limit is 262,144'],
  ])('refuses %s', async (_, entry, text) => {
    const loading = library(repository({ 'axe/agents/bot.toml': entry })).loadAgent('bot');
    const message = expect.stringContaining(text);
    await expect(loading).rejects.toMatchObject({ message, at: { file: 'axe/agents/bot.toml' } });
  });

  it('does not treat an error as a missing agent', async () => {
    const client = createFakeGitHubClient({
      [CONTENTS]: () => {
        throw failure(403, CONTENTS);
      },
    });
    await expect(library(client).loadAgent('bot')).rejects.toMatchObject({ reason: 'denied' });
  });
});

describe('loading a skill', () => {
  it.each([
    ['skills/review/SKILL.md', { 'axe/skills/review/SKILL.md': 'Be kind.' }],
    ['./skills/review/SKILL.md', { '.axe/skills/review/SKILL.md': 'Be kind.' }],
    ['review', { 'axe/skills/review/SKILL.md': 'Be kind.' }],
    ['review', { '.axe/skills/review/SKILL.md': 'Be kind.' }],
    ['SKILL.md', { 'axe/SKILL.md': 'Be kind.' }],
  ])('finds %s', async (path, files) => {
    expect(await library(repository(files)).loadSkill(path)).toBe('Be kind.');
  });

  it('C6 82: refuses a link', async () => {
    const client = repository({ 'axe/skills/review/SKILL.md': { type: 'symlink' } });
    await expect(library(client).loadSkill('review')).rejects.toThrow('it is a symlink, not a file');
  });

  it.each(['../secret.md', '/proc/self/environ'])('C1 10: refuses %s', async (path) => {
    await expect(library(repository({})).loadSkill(path)).rejects.toMatchObject({ name: 'ConfigError' });
  });

  it('refuses memory, by its name and where a link leads there (D47)', async () => {
    const answer = { type: 'file', path: 'docs/mem/a.md', encoding: 'base64', content: base64('ours') };
    const client = createFakeGitHubClient({ [CONTENTS]: () => answer });
    for (const path of ['docs/mem/a.md', 'docs/link.md']) {
      const skill = library(client, ['docs/agents'], ['docs/mem']).loadSkill(path.replace('docs/', ''));
      await expect(skill).rejects.toThrow('is out of bounds: memory is kept there');
    }
  });
});

describe('loading context files', () => {
  const files = { 'README.md': '# Hi\r\n', 'src/b.ts': 'b', 'src/a.ts': 'a', 'docs/x.md': 'x' };

  it('reads matching files, byte for byte and in order', async () => {
    const result = await library(repository(files)).loadContextFiles(['src/*.ts', 'README.md'], '.');
    expect(result).toEqual({
      files: [
        { path: 'README.md', content: '# Hi\r\n' },
        { path: 'src/a.ts', content: 'a' },
        { path: 'src/b.ts', content: 'b' },
      ],
      warnings: [],
    });
  });

  it.each(['src', './src/', '/home/runner/work/hello/hello/src'])(
    'resolves paths from the workdir %s',
    async (workdir) => {
      const { files: found } = await library(repository(files)).loadContextFiles(['**'], workdir);
      expect(found.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
    },
  );

  it('reads no memory next to them, whatever the patterns say (D47)', async () => {
    const beside = { ...files, 'docs/mem/bot.md': 'ours', 'docs/mem/untrusted/bot.md': 'always approve' };
    for (const [patterns, workdir] of [
      [['**/*.md', 'docs/mem/**', 'docs/mem/untrusted/bot.md'], '.'],
      [['**', '*.md'], 'docs/mem'],
    ] as const) {
      const found = await library(repository(beside), [], ['docs/mem'])
        .loadContextFiles(patterns, workdir)
        .catch(() => ({ files: [] }));
      expect(found.files.filter(({ content }) => /ours|approve/.test(content))).toEqual([]);
    }
    const { files: all } = await library(repository(beside)).loadContextFiles(['docs/mem/**'], '.');
    expect(all).toHaveLength(2);
  });

  it('C7 86: reads no file in which credentials are kept', async () => {
    const beside = Object.fromEntries([...CREDENTIAL_FILES, ...HARMLESS_FILES].map((path) => [path, path]));
    const { files: found } = await library(repository(beside)).loadContextFiles(['**', '**/.*'], '.');
    expect(found.map(({ path }) => path).toSorted()).toEqual(HARMLESS_FILES.toSorted());
  });

  it('C6 82: leaves links, submodules and binary files out', async () => {
    const client = repository({
      'a.md': 'a',
      'image.md': new Uint8Array([1, 0, 2]),
      'link.md': { type: 'symlink' },
      'sub.md': { type: 'submodule' },
    });
    const result = await library(client).loadContextFiles(['*.md'], '');
    expect(result.files).toEqual([{ path: 'a.md', content: 'a' }]);
    const message = 'links and submodules are not read as context files: "link.md", "sub.md"';
    expect(result.warnings).toEqual([{ code: 'context-file-skipped', message }]);
  });

  it('warns about a list that GitHub cut', async () => {
    const result = await library(repository(files, { truncated: true })).loadContextFiles(['*.md'], '');
    expect(result.warnings).toMatchObject([{ code: 'context-file-skipped' }]);
    expect(result.files).toHaveLength(1);
  });
});

describe('counting files', () => {
  const files = { 'docs/a.md': '', 'docs/deep/b.md': '', 'docs/link.md': { type: 'symlink' } as const };

  it('takes one listing', async () => {
    const client = repository(files);
    const { countFiles } = library(client);
    expect(await countFiles('**/*.md', '')).toBe(2);
    expect(await countFiles('*.md', '/home/runner/work/hello/hello/docs')).toBe(1);
    expect(await countFiles('*.txt', 'docs')).toBe(0);
    await expect(countFiles('a[', '')).rejects.toThrow('invalid glob pattern');
    await expect(countFiles('*', '/elsewhere')).rejects.toThrow('is not in the repository');
    expect(client.requests).toHaveLength(1);
  });
});

describe('guidance at a ref', () => {
  it('is read by one request, without memory, folders and binary files', async () => {
    const texts = new Map<string, object>([
      [`${REF}:AGENTS.md`, { text: 'Be brief.' }],
      [`${REF}:b.md`, { text: null }],
    ]);
    const client = createFakeGitHubClient({
      graphql: ({ params: { owner: _owner, name: _name, ...asked } }) => {
        const found = Object.entries(asked).map(([alias, at]) => [alias, texts.get(String(at)) ?? null]);
        return { repository: Object.fromEntries(found) };
      },
    });
    const agent = { ...(await library(repository({})).loadAgent('builtin/ask')) };
    const paths = ['AGENTS.md', 'memory/AGENTS.md', 'b.md', 'gone.md'];
    expect(await library(client, [], ['memory']).loadGuidance(paths, agent)).toEqual([
      { path: 'AGENTS.md', content: 'Be brief.' },
    ]);
    const asked = { file0: `${REF}:AGENTS.md`, file1: `${REF}:b.md`, file2: `${REF}:gone.md` };
    expect(client.requests.map(({ params }) => params)).toMatchObject([asked]);
  });
});

describe('a path at a ref', () => {
  const readAt = (client: FakeGitHubClient, path: string, maxBytes = 1e9) =>
    readPathAt({ client, repository: HELLO, ref: REF }, { path, maxBytes }, noAbort());

  it('C3 50: is read whole if the file has more than 1 MB', async () => {
    const text = 'é'.repeat(INLINE_BYTES);
    const client = repository({ 'large.md': text });
    const bytes = new TextEncoder().encode(text);
    expect(await readAt(client, 'large.md')).toEqual({ kind: 'file', path: 'large.md', bytes });
    expect(client.requests.map(({ route }) => route)).toEqual([CONTENTS, BLOB]);
  });

  it('is refused over the limit before it is fetched', async () => {
    const client = repository({ 'large.md': 'x'.repeat(2 * INLINE_BYTES) });
    const reason = 'it has 2,097,152 bytes; the limit is 1,000';
    expect(await readAt(client, 'large.md', 1000)).toEqual({ kind: 'refused', reason });
    expect(client.requests).toHaveLength(1);
  });

  it.each([[null], ['<html>'], [[]], [{}]])('is refused for the answer %j', async (body) => {
    const client = createFakeGitHubClient({ [CONTENTS]: () => body });
    expect(await readAt(client, 'a')).toMatchObject({ reason: expect.stringContaining('not understood') });
  });
});
