// linux-only: agents whose names differ in case alone are two files
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { checkAgentName, createAgentLoader } from '../../src/agent/loader.js';
import { diskPlace } from '../../src/agent/read-disk.js';
import { MAX_AGENT_BYTES } from '../../src/lib/defaults.js';
import { ConfigError } from '../../src/lib/errors.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

function agent(name: string, more = ''): string {
  return `name = "${name}"\nmodel = "anthropic/m"\n${more}`;
}

/**
 * A repository with both agent folders and a configuration folder next to it; links by what they
 * lead to.
 */
function library(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  options: Partial<Parameters<typeof diskPlace>[0]> = {},
  links: Readonly<Record<string, string>> = {},
) {
  const root = tempDir('agents');
  const [cwd, configDir] = [join(root, 'repo'), join(root, 'config/axe')];
  mkdirSync(cwd);
  writeFiles(root, files);
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
  const open = (more: typeof options = {}) =>
    createAgentLoader([
      diskPlace({ dirs: ['axe/agents', '.axe/agents'], configDir, cwd, ...options, ...more }),
    ]);
  return { root, cwd, configDir, open, agents: open() };
}

async function errorOf(promise: Promise<unknown>): Promise<ConfigError> {
  const thrown = await promise.catch((reason: unknown) => reason);
  if (thrown instanceof ConfigError) return thrown;
  throw new Error(`expected a ConfigError, got ${String(thrown)}`);
}

