import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type AgentsDirOptions, createDiskSource } from '../../src/agent/read-agents-dir.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const TEXT = 'name = "a"\nmodel = "a/m"\n';
let cwd: string;
let home: string;

beforeEach(() => {
  cwd = tempDir('cwd');
  home = tempDir('home');
});

function open(options: Partial<AgentsDirOptions> = {}) {
  return createDiskSource(
    {
      dirs: ['axe/agents', '.axe/agents'],
      configDir: home,
      cwd,
      ...options,
    },
    'here',
  );
}

describe('agent files on disk', () => {
  it('are listed folder by folder, with only the nearest of those with one name', async () => {
    writeFiles(cwd, {
      '.axe/agents/b.toml': TEXT,
      'axe/agents/c.toml': TEXT,
      'axe/agents/b.toml': TEXT,
      'axe/agents/b.md': 'no agent',
    });
    writeFiles(home, { 'agents/d.toml': TEXT });
    const { list, folders, where } = open();
    expect(await list()).toEqual([
      { name: 'b', file: 'axe/agents/b.toml' },
      { name: 'c', file: 'axe/agents/c.toml' },
      { name: 'd', file: join(home, 'agents/d.toml') },
    ]);
    expect({ folders, where }).toEqual({
      folders: ['axe/agents', '.axe/agents', join(home, 'agents')],
      where: 'here',
    });
  });

  it('are read unchanged, by name, by path, and built-in', async () => {
    writeFiles(cwd, { 'axe/agents/b.toml': 'name = \n', 'more/x.toml': TEXT });
    const { read } = open();
    expect(await read('b')).toMatchObject({ name: 'b', file: 'axe/agents/b.toml', text: 'name = \n' });
    expect(await read('more/x.toml')).toMatchObject({ file: 'more/x.toml', text: TEXT });
    expect(await read('builtin/ask')).toMatchObject({ file: 'builtin/ask' });
  });

  it.each([
    ['nobody', 'agent config not found: nobody'],
    ['builtin/nobody', 'agent config not found: builtin/nobody'],
    ['memory', 'agent name "memory" is reserved'],
    ['large', 'failed to parse agent config "large": the file has 300,000 bytes; the most is 262,144 bytes'],
  ])('refuse %j', async (name, message) => {
    writeFiles(cwd, {
      'axe/agents/memory.toml': TEXT,
      'axe/agents/large.toml': '#'.repeat(300_000),
    });
    await expect(open().read(name)).rejects.toMatchObject({ name: 'ConfigError', message });
  });

  it('have the skills next to them and of the configuration folder, and none next to others', async () => {
    writeFiles(cwd, {
      'axe/agents/b.toml': TEXT,
      'axe/skills/s/SKILL.md': 'Own.',
      '.axe/agents/c.toml': TEXT,
    });
    writeFiles(home, { 'skills/h/SKILL.md': 'Home.' });
    const source = open();
    const [b, c] = [await source.read('b'), await source.read('c')];
    expect(await b.loadSkill('s')).toBe('Own.');
    expect(await c.loadSkill('skills/h/SKILL.md')).toBe('Home.');
    await expect(c.loadSkill('s')).rejects.toThrow('skill not found');
    await expect((await source.read('builtin/ask')).loadSkill('s')).rejects.toThrow('skill not found');
  });

  it('have their context files counted', async () => {
    writeFiles(cwd, { 'docs/a.md': '', 'docs/deep/b.md': '', 'src/c.ts': '' });
    const { countPaths } = open();
    expect(await countPaths('**/*.md', '')).toBe(2);
    expect(await countPaths('*.md', 'docs')).toBe(1);
    expect(await countPaths('*.txt', join(cwd, 'docs'))).toBe(0);
    await expect(countPaths('a[', '')).rejects.toThrow('invalid glob pattern');
    await expect(countPaths('*', 'gone')).rejects.toThrow('failed to resolve workdir symlinks');
  });

  it('can be links inside of a checkout, but not links that lead out of it', async () => {
    writeFiles(home, { 'secret.toml': 'token = "x"\n' });
    writeFiles(cwd, { 'shared/x.toml': TEXT, 'axe/agents/y.toml': TEXT });
    symlinkSync(join(home, 'secret.toml'), join(cwd, 'axe/agents/out.toml'));
    symlinkSync('../../shared/x.toml', join(cwd, 'axe/agents/in.toml'));
    const { read } = open({ isConfined: true });
    expect(await read('in')).toMatchObject({ text: TEXT });
    await expect(read('out')).rejects.toThrow('leads out of the workspace: "axe/agents/out.toml"');
    expect(await open().read('out')).toMatchObject({ text: 'token = "x"\n' });
  });

  describe('of a checkout that anybody might have written', () => {
    beforeEach(() => {
      writeFiles(home, {
        'there.toml': TEXT,
        'agents/there.toml': TEXT,
        'skills/there/SKILL.md': 'Not yours.',
        'there.md': '',
      });
      writeFiles(cwd, { 'axe/agents/b.toml': TEXT, 'docs/a.md': '' });
      symlinkSync(home, join(cwd, 'out'));
      symlinkSync(join(home, 'nowhere'), join(cwd, 'nowhere'));
    });

    it.each(['', '..', 'out', 'out/skills', 'out/gone', 'nowhere'])(
      'have no files counted outside of it, in %j',
      async (place) => {
        const workdir = place === '' ? home : place;
        const { countPaths } = open({ isConfined: true });
        await expect(countPaths('**/*.md', workdir)).rejects.toThrow('`workdir` of the agent leads out');
        await expect(countPaths('a[', workdir)).rejects.toThrow('invalid glob pattern');
      },
    );

    it('have the files inside of it counted', async () => {
      const { countPaths } = open({ isConfined: true });
      expect(await countPaths('*.md', 'docs')).toBe(1);
      expect(await countPaths('**/*.md', '')).toBe(1);
      expect(await countPaths('*.md', join(cwd, 'docs'))).toBe(1);
      await expect(countPaths('*', 'gone')).rejects.toThrow('failed to resolve workdir symlinks');
    });

    it('are refused by a path that leads out, as in a run', async () => {
      const { read } = open({ isConfined: true });
      for (const path of [join(home, 'there.toml'), 'out/there.toml'])
        await expect(read(path)).rejects.toThrow('leads out of the workspace');
    });

    it('have no skill outside of it, as in a run', async () => {
      const { loadSkill } = await open({ isConfined: true }).read('b');
      for (const skill of [join(home, 'skills/there/SKILL.md'), '../out/skills/there/SKILL.md'])
        await expect(loadSkill(skill)).rejects.toThrow('leads out of the folders');
      await expect(loadSkill('skills/gone/SKILL.md')).rejects.toThrow('skill not found');
    });

    it('are refused one by one in a folder outside, which a link or the workflow names', async () => {
      symlinkSync(join(home, 'agents'), join(cwd, '.axe'));
      writeFiles(home, { 'agents/agents/named.toml': TEXT });
      const linked = open({ isConfined: true, configDir: undefined });
      expect(await linked.list()).toMatchObject([{ name: 'b' }, { name: 'named' }]);
      await expect(linked.read('named')).rejects.toThrow('leads out of the workspace');
      const { list, read } = open({ isConfined: true, dirs: [join(home, 'agents')], configDir: undefined });
      expect(await list()).toMatchObject([{ name: 'there' }]);
      await expect(read('there')).rejects.toThrow('leads out of the workspace');
    });
  });
});
