import { describe, expect, it } from '@jest/globals';
import { createRefSource } from '../../../src/github/agents/agent-library.js';
import { createFakeGitHubClient, failure, HELLO, noAbort } from '../../helpers/github-client-fake.js';

const CONTENTS = 'GET /repos/{owner}/{repo}/contents/{path}';
const TREE = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
const REF = 'b'.repeat(40);
const TEXT = 'name = "a"\nmodel = "a/m"\n';

/** A repository with these files at one commit; null stands for a link that leads elsewhere. */
function open(files: Readonly<Record<string, string | null>>, truncated = false) {
  const entries = Object.entries(files);
  const client = createFakeGitHubClient({
    [CONTENTS]: ({ params }) => {
      if (params['ref'] !== REF) throw failure(404, CONTENTS);
      const path = String(params['path']);
      const inside = entries.filter(([file]) => file.startsWith(`${path}/`));
      if (inside.length > 0) return inside.map(([file]) => ({ name: file.slice(path.length + 1) }));
      const text = files[path];
      if (text === undefined) throw failure(404, CONTENTS);
      if (text === null) return { type: 'symlink', size: 3, sha: 's' };
      const content = Buffer.from(text).toString('base64');
      return { type: 'file', size: text.length, sha: 's', encoding: 'base64', content };
    },
    [TREE]: () => ({
      truncated,
      tree: entries.map(([path, text]) => ({
        path,
        mode: text === null ? '120000' : '100644',
        sha: 's',
        size: 1,
      })),
    }),
  });
  const source = createRefSource({
    client,
    repository: HELLO,
    ref: REF,
    agentsDirs: ['mine', 'axe/agents'],
    signal: noAbort(),
    workspace: '/work',
  });
  return { ...source, requests: client.requests };
}

describe('agent files of a commit', () => {
  it('are listed folder by folder, with only the nearest of those with one name', async () => {
    const { list, folders, where } = open({
      'axe/agents/b.toml': TEXT,
      'axe/agents/c.toml': TEXT,
      'axe/agents/c.md': '',
      'mine/b.toml': TEXT,
    });
    expect(await list()).toEqual([
      { name: 'b', file: 'mine/b.toml' },
      { name: 'c', file: 'axe/agents/c.toml' },
    ]);
    expect(folders).toEqual(['mine', 'axe/agents']);
    expect(where).toBe(`${HELLO.owner}/${HELLO.name}@bbbbbbb`);
  });

  it('are read unchanged, by name, by path, and built-in', async () => {
    const { read } = open({ 'axe/agents/b.toml': 'name = \n', 'more/x.toml': TEXT });
    expect(await read('b')).toMatchObject({ name: 'b', file: 'axe/agents/b.toml', text: 'name = \n' });
    expect(await read('/work/more/x.toml')).toMatchObject({ file: 'more/x.toml', text: TEXT });
    expect(await read('builtin/ask')).toMatchObject({ file: 'builtin/ask' });
  });

  it.each([
    ['nobody', 'agent config not found: nobody'],
    ['builtin/nobody', 'agent config not found: builtin/nobody'],
    ['../b', 'invalid agent name "../b"'],
    ['Twin', 'agents "Twin" and "twin" in axe/agents differ only in case'],
    ['link', 'failed to read agent config "link": it is a symlink, not a file'],
    ['large', 'failed to read agent config "large": it has 300,000 bytes; 262,144 are the limit'],
  ])('refuse %j', async (name, message) => {
    const { list, read } = open({
      'axe/agents/Twin.toml': TEXT,
      'axe/agents/twin.toml': TEXT,
      'axe/agents/link.toml': null,
      'axe/agents/large.toml': '#'.repeat(300_000),
    });
    await list();
    await expect(read(name)).rejects.toMatchObject({ name: 'ConfigError', message });
  });

  it('have the skills next to them and next to the other folders', async () => {
    const { read } = open({
      'more/agents/x.toml': TEXT,
      'more/skills/s/SKILL.md': 'More.',
      'axe/skills/s/SKILL.md': 'Axe.',
      'axe/skills/t/SKILL.md': 'Other.',
      'axe/skills/link.md': null,
    });
    const { loadSkill } = await read('more/agents/x.toml');
    expect(await loadSkill('s')).toBe('More.');
    expect(await loadSkill('skills/t/SKILL.md')).toBe('Other.');
    await expect(loadSkill('gone')).rejects.toThrow('skill not found: gone');
    await expect(loadSkill('skills/link.md')).rejects.toThrow('it is a symlink, not a file');
    await expect((await read('builtin/ask')).loadSkill('s')).rejects.toThrow('skill not found: s');
  });

  it('have their context files counted in one listing', async () => {
    const { countPaths, requests } = open({ 'docs/a.md': '', 'docs/deep/b.md': '', 'docs/link.md': null });
    expect(await countPaths('**/*.md', '')).toBe(2);
    expect(await countPaths('*.md', '/work/docs')).toBe(1);
    expect(await countPaths('*.txt', 'docs')).toBe(0);
    await expect(countPaths('a[', '')).rejects.toThrow('invalid glob pattern');
    await expect(countPaths('*', '/elsewhere')).rejects.toThrow('does not lie in the repository');
    expect(requests).toHaveLength(1);
  });

  it('report nothing missing if the listing was cut off', async () => {
    const { countPaths } = open({ 'docs/a.md': '' }, true);
    expect(await countPaths('*.txt', '')).toBeUndefined();
    expect(await countPaths('docs/*', '')).toBe(1);
  });
});