describe('loadAgent', () => {
  it('uses the first of the folders, then the configuration folder (D4)', async () => {
    const { agents } = library({
      'repo/axe/agents/a.toml': agent('first'),
      'repo/.axe/agents/a.toml': agent('second'),
      'config/axe/agents/a.toml': agent('third'),
      'repo/.axe/agents/b.toml': agent('second'),
      'config/axe/agents/b.toml': agent('third'),
      'config/axe/agents/c.toml': agent('third'),
    });
    const first = { name: 'a', config: { name: 'first' }, source: 'axe/agents/a.toml' };
    expect(await agents.loadAgent('a')).toMatchObject(first);
    const second = { config: { name: 'second' }, source: '.axe/agents/b.toml' };
    expect(await agents.loadAgent('b')).toMatchObject(second);
    expect((await agents.loadAgent('c')).config.name).toBe('third');
  });

  it('names the agent by its file, whatever its key `name` is (axe-behaviour §1)', async () => {
    const { agents, configDir } = library({ 'config/axe/agents/file.toml': agent('key') });
    const loaded = {
      name: 'file',
      config: { name: 'key' },
      source: join(configDir, 'agents/file.toml'),
    };
    expect(await agents.loadAgent('file')).toMatchObject(loaded);
    expect((await errorOf(agents.loadAgent('key'))).message).toBe('agent config not found: key');
  });

  it.each(['bots/review.toml', './bots/review.toml', '../repo/bots/review.toml'])(
    'accepts the path %s, relative to the current folder',
    async (path) => {
      const { agents } = library({ 'repo/bots/review.toml': agent('review') });
      const loaded = { name: path, config: { name: 'review' }, source: 'bots/review.toml' };
      expect(await agents.loadAgent(path)).toMatchObject(loaded);
    },
  );

  it('loads a built-in agent', async () => {
    const loaded = {
      name: 'builtin/ask',
      config: { name: 'ask' },
      source: 'built-in',
      warnings: [],
    };
    expect(await library().agents.loadAgent('builtin/ask')).toMatchObject(loaded);
  });

  it.each([
    ['pr-reviewer', 'builtin/pr-reviewer'],
    ['ak', 'ask'],
  ])('suggests for %j `%s`', async (name, meant) => {
    const { agents } = library({
      'repo/axe/agents/reviewer.toml': agent('r'),
      'repo/axe/agents/ask.toml': agent('a'),
    });
    const { remedy } = await errorOf(agents.loadAgent(name));
    expect(remedy).toMatch(new RegExp(`^Did you mean \`${meant}\`\\?`));
  });

  it('names the 20 nearest of many agents', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `repo/axe/agents/agent-${index}.toml`);
    const { agents } = library(Object.fromEntries(names.map((name) => [name, ''])));
    expect((await errorOf(agents.loadAgent('x'))).remedy).toMatch(
      /^There are: (?:`[^`]+`, ){19}`[^`]+` and 34 more\. Searched in /,
    );
  });

  it.each(['../escape', 'grp/sub', '..', 'a\u0000b', '', '../../etc/x'])(
    'C1 7: refuses the name %j, unlike axe (D5; golden 21, steps 39 and 40)',
    async (name) => {
      const { agents } = library({
        'config/axe/escape.toml': agent('e'),
        'config/axe/agents/grp/sub.toml': agent('s'),
      });
      expect((await errorOf(agents.loadAgent(name))).message).toMatch(/^invalid agent name /);
    },
  );

  it('C1 7: refuses a reserved name by path as well', async () => {
    const { agents } = library({ 'repo/bots/memory.toml': agent('m') });
    const { message } = await errorOf(agents.loadAgent('bots/memory.toml'));
    expect(message).toBe('agent name "memory" is reserved');
  });

  it('C1 8: refuses two agents that differ only in case, but not one with a common beginning (D5)', async () => {
    const { agents } = library({
      'repo/axe/agents/review.toml': agent('one'),
      'repo/axe/agents/Review.toml': agent('two'),
      'repo/axe/agents/review-security.toml': agent('three'),
      'repo/.axe/agents/Triage.toml': agent('four'),
      'repo/axe/agents/triage.toml': agent('five'),
    });
    expect((await errorOf(agents.loadAgent('review'))).message).toBe(
      'agents "review" and "Review" in axe/agents differ only in case',
    );
    expect((await errorOf(agents.loadAgent('Review'))).message).toContain('differ only in case');
    expect((await agents.loadAgent('review-security')).config.name).toBe('three');
    expect((await agents.loadAgent('triage')).config.name).toBe('five');
    expect((await agents.loadAgent('Triage')).config.name).toBe('four');
  });

  it('C1 6: refuses a file of 3 GB, which could not even be read, by its size, and accepts one of the limit', async () => {
    const text = agent('a').padEnd(MAX_AGENT_BYTES, '#');
    const { agents, cwd } = library({
      'repo/axe/agents/a.toml': agent('a'),
      'repo/axe/agents/b.toml': text,
    });
    truncateSync(join(cwd, 'axe/agents/a.toml'), 3 * 1024 ** 3);
    expect((await errorOf(agents.loadAgent('a'))).message).toContain(
      'has 3,221,225,472 bytes; the limit is 262,144',
    );
    expect((await agents.loadAgent('b')).config.name).toBe('a');
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFname = "v"', 'utf16le')],
    ['Latin-1', Buffer.from('name = "é"', 'latin1')],
  ])('C1 2: refuses a file in %s, and says how to save it', async (_, bytes) => {
    const { agents } = library({ 'repo/axe/agents/a.toml': bytes });
    expect(await errorOf(agents.loadAgent('a'))).toMatchObject({
      message: 'failed to parse agent config "a": invalid UTF-8',
      remedy: 'Save the file as UTF-8, not as UTF-16 or Latin-1.',
      at: { file: 'axe/agents/a.toml' },
    });
  });

  it('does not accept a FIFO or a folder as an agent', async () => {
    const { agents, cwd } = library({ 'repo/axe/agents/x.toml': agent('x') });
    const pipe = join(cwd, 'axe/agents/pipe.toml');
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
    mkdirSync(join(cwd, 'axe/agents/folder.toml'));
    expect((await errorOf(agents.loadAgent('pipe'))).message).toBe(
      `failed to read agent config "pipe": ${pipe} is not a regular file`,
    );
    expect((await errorOf(agents.loadAgent('folder'))).message).toBe(
      'agent config not found: folder',
    );
    expect((await errorOf(agents.loadAgent('axe/agents/folder.toml'))).message).toBe(
      `failed to read agent config "axe/agents/folder.toml": read ${cwd}/axe/agents/folder.toml: is a directory`,
    );
  });
});

it.each([
  'a\\b',
  '.hidden',
  '-x',
  ' ',
  'x'.repeat(65),
  'x\n::error::',
  'x\n',
  'review[1]*',
  'ümlaut',
  'a b',
])('C1 7: checkAgentName refuses %j on one line', (name) => {
  expect(() => checkAgentName(name)).toThrow(/^invalid agent name "[^\n]*"$/);
});

