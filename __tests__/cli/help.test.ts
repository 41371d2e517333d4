import { describe, expect, it } from '@jest/globals';
import { type CommandHelp, formatCommandHelp, formatGroupHelp } from '../../src/cli/help.js';

const SHOW: CommandHelp = {
  usage: 'agents show <agent>',
  short: 'Show an agent',
  long: 'Show an agent.\nWhat is not set is left out.',
  flags: [{ name: 'agents-dir', kind: 'string', about: 'Look here first' }],
};
const LIST: CommandHelp = { usage: 'agents list', short: 'List the agents', long: 'List them.', flags: [] };

describe('help', () => {
  it('for a command shows what it does, how it is typed, and its flags', () => {
    expect(formatCommandHelp(SHOW)).toBe(`Show an agent.
What is not set is left out.

Usage:
  axe-action agents show <agent>

Flags:
      --agents-dir string   Look here first
  -h, --help                Show this text`);
  });

  it('for a command without flags still names --help', () => {
    expect(formatCommandHelp(LIST)).toMatch(/\n\nFlags:\n {2}-h, --help {3}Show this text$/);
  });

  it('for a group lists its commands without the name of the group', () => {
    expect(formatGroupHelp('Agents are TOML files.', 'agents ', [LIST, SHOW])).toBe(`Agents are TOML files.

Usage:
  axe-action agents [command]

Commands:
  list           List the agents
  show <agent>   Show an agent

Use "axe-action agents [command] --help" for more about a command.`);
  });

  it('for the program lists all commands', () => {
    expect(formatGroupHelp('It runs agents.', '', [SHOW])).toContain(
      '\n  axe-action [command]\n\nCommands:\n  agents show <agent>   Show an agent\n',
    );
  });
});
