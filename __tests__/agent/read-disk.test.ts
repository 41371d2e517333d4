import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAgentLoader } from '../../src/agent/loader.js';
import { diskPlace } from '../../src/agent/read-disk.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

const TEXT = 'name = "a"\nmodel = "a/m"\n';
let cwd: string;
let home: string;

beforeEach(() => {
  cwd = tempDir('cwd');
  home = tempDir('home');
});

function open(options: Partial<Parameters<typeof diskPlace>[0]> = {}) {
  const dirs = ['axe/agents', '.axe/agents'];
  return createAgentLoader([diskPlace({ dirs, configDir: home, cwd, ...options })]);
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
    const { listFiles, folders } = open();
    expect(await listFiles()).toEqual([
      { name: 'b', file: 'axe/agents/b.toml' },
      { name: 'c', file: 'axe/agents/c.toml' },
      { name: 'd', file: join(home, 'agents/d.toml') },
    ]);
    expect(folders).toEqual(['axe/agents', '.axe/agents', join(home, 'agents')]);
  });

  it('have their context files counted', async () => {
    writeFiles(cwd, { 'docs/a.md': '', 'docs/deep/b.md': '', 'src/c.ts': '' });
    const { countFiles } = open();
    expect(await countFiles('**/*.md', '')).toBe(2);
    expect(await countFiles('*.md', 'docs')).toBe(1);
    expect(await countFiles('*.txt', join(cwd, 'docs'))).toBe(0);
    await expect(countFiles('a[', '')).rejects.toThrow('invalid glob pattern');
    await expect(countFiles('*', 'gone')).rejects.toThrow('failed to resolve workdir symlinks');
  });

  it('can be links inside of a checkout, but not links that lead out of it', async () => {
    writeFiles(home, { 'secret.toml': 'token = "x"\n' });
    writeFiles(cwd, { 'shared/x.toml': TEXT, 'axe/agents/y.toml': TEXT });
    symlinkSync(join(home, 'secret.toml'), join(cwd, 'axe/agents/out.toml'));
    symlinkSync('../../shared/x.toml', join(cwd, 'axe/agents/in.toml'));
    const { openAgent } = open({ isConfined: true });
    expect(await openAgent('in')).toMatchObject({ text: TEXT });
    await expect(openAgent('out')).rejects.toThrow('"axe/agents/out.toml" leads out of the workspace');
    expect(await open().openAgent('out')).toMatchObject({ text: 'token = "x"\n' });
  });

  it('have the guidance of their folder, and nothing that a link has made of it', async () => {
    writeFiles(home, { 'out.md': 'Not here.' });
    writeFiles(cwd, { 'AGENTS.md': 'Be brief.', '.env': 'KEY=1\n', 'memory/AGENTS.md': 'Old.' });
    symlinkSync('AGENTS.md', join(cwd, 'CLAUDE.md'));
    symlinkSync('.env', join(cwd, 'REVIEW.md'));
    symlinkSync(join(home, 'out.md'), join(cwd, 'out.md'));
    const { loadAgent, loadGuidance } = open({ memoryRoots: ['memory'] });
    const paths = ['AGENTS.md', 'CLAUDE.md', 'REVIEW.md', 'out.md', 'memory/AGENTS.md', 'gone.md'];
    expect(await loadGuidance(paths, await loadAgent('builtin/ask'))).toEqual([
      { path: 'AGENTS.md', content: 'Be brief.' },
      { path: 'CLAUDE.md', content: 'Be brief.' },
    ]);
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
        const { countFiles } = open({ isConfined: true });
        await expect(countFiles('**/*.md', workdir)).rejects.toThrow('`workdir` of the agent leads out');
        await expect(countFiles('a[', workdir)).rejects.toThrow('invalid glob pattern');
      },
    );

    it('are refused by a path that leads out, as in a run', async () => {
      const { openAgent } = open({ isConfined: true });
      for (const path of [join(home, 'there.toml'), 'out/there.toml'])
        await expect(openAgent(path)).rejects.toThrow('leads out of the workspace');
    });

    it('have no skill outside of it, as in a run', async () => {
      const { loadSkill, openAgent } = open({ isConfined: true });
      const b = await openAgent('b');
      for (const skill of [join(home, 'skills/there/SKILL.md'), '../out/skills/there/SKILL.md'])
        await expect(loadSkill(skill, b)).rejects.toThrow('leads out of the ');
      await expect(loadSkill('skills/gone/SKILL.md', b)).rejects.toThrow('skill not found');
    });

    it('are refused one by one in a folder outside, which a link or the workflow names', async () => {
      symlinkSync(join(home, 'agents'), join(cwd, '.axe'));
      writeFiles(home, { 'agents/agents/named.toml': TEXT });
      const linked = open({ isConfined: true, configDir: undefined });
      expect(await linked.listFiles()).toMatchObject([{ name: 'b' }, { name: 'named' }]);
      await expect(linked.openAgent('named')).rejects.toThrow('leads out of the workspace');
      const options = { isConfined: true, dirs: [join(home, 'agents')], configDir: undefined };
      const { listFiles, openAgent } = open(options);
      expect(await listFiles()).toMatchObject([{ name: 'there' }]);
      await expect(openAgent('there')).rejects.toThrow('leads out of the workspace');
    });
  });
});
