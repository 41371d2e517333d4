import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { VERSION } from '../../src/lib/product.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { COMMAND_NAMES } from './command-names.js';

/** Runs a command line on a machine with nothing on it. */
async function run(...argv: string[]) {
  const home = tempDir('home');
  const terminal = createFakeTerminal({ env: { HOME: home }, cwd: home });
  const exitCode = await main(argv, terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

describe('the command line', () => {
  it.each([[[]], [['help']], [['--help']], [['-h']]])('shows its help for %j', async (argv) => {
    const { exitCode, output, talk } = await run(...argv);
    expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
    expect([...output.matchAll(/^ {2}(\w+).* {3}\S/gm)].map(([, name]) => name)).toEqual(COMMAND_NAMES);
    expect(output).toMatch(/^axe-action runs an axe agent, .*\n$/s);
  });

  it.each([
    [['run', '--help'], 'axe-action run <agent>'],
    [['agents'], 'axe-action agents [command]'],
    [['agents', 'show', '--help'], 'axe-action agents show <agent>'],
    [['memory', 'forget', '-h'], 'axe-action memory forget <agent> <id>'],
    [['help', '--help'], 'axe-action help [command]'],
    [['help', 'run'], 'axe-action run <agent>'],
    [['help', 'memory', 'forget'], 'axe-action memory forget <agent> <id>'],
  ])('shows the help of a command for %j, and does nothing else', async (argv, usage) => {
    const { exitCode, output, talk } = await run(...argv);
    expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
    expect(output).toContain(`\nUsage:\n  ${usage}\n`);
  });

  it('shows what a command does, how it is typed, and its flags', async () => {
    expect(
      (await run('config', 'path', '--help')).output,
    ).toBe(`Print the configuration folder: \`$XDG_CONFIG_HOME/axe\`, or axe in the folder your system has for settings.

Usage:
  axe-action config path

Flags:
  -h, --help   Show this text
`);
  });

  it.each([[['version']], [['--version']]])('shows its version for %j', async (argv) => {
    expect(await run(...argv)).toEqual({ exitCode: 0, output: `axe-action version ${VERSION}\n`, talk: '' });
  });

  it.each([
    [['bogus'], 1, 'unknown command "bogus" for "axe-action"\n  `axe-action --help` lists the commands.\n'],
    [
      ['constructor'],
      1,
      'unknown command "constructor" for "axe-action"\n  `axe-action --help` lists the commands.\n',
    ],
    [
      ['--nope'],
      1,
      'unknown flag: --nope\n  Flags follow their command. `axe-action --help` lists the commands.\n',
    ],
    [['-v'], 1, 'unknown flag: -v\n  Flags follow their command. `axe-action --help` lists the commands.\n'],
    [
      ['agents', '--nope'],
      1,
      'unknown flag: --nope\n  Flags follow their command. `axe-action agents --help` lists the commands.\n',
    ],
    [
      ['agents', 'bogus'],
      1,
      'unknown command "bogus" for "axe-action agents"\n  `axe-action agents --help` lists the commands.\n',
    ],
    [
      ['run'],
      1,
      '`run` takes the name of one agent, and none was given\n  Usage: `axe-action run <agent>`.\n',
    ],
    [['run', 'bot', '--nope'], 1, 'unknown flag: --nope\n  `axe-action run --help` lists the flags.\n'],
    [
      ['run', 'bot', '--timeout', 'abc'],
      1,
      'invalid argument "abc" for "--timeout" flag: it is not a whole number\n  Give a whole number from 1 upwards, or leave the flag out.\n',
    ],
    [
      ['help', 'bogus'],
      1,
      'unknown command "bogus" for "axe-action"\n  `axe-action --help` lists the commands.\n',
    ],
  ])('refuses %j, and says how it is written', async (argv, exitCode, talk) => {
    expect(await run(...argv)).toEqual({ exitCode, output: '', talk });
  });

  it.each([
    [['memry'], 'unknown command "memry" for "axe-action"\n  Did you mean `axe-action memory`?\n'],
    [
      ['agents', 'lst'],
      'unknown command "lst" for "axe-action agents"\n  Did you mean `axe-action agents list`?\n',
    ],
    [['help', 'rnu'], 'unknown command "rnu" for "axe-action"\n  Did you mean `axe-action run`?\n'],
    [['run', 'bot', '--modle', 'x'], 'unknown flag: --modle\n  Did you mean `--model`?\n'],
  ])('suggests the nearest command for %j', async (argv, talk) => {
    expect(await run(...argv)).toEqual({ exitCode: 1, output: '', talk });
  });

  it.each([
    [['run'], 'accepts 1 arg(s), received 0\n  Usage: `axe run <agent>`.\n'],
    [
      ['gc'],
      `agent name is required (or use --all)\n  Usage: \`axe gc <agent>\` for one agent, \`axe gc --all\` for all that have memory.\n`,
    ],
    [['runn'], 'unknown command "runn" for "axe"\n  Did you mean `axe run`?\n'],
    [
      ['run', 'bot', '--timeout', 'abc'],
      'invalid argument "abc" for "--timeout" flag: strconv.ParseInt: parsing "abc": invalid syntax\n  Give a whole number from 1 upwards, or leave the flag out.\n',
    ],
  ])('says %j in axe’s words if it is started as axe', async (argv, talk) => {
    const terminal = createFakeTerminal();
    expect(await main(argv, { ...terminal, program: 'axe' })).toBe(1);
    expect(terminal.talk()).toBe(talk);
  });

  it('shows how to give a task', async () => {
    const { exitCode, talk } = await run('run', 'bot', 'look', 'at', 'this');
    expect([exitCode, talk]).toEqual([
      1,
      '`run` takes the name of one agent, and 4 words were given\n  A task is given as `axe-action run bot --prompt "…"`, or piped in.\n',
    ]);
  });

  it('requests a report of a bug, with its stack, exit status 1', async () => {
    const terminal = createFakeTerminal();
    const stdout = new Writable();
    stdout.write = () => {
      throw new TypeError('this is not possible');
    };
    expect(await main(['version'], { ...terminal, stdout })).toBe(1);
    expect(terminal.talk()).toMatch(
      /^This is a bug in axe-action; please report it with these lines:\nTypeError: this is not possible\n {4}at .*\n$/s,
    );
  });
});
