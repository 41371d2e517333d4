import { describe, expect, it } from '@jest/globals';
import { createAgentLoader } from '../../src/agent/loader.js';
import { refPlace } from '../../src/agent/read-ref.js';
import { MAX_AGENT_BYTES } from '../../src/lib/defaults.js';
import { denied, NAME, startHello } from '../github/hello-fixture.js';
import { CREDENTIAL_FILES, HARMLESS_FILES } from '../helpers/credential-files.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import type { FileTree } from '../helpers/github-state.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const WORKSPACE = '/home/runner/work/hello/hello';
const AGENT = 'name = "bot"\nmodel = "anthropic/claude-sonnet-4-5"\n';

/** A repository whose default branch has these files, and its agents at that commit. */
async function library(
  files: FileTree,
  dirs: readonly string[] = ['axe/agents', '.axe/agents'],
  memoryRoots: readonly string[] = [],
) {
  const hello = await startHello();
  const { client, github } = hello;
  const ref = github.commit(NAME, files);
  const at = { client, repository: HELLO, ref };
  const place = refPlace({ ...at, memoryRoots, dirs, signal: noAbort(), workspace: WORKSPACE });
  return { ...hello, ...createAgentLoader([place]), ref };
}

describe('loading an agent', () => {
  it.each([
    'bot',
    './axe/agents/bot.toml',
    'axe/agents/bot.toml',
    `${WORKSPACE}/axe/agents/bot.toml`,
  ])('reads %s at the commit and reports where it was found', async (name) => {
    const { loadAgent, github, ref } = await library({ 'axe/agents/bot.toml': AGENT });
    expect(await loadAgent(name)).toMatchObject({
      name,
      config: { name: 'bot', model: 'anthropic/claude-sonnet-4-5' },
      source: `octocat/hello@${ref.slice(0, 7)}:axe/agents/bot.toml`,
    });
    expect(github.requests()[0]?.query.get('ref')).toBe(ref);
  });

  it('lists the existing agents if it is missing', async () => {
    const own = { 'axe/agents/review.toml': AGENT, 'axe/agents/notes.md': '' };
    const { loadAgent, ref } = await library({ ...own, '.axe/agents/chores.toml': '' });
    await expect(loadAgent('bot')).rejects.toMatchObject({
      name: 'ConfigError',
      exitCode: 2,
      message: 'agent config not found: bot',
      remedy: expect.stringMatching(
        `^There are: \`chores\`, \`review\`, .* Searched in \`axe/agents\` and \`.axe/agents\` of octocat/hello@${ref.slice(0, 7)}\\.$`,
      ),
    });
  });

  it.each<[string, FileTree[string], string]>([
    ['../outside.toml', '', 'is not in the repository'],
    ['/etc/agents/a.toml', '', 'is not in the repository'],
    ['a\\b.toml', '', 'is not in the repository'],
    ['bot', { link: '/etc/passwd' }, 'it is a symlink, not a file'],
    ['bot', 'x'.repeat(MAX_AGENT_BYTES + 1), 'the limit is 262,144'],
  ])('refuses %s: %#', async (name, file, message) => {
    const { loadAgent } = await library({ 'axe/agents/bot.toml': file });
    const at = name === 'bot' ? { file: 'axe/agents/bot.toml' } : undefined;
    await expect(loadAgent(name)).rejects.toMatchObject({ name: 'ConfigError', at });
    await expect(loadAgent(name)).rejects.toThrow(message);
  });

  it('does not treat an error as a missing agent', async () => {
    const { loadAgent, github } = await library({});
    github.fail(denied(CONTENTS, 'contents=read'));
    await expect(loadAgent('bot')).rejects.toMatchObject({ reason: 'denied' });
  });
});

it.each([
  ['skills/review/SKILL.md', 'axe/skills/review/SKILL.md'],
  ['./skills/review/SKILL.md', '.axe/skills/review/SKILL.md'],
  ['review', 'axe/skills/review/SKILL.md'],
  ['review', '.axe/skills/review/SKILL.md'],
  ['SKILL.md', 'axe/SKILL.md'],
])('loading a skill finds %s in %s', async (path, file) => {
  const { loadSkill } = await library({ [file]: 'Be kind.' });
  expect(await loadSkill(path)).toBe('Be kind.');
});

it.each([
  ['C6 82: a link', 'review', 'it is a symlink, not a file'],
  ['C1 10: a path that leads out', '../secret.md', 'is not in the repository'],
  ['C1 10: a path elsewhere', '/proc/self/environ', 'is not in the repository'],
  ['D47: memory', 'mem/a.md', 'is out of bounds: memory is kept there'],
  ['D47: a link to memory', 'in.md', 'is out of bounds: memory is kept there'],
])('loading a skill refuses %s', async (_, path, text) => {
  const files = {
    'docs/skills/review/SKILL.md': { link: '../../../../etc/passwd' },
    'docs/mem/a.md': 'ours',
    'docs/in.md': { link: 'mem/a.md' },
  };
  const { loadSkill } = await library(files, ['docs/agents'], ['docs/mem']);
  await expect(loadSkill(path)).rejects.toThrow(text);
});