it.each([
  'memory',
  'Memory',
  'apart',
  'projects',
  'scratchpad',
  '2026-11-21',
  'bot.state',
  'a.State',
])('C1 7: checkAgentName refuses the reserved name %j (D5)', (name) => {
  expect(() => checkAgentName(name)).toThrow(`agent name "${name}" is reserved`);
});

it.each([
  'a',
  '1',
  'pr-reviewer',
  'A.b_c-9',
  'x'.repeat(64),
  'memory2',
  'CON',
  'state',
  'bot.states',
])(
  'C1 7: checkAgentName accepts %j; capitals and Windows device names are allowed by D5',
  (name) => {
    expect(checkAgentName(name)).toBe(name);
  },
);

it('listAgents reports why a name cannot be used', async () => {
  const { agents } = library({
    'repo/axe/agents/my agent.toml': agent('a'),
    'repo/axe/agents/x.toml': agent('x'),
    'repo/axe/agents/X.toml': agent('x'),
  });
  const listed = await agents.listAgents();
  expect(listed.map(({ id, error }) => [id, error?.message])).toEqual([
    ['X', 'agents "X" and "x" in axe/agents differ only in case'],
    ['my agent', 'invalid agent name "my agent"'],
    ['x', 'agents "x" and "X" in axe/agents differ only in case'],
  ]);
});

describe('loadSkill', () => {
  it.each([
    ['skills/s/SKILL.md', 'near'],
    ['s', 'near'],
    ['other/T.md', 'near other'],
    ['skills/far/SKILL.md', 'far'],
    ['far', 'far'],
    ['flat.md', 'flat'],
  ])('finds %j next to the agents, then in the configuration folder', async (path, text) => {
    const { agents } = library({
      'repo/axe/skills/s/SKILL.md': 'near',
      'config/axe/skills/s/SKILL.md': 'hidden',
      'repo/axe/other/T.md': 'near other',
      'config/axe/skills/far/SKILL.md': 'far',
      'config/axe/flat.md': 'flat',
    });
    expect(await agents.loadSkill(path)).toBe(text);
  });

  it('does not find a path relative to the current folder, in axe’s words (golden 23, step 03)', async () => {
    const { agents, configDir } = library({ 'repo/local/SKILL.md': 'x' });
    expect(await errorOf(agents.loadSkill('local/SKILL.md'))).toMatchObject({
      message: `skill not found: ${configDir}/local/SKILL.md`,
      exitCode: 2,
      remedy: 'Check the path; it is not at `axe/local/SKILL.md` or `.axe/local/SKILL.md` either.',
    });
  });

  it('C1 10: does not follow a relative path or a link out of the repository', async () => {
    const links = { 'repo/axe/link.md': '../../secret.md', 'repo/axe/skills/out': '../../..' };
    const { agents } = library({ 'secret.md': 'secret', 'repo/axe/skills/x.md': 'x' }, {}, links);
    for (const path of [
      '../../secret.md',
      '../../../etc/passwd',
      'link.md',
      'skills/out/secret.md',
    ]) {
      expect((await errorOf(agents.loadSkill(path))).message).toMatch(
        /^failed to read skill: ".*" leads out of the folders that skills are read from$/,
      );
    }
  });

  it('C1 10: accepts an absolute path, other files of the repository, and links in the user’s own folder (D4)', async () => {
    const skills = { 'repo/docs/SKILL.md': 'docs', 'config/axe/skills/x/SKILL.md': 'x' };
    const links = { 'config/axe/skills/mine': '../../../dotfiles' };
    const { agents, root } = library({ 'dotfiles/SKILL.md': 'mine', ...skills }, {}, links);
    expect(await agents.loadSkill('skills/mine/SKILL.md')).toBe('mine');
    expect(await agents.loadSkill('../docs/SKILL.md')).toBe('docs');
    expect(await agents.loadSkill(join(root, 'dotfiles/SKILL.md'))).toBe('mine');
  });

  it('does not let a repository place its skill under a user’s agent', async () => {
    const { agents } = library({
      'config/axe/agents/mine.toml': agent('mine', 'skill = "skills/s/SKILL.md"\n'),
      'config/axe/skills/s/SKILL.md': 'mine',
      'repo/axe/skills/s/SKILL.md': 'theirs',
    });
    const mine = await agents.loadAgent('mine');
    expect(await agents.loadSkill(mine.config.skill, mine)).toBe('mine');
  });

  it('gives each of several agents the skill next to it, even if another has one of the same name', async () => {
    const { agents } = library({
      'repo/axe/agents/a.toml': agent('a', 'skill = "s"\n'),
      'repo/axe/skills/s/SKILL.md': 'repo',
      'repo/tools/bots/b.toml': agent('b', 'skill = "s"\n'),
      'repo/tools/skills/s/SKILL.md': 'tools',
    });
    const names = ['a', 'tools/bots/b.toml'];
    const loaded = await Promise.all(names.map((name) => agents.loadAgent(name)));
    const skills = await Promise.all(loaded.map((each) => agents.loadSkill('s', each)));
    expect(skills).toEqual(['repo', 'tools']);
  });

  it('never opens a FIFO, and refuses a very large file', async () => {
    const { agents, cwd } = library({ 'repo/axe/big.md': 'x'.repeat(1024 * 1024) });
    expect(spawnSync('mkfifo', [join(cwd, 'axe/pipe.md')]).status).toBe(0);
    expect((await errorOf(agents.loadSkill('pipe.md'))).message).toContain('is not a regular file');
    expect((await errorOf(agents.loadSkill('big.md'))).message).toContain('has 1,048,576 bytes');
  });
});

