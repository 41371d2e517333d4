import { describe, expect, it } from '@jest/globals';
import { type GrantRules, grantTools } from '../../src/tools/grants.js';
import type { ToolEffect } from '../../src/tools/tool.js';

const EFFECTS: readonly ToolEffect[] = ['read', 'memory', 'write', 'execute', 'network', 'publish'];
const asked = EFFECTS.map((effect) => ({ name: `do_${effect}`, effect }));

const terminal: GrantRules = { where: 'terminal', tools: 'all', toolsAllowed: [] };
const trusted: GrantRules = { where: 'workflow', tools: 'all', toolsAllowed: [] };
const untrusted: GrantRules = { where: 'workflow', tools: 'read', toolsAllowed: [] };

const allow = (...toolsAllowed: readonly string[]): GrantRules => ({ ...trusted, toolsAllowed });
const below = (rules: GrantRules, ...effects: readonly ToolEffect[]): GrantRules => {
  return { ...rules, parentEffects: new Set(effects) };
};

describe('the tools that are allowed for an agent', () => {
  it.each<[string, GrantRules, string]>([
    ['everything it lists in a terminal', terminal, EFFECTS.join(' ')],
    ['reading, memory and publishing in a trusted workflow', trusted, 'read memory publish'],
    ['also a tool the workflow names', allow('do_write'), 'read memory write publish'],
    [
      'also an effect the workflow names',
      allow('execute', 'network'),
      'read memory execute network publish',
    ],
    ['nothing for a part of a name', allow('do_', 'exe'), 'read memory publish'],
    ['reading and publishing in an untrusted run', untrusted, 'read publish'],
    [
      'no more in an untrusted run, whatever the workflow names',
      { ...allow('write', 'do_execute', 'network', 'memory'), tools: 'read' },
      'read publish',
    ],
    ['no more than its parent in a terminal', below(terminal, 'read', 'network'), 'read network'],
    [
      'no more than its parent in a workflow',
      below(allow('write'), 'read', 'memory'),
      'read memory',
    ],
    ['no more because of its parent', below(untrusted, ...EFFECTS), 'read publish'],
  ])('are %s', (_, rules, effects) => {
    const { granted, withheld } = grantTools(asked, rules);
    expect(granted.map(({ effect }) => effect).join(' ')).toBe(effects);
    expect(withheld.map((message) => /\((\w+)\) was withheld/.exec(message)?.[1])).toEqual(
      EFFECTS.filter((effect) => !effects.split(' ').includes(effect)),
    );
  });

  const KNOWS: GrantRules = { ...trusted, knowsPrivateMemory: true };
  it.each<[string, readonly string[], readonly string[]]>([
    ['and not what reaches the network', ['write', 'execute', 'network'], ['run_command', 'edit']],
    ['and no commands, if these reach it', ['execute', 'run_command(network)'], []],
  ])('are for a run that knows private memory what the workflow names, %s', (_, words, given) => {
    const requested = [
      { name: 'url_fetch', effect: 'network' },
      { name: 'run_command', effect: 'execute' },
      { name: 'an_mcp_program', effect: 'execute' },
      { name: 'edit', effect: 'write' },
    ] as const;
    const { granted, withheld } = grantTools(requested, { ...KNOWS, toolsAllowed: words });
    expect(granted.map(({ name }) => name)).toEqual(given);
    const ofNetwork = withheld.filter((message) => !message.includes('`edit`'));
    for (const message of ofNetwork) {
      expect(message).toContain('was withheld: this run knows private memory (`memory-repo`)');
      expect(message).not.toContain('tools-allowed');
    }
  });

  it('are listed with the line that would allow the rest', () => {
    const rules = { ...trusted, toolsAllowed: ['write_file'] };
    const others = ['run_command', 'do_more'].map((name) => ({ name, effect: 'execute' }) as const);
    const { withheld } = grantTools(others, rules);
    const line =
      'in a workflow it has to be allowed. Add `tools-allowed: write_file, run_command, do_more` to';
    expect(withheld).toEqual(others.map(() => expect.stringContaining(line)));
    const asked = [{ name: 'edit_file', effect: 'write' } as const, ...others];
    const called = grantTools(asked, below({ ...trusted, toolsAllowed: [] }, 'write')).withheld;
    expect(called[0]).toContain('Add `tools-allowed: edit_file` to');
  });

  it.each([
    ['people without write access have a part', untrusted],
    ['the agent that called this one is not allowed', below(terminal)],
  ])('come without a line if none would help: %s', (reason, rules) => {
    const { withheld } = grantTools([{ name: 'run_command', effect: 'execute' }], rules);
    expect(withheld).toEqual([expect.stringContaining(reason)]);
    expect(withheld[0]).not.toContain('tools-allowed');
  });
});

it.each(['run_command', 'run_command(home)', 'run_command(network)', 'execute'])(
  'commands are allowed by %s, and an unknown right of theirs allows nothing',
  (word) => {
    const requested = [{ name: 'run_command', effect: 'execute' }] as const;
    expect(grantTools(requested, allow(word)).granted).toEqual(requested);
    expect(grantTools(requested, allow('run_command(all)')).granted).toEqual([]);
  },
);
