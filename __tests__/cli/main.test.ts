import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { VERSION } from '../../src/lib/product.js';
import { tempDir } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

/** All commands, in the order of the help. */
const COMMANDS = 'init run demo doctor gc memory agents config version help'.split(' ');

const words = (line: string) => line.split(' ').filter((word) => word !== '');

/** Runs a command line on a machine with nothing on it. */
async function run(line: string, program: Terminal['program'] = 'axe-action') {
  const home = tempDir('home');
  const terminal = createFakeTerminal({ env: { HOME: home }, cwd: home });
  const exitCode = await main(words(line), { ...terminal, program });
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

it.each(['', 'help', '--help', '-h'])('the help is shown for `%s`', async (line) => {
  const { exitCode, output, talk } = await run(line);
  expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
  expect([...output.matchAll(/^ {2}(\w+).* {3}\S/gm)].map(([, name]) => name)).toEqual(COMMANDS);
  expect(output).toMatch(/^axe-action runs an axe agent, .*\n$/s);
});

it.each([
  ['run --help', 'run <agent>'],
  ['agents', 'agents [command]'],
  ['agents show --help', 'agents show <agent>'],
  ['memory forget -h', 'memory forget <agent> <id>'],
  ['help --help', 'help [command]'],
  ['help memory forget', 'memory forget <agent> <id>'],
])('the help of a command is shown for `%s`, and nothing else is done', async (line, usage) => {
  const { exitCode, output, talk } = await run(line);
  expect({ exitCode, talk }).toEqual({ exitCode: 0, talk: '' });
  expect(output).toContain(`\nUsage:\n  axe-action ${usage}\n`);
});

it('the help of a command says what it does, how it is typed, and its flags', async () => {
  expect(
    (await run('config path --help')).output,
  ).toBe(`Print the configuration folder: \`$XDG_CONFIG_HOME/axe\`, or axe in the folder your system has for settings.

Usage:
  axe-action config path

Flags:
  -h, --help   Show this text
`);
});

it.each(['version', '--version'])('the version is shown for %s', async (line) => {
  expect(await run(line)).toEqual({
    exitCode: 0,
    output: `axe-action version ${VERSION}\n`,
    talk: '',
  });
});

const LISTED = '`axe-action --help` lists the commands.';
const NO_SUCH = 'unknown command "bogus" for "axe-action';

it.each([
  ['bogus', `${NO_SUCH}"`, LISTED],
  ['constructor', 'unknown command "constructor" for "axe-action"', LISTED],
  ['--nope', 'unknown flag: --nope', `Flags follow their command. ${LISTED}`],
  ['-v', 'unknown flag: -v', `Flags follow their command. ${LISTED}`],
  ['agents bogus', `${NO_SUCH} agents"`, '`axe-action agents --help` lists the commands.'],
  ['help bogus', `${NO_SUCH}"`, LISTED],
  ['memry', 'unknown command "memry" for "axe-action"', 'Did you mean `axe-action memory`?'],
  [
    'agents lst',
    'unknown command "lst" for "axe-action agents"',
    'Did you mean `axe-action agents list`?',
  ],
  [
    'run',
    '`run` takes the name of one agent, and none was given',
    'Usage: `axe-action run <agent>`.',
  ],
  [
    'run bot look at',
    '`run` takes the name of one agent, and 3 words were given',
    'A task is given as `axe-action run bot --prompt "…"`, or piped in.',
  ],
  ['run bot --nope', 'unknown flag: --nope', '`axe-action run --help` lists the flags.'],
])('`%s` is refused, with how it is written', async (line, message, remedy) => {
  expect(await run(line)).toEqual({ exitCode: 1, output: '', talk: `${message}\n  ${remedy}\n` });
});

it.each([
  ['run', 'accepts 1 arg(s), received 0\n  Usage: `axe run <agent>`.\n'],
  [
    'gc',
    'agent name is required (or use --all)\n  Usage: `axe gc <agent>` for one agent, `axe gc --all` for all that have memory.\n',
  ],
  ['runn', 'unknown command "runn" for "axe"\n  Did you mean `axe run`?\n'],
  [
    'run bot --timeout abc',
    'invalid argument "abc" for "--timeout" flag: strconv.ParseInt: parsing "abc": invalid syntax\n  Give a whole number from 1 upwards, or leave the flag out.\n',
  ],
])('`%s` is refused in axe’s words if the program is started as axe', async (line, talk) => {
  expect(await run(line, 'axe')).toEqual({ exitCode: 1, output: '', talk });
});

it('a bug is to be reported, with its stack, exit status 1', async () => {
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