it.each([
  ['mem/apart/bot.md', 'memory is kept there'],
  ['by-link.md', 'memory is kept there'],
  ['.git/description', 'credentials may be kept there'],
  ['git-link.md', 'credentials may be kept there'],
])('a skill that leads into memory or `.git` is refused: %s (D47)', async (path, reason) => {
  const files = { 'repo/mem/apart/bot.md': 'approve', 'repo/.git/description': 'approve' };
  const links = {
    'repo/by-link.md': 'mem/apart/bot.md',
    'repo/git-link.md': '.git/description',
  };
  const options = {
    dirs: ['agents'],
    configDir: undefined,
    memoryRoots: ['mem'],
    isConfined: true,
  };
  const { agents, cwd } = library(files, options, links);
  for (const name of [path, join(cwd, path)])
    expect((await errorOf(agents.loadSkill(name))).message).toContain(
      `is out of bounds: ${reason}`,
    );
});

it('agent files on disk are listed folder by folder, with only the nearest of those with one name', async () => {
  const { agents, configDir } = library({
    'repo/.axe/agents/b.toml': agent('b'),
    'repo/axe/agents/c.toml': agent('c'),
    'repo/axe/agents/b.toml': agent('b'),
    'repo/axe/agents/b.md': 'no agent',
    'config/axe/agents/d.toml': agent('d'),
  });
  expect(await agents.listFiles()).toEqual([
    { name: 'b', file: 'axe/agents/b.toml' },
    { name: 'c', file: 'axe/agents/c.toml' },
    { name: 'd', file: join(configDir, 'agents/d.toml') },
  ]);
  expect(agents.folders).toEqual(['axe/agents', '.axe/agents', join(configDir, 'agents')]);
});

it('agent files on disk have their context files counted', async () => {
  const { agents, cwd } = library({
    'repo/docs/a.md': '',
    'repo/docs/deep/b.md': '',
    'repo/src/c.ts': '',
  });
  expect(await agents.countFiles('**/*.md', '')).toBe(2);
  expect(await agents.countFiles('*.md', 'docs')).toBe(1);
  expect(await agents.countFiles('*.txt', join(cwd, 'docs'))).toBe(0);
  await expect(agents.countFiles('a[', '')).rejects.toThrow('invalid glob pattern');
  await expect(agents.countFiles('*', 'gone')).rejects.toThrow(
    'failed to resolve workdir symlinks',
  );
});