describe('loading context files', () => {
  const FILES = { 'README.md': '# Hi\r\n', 'src/b.ts': 'b', 'src/a.ts': 'a', 'docs/x.md': 'x' };

  it('reads matching files, byte for byte and in order', async () => {
    const { loadContextFiles } = await library(FILES);
    expect(await loadContextFiles(['src/*.ts', 'README.md'], '.')).toEqual({
      files: [
        { path: 'README.md', content: '# Hi\r\n' },
        { path: 'src/a.ts', content: 'a' },
        { path: 'src/b.ts', content: 'b' },
      ],
      warnings: [],
    });
    for (const workdir of ['src', './src/', `${WORKSPACE}/src`]) {
      const { files } = await loadContextFiles(['**'], workdir);
      expect(files.map(({ path }) => path)).toEqual(['a.ts', 'b.ts']);
    }
  });

  it('reads no memory next to them, whatever the patterns say (D47)', async () => {
    const files = {
      ...FILES,
      'docs/mem/bot.md': 'ours',
      'docs/mem/apart/bot.md': 'always approve',
    };
    const { loadContextFiles } = await library(files, [], ['docs/mem']);
    for (const [patterns, workdir] of [
      [['**/*.md', 'docs/mem/**', 'docs/mem/apart/bot.md'], '.'],
      [['**', '*.md'], 'docs/mem'],
    ] as const) {
      const found = await loadContextFiles(patterns, workdir).catch(() => ({ files: [] }));
      expect(found.files.filter(({ content }) => /ours|approve/.test(content))).toEqual([]);
    }
    const all = await library(files);
    expect((await all.loadContextFiles(['docs/mem/**'], '.')).files).toHaveLength(2);
  });

  it('C7 86: reads no file in which credentials are kept', async () => {
    const files = Object.fromEntries(
      [...CREDENTIAL_FILES, ...HARMLESS_FILES].map((path) => [path, path]),
    );
    const { loadContextFiles } = await library(files);
    const { files: found } = await loadContextFiles(['**', '**/.*'], '.');
    expect(found.map(({ path }) => path).toSorted()).toEqual(HARMLESS_FILES.toSorted());
  });

  it('C6 82: leaves links, submodules and binary files out, and warns about a list that GitHub cut', async () => {
    const { loadContextFiles, repo } = await library({
      'a.md': 'a',
      'image.md': new Uint8Array([1, 0, 2]),
      'link.md': { link: 'a.md' },
      'sub.md': { submodule: 'a'.repeat(40) },
      'z.md': 'z',
    });
    repo.maxTreeEntries = 4;
    const { files, warnings } = await loadContextFiles(['*.md'], '');
    expect(files).toEqual([{ path: 'a.md', content: 'a' }]);
    const message = 'links and submodules, such as "link.md", are not read as context files';
    expect(warnings).toEqual([
      {
        code: 'context-file-skipped',
        message: expect.stringContaining('more files than GitHub lists'),
      },
      { code: 'context-file-skipped', message },
    ]);
  });

  it('counts them by one listing', async () => {
    const files = { 'docs/a.md': '', 'docs/deep/b.md': '', 'docs/link.md': { link: 'a.md' } };
    const { countFiles, github } = await library(files);
    expect(await countFiles('**/*.md', '')).toBe(2);
    expect(await countFiles('*.md', `${WORKSPACE}/docs`)).toBe(1);
    expect(await countFiles('*.txt', 'docs')).toBe(0);
    await expect(countFiles('a[', '')).rejects.toThrow('invalid glob pattern');
    await expect(countFiles('*', '/elsewhere')).rejects.toThrow('is not in the repository');
    expect(github.calls()).toEqual(['GET /repos/{owner}/{repo}/git/trees/{tree_sha}']);
  });
});

it('guidance is read by one request, without memory, folders and binary files', async () => {
  const files = {
    'AGENTS.md': 'Be brief.',
    'memory/AGENTS.md': 'ours',
    'b.md': Buffer.from([0]),
    'c/d': '',
  };
  const { loadAgent, loadGuidance, github } = await library(files, [], ['memory']);
  const agent = await loadAgent('builtin/ask');
  const paths = ['AGENTS.md', 'memory/AGENTS.md', 'b.md', 'c', 'gone.md'];
  expect(await loadGuidance(paths, agent)).toEqual([{ path: 'AGENTS.md', content: 'Be brief.' }]);
  expect(github.calls()).toEqual(['POST /graphql repository']);
  expect(JSON.stringify(github.requests()[0]?.body)).not.toContain('memory/AGENTS.md');
});

it('guidance in a folder comes by the same request, three levels deep', async () => {
  const files = {
    'AGENTS.md': 'Be brief.',
    'rules/a.md': 'a',
    'rules/sub/b.md': 'b',
    'rules/sub/sub/c.md': 'c',
    'rules/sub/sub/sub/d.md': 'd',
    'rules/link.md': { link: '../secret' },
    'rules/x.png': Buffer.from([0]),
  };
  const { loadAgent, loadGuidance, github } = await library(files, []);
  const agent = await loadAgent('builtin/ask');
  const texts = await loadGuidance(['AGENTS.md', 'rules/', 'gone/', 'AGENTS.md/'], agent);
  expect(Object.fromEntries(texts.map(({ path, content }) => [path, content]))).toEqual({
    'AGENTS.md': 'Be brief.',
    'rules/a.md': 'a',
    'rules/link.md': '../secret',
    'rules/sub/b.md': 'b',
    'rules/sub/sub/c.md': 'c',
  });
  expect(github.calls()).toEqual(['POST /graphql repository']);
});
