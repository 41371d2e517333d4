import { describe, expect, it } from '@jest/globals';
import { createClock } from '../../src/adapters/host/clock.js';
import { createToolOpener } from '../../src/composition/open-tools.js';
import type { ToolSurroundings } from '../../src/composition/tools.js';
import { parseAgent } from '../../src/core/agent/parse.js';
import type { ToolRequest } from '../../src/core/dependencies.js';
import type { Warning } from '../../src/core/warning.js';
import { tempDir, writeFiles } from '../helpers/temp.js';

/** An opener whose surroundings note that somebody looked at them. */
function scene() {
  const cwd = tempDir('tools');
  const touched: PropertyKey[] = [];
  const surroundings: ToolSurroundings = {
    env: {},
    cwd,
    fetch: globalThis.fetch,
    keepSecret: () => undefined,
    clock: createClock(),
    where: 'terminal',
    toolsAllowed: [],
    ownFolder: '/opt/axe-action',
  };
  const watched = new Proxy(surroundings, {
    get(target, name, receiver) {
      touched.push(name);
      return Reflect.get(target, name, receiver);
    },
  });
  return { open: createToolOpener(watched), touched, cwd };
}

function request(toml: string): ToolRequest & { readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const parsed = parseAgent(`name = "bot"\nmodel = "p/m"\n${toml}`, { name: 'bot', file: 'bot.toml' });
  return {
    agent: { name: 'bot', source: 'bot.toml', ...parsed },
    workdir: '.',
    trust: { level: 'trusted', lane: 'trusted', reason: '' },
    callerEffects: undefined,
    signal: new AbortController().signal,
    warn: (warning) => warnings.push(warning),
    warnings,
  };
}

describe('opening the tools of an agent', () => {
  it.each([
    ['nothing', ''],
    ['sub-agents only', 'sub_agents = ["a"]'],
    ['hosts, but no tool that asks them', 'allowed_hosts = ["example.com"]'],
  ])('loads nothing for one with %s (D34)', async (_, toml) => {
    const { open, touched } = scene();
    const asked = request(toml);
    const box = await open(asked);
    expect(box.tools).toEqual([]);
    await box.close();
    expect(touched).toEqual([]);
    expect(asked.warnings).toEqual([]);
  });

  it.each([
    ['a tool', 'tools = ["read_file"]', 1],
    ['an unknown tool', 'tools = ["fly"]', 0],
  ])('loads the tools for one with %s', async (_, toml, count) => {
    const { open, touched } = scene();
    const box = await open(request(toml));
    expect(box.tools).toHaveLength(count);
    expect(touched).not.toEqual([]);
    await box.close();
  });

  it('shares one lock for agents that change the same file at the same time', async () => {
    const { open, cwd } = scene();
    const letters = ['a', 'b', 'c', 'd', 'e'];
    writeFiles(cwd, { 'x.txt': letters.join('\n') });
    const boxes = await Promise.all(letters.map(() => open(request('tools = ["edit_file", "read_file"]'))));
    const { signal } = new AbortController();
    const edits = letters.map((letter, index) =>
      boxes[index]?.tools
        .find(({ name }) => name === 'edit_file')
        ?.execute({ path: 'x.txt', old_string: letter, new_string: letter.toUpperCase() }, signal),
    );
    expect((await Promise.all(edits)).map((result) => result?.isError)).toEqual(letters.map(() => false));
    const read = boxes[0]?.tools.find(({ name }) => name === 'read_file');
    const shown = (await read?.execute({ path: 'x.txt' }, signal))?.text ?? '';
    for (const letter of letters) expect(shown).toContain(letter.toUpperCase());
  });
});