it('agent files on disk have the guidance of their folder, and nothing that a link has made of it', async () => {
  const texts = {
    'repo/AGENTS.md': 'Be brief.',
    'repo/.env': 'KEY=1\n',
    'repo/memory/AGENTS.md': 'Old.',
    'repo/rules/sub/a.md': 'Rule.',
  };
  const links = {
    'repo/rules/link.md': '../AGENTS.md',
    'repo/CLAUDE.md': 'AGENTS.md',
    'repo/REVIEW.md': '.env',
    'repo/out.md': '../out.md',
  };
  const { agents } = library(
    { 'out.md': 'Not here.', ...texts },
    { memoryRoots: ['memory'] },
    links,
  );
  const paths = ['AGENTS.md', 'CLAUDE.md', 'REVIEW.md', 'out.md', 'memory/AGENTS.md', 'gone.md'];
  expect(await agents.loadGuidance(paths, await agents.loadAgent('builtin/ask'))).toEqual([
    { path: 'AGENTS.md', content: 'Be brief.' },
    { path: 'CLAUDE.md', content: 'Be brief.' },
  ]);
  const agent = await agents.loadAgent('builtin/ask');
  expect(await agents.loadGuidance(['rules/', 'gone/'], agent)).toEqual([
    { path: 'rules/sub/a.md', content: 'Rule.' },
  ]);
});

describe('a checkout that anybody might have written', () => {
  it('has no guidance taken from it where the base is read from GitHub', async () => {
    const { cwd } = library({ 'repo/AGENTS.md': "Of the pull request's head." });
    const head = diskPlace({ dirs: [], cwd });
    const base = { ...head, reader: { ...head.reader, isLocal: false, texts: async () => [] } };
    const { loadAgent, loadGuidance } = createAgentLoader([base, head]);
    expect(await loadGuidance(['AGENTS.md'], await loadAgent('builtin/ask'))).toEqual([]);
  });

  const TEXT = agent('a');
  const confined = () =>
    library(
      {
        'home/there.toml': TEXT,
        'home/agents/there.toml': TEXT,
        'home/agents/agents/named.toml': TEXT,
        'home/skills/there/SKILL.md': 'Not yours.',
        'home/there.md': '',
        'repo/shared/x.toml': TEXT,
        'repo/axe/agents/b.toml': TEXT,
        'repo/docs/a.md': '',
      },
      { isConfined: true, configDir: undefined },
      {
        'repo/out': '../home',
        'repo/nowhere': '../home/nowhere',
        'repo/axe/agents/in.toml': '../../shared/x.toml',
        'repo/axe/agents/out.toml': '../../../home/there.toml',
        'repo/.axe': '../home/agents',
      },
    );

  it.each(['', '..', 'out', 'out/skills', 'out/gone', 'nowhere'])(
    'has no files counted outside of it, in %j',
    async (place) => {
      const { agents, root } = confined();
      const workdir = place === '' ? root : place;
      await expect(agents.countFiles('**/*.md', workdir)).rejects.toThrow(
        '`workdir` of the agent leads out',
      );
      await expect(agents.countFiles('a[', workdir)).rejects.toThrow('invalid glob pattern');
    },
  );

  it('has agents by a link inside of it, and none by a path or a link that leads out', async () => {
    const { agents, root, open } = confined();
    expect(await agents.openAgent('in')).toMatchObject({ text: TEXT });
    for (const path of ['out', join(root, 'home/there.toml'), 'out/there.toml'])
      await expect(agents.openAgent(path)).rejects.toThrow('leads out of the workspace');
    expect(await open({ isConfined: false }).openAgent('out')).toMatchObject({ text: TEXT });
  });

  it('has no skill outside of it', async () => {
    const { agents, root } = confined();
    const b = await agents.openAgent('b');
    for (const skill of [join(root, 'home/skills/there/SKILL.md'), '../out/skills/there/SKILL.md'])
      await expect(agents.loadSkill(skill, b)).rejects.toThrow('leads out of the ');
    await expect(agents.loadSkill('skills/gone/SKILL.md', b)).rejects.toThrow('skill not found');
  });

  it('has agents in a folder outside refused one by one, which a link or the workflow names', async () => {
    const { agents, root, open } = confined();
    expect((await agents.listFiles()).map(({ name }) => name)).toEqual(['b', 'in', 'out', 'named']);
    await expect(agents.openAgent('named')).rejects.toThrow('leads out of the workspace');
    const named = open({ dirs: [join(root, 'home/agents')] });
    expect(await named.listFiles()).toMatchObject([{ name: 'there' }]);
    await expect(named.openAgent('there')).rejects.toThrow('leads out of the workspace');
  });
});
