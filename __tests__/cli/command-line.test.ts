import { describe, expect, it } from '@jest/globals';
import { type Flags, formatFlags, parseFlags } from '../../src/cli/command-line.js';

const FLAGS: Flags = {
  model: { type: 'string', about: 'Override the model' },
  timeout: { type: 'string', least: 0, about: 'Time limit in seconds', shown: '120' },
  verbose: { type: 'boolean', short: 'v', about: 'Say what happens' },
  json: { type: 'boolean', about: 'Wrap the answer' },
};

const parse = (...words: string[]) => parseFlags(words, FLAGS, 'run <agent>');

/** Everything that can be asked of the parsed words. */
function asked(...words: string[]) {
  const flags = parse(...words);
  return {
    positionals: flags.positionals,
    help: flags.help,
    model: flags.string('model'),
    timeout: flags.int('timeout'),
    verbose: flags.bool('verbose'),
    json: flags.bool('json'),
  };
}

const NOTHING = {
  positionals: [],
  help: false,
  model: '',
  timeout: undefined,
  verbose: false,
  json: false,
};

const LISTED = '`axe-action run --help` lists the flags.';
const WHOLE = 'Give a whole number from 0 upwards, or leave the flag out.';

describe('flags', () => {
  it.each<[string, Partial<ReturnType<typeof asked>>]>([
    ['', {}],
    ['bot', { positionals: ['bot'] }],
    ['bot --model a/b', { positionals: ['bot'], model: 'a/b' }],
    ['--model a/b bot', { positionals: ['bot'], model: 'a/b' }],
    ['--model=a/b', { model: 'a/b' }],
    ['--model=a=b', { model: 'a=b' }],
    ['--model a/b --model c/d', { model: 'c/d' }],
    ['--model --json', { model: '--json' }],
    ['--model -- bot', { positionals: ['bot'], model: '--' }],
    ['--timeout 5', { timeout: 5 }],
    ['--timeout=0', { timeout: 0 }],
    ['--timeout +7', { timeout: 7 }],
    ['--verbose', { verbose: true }],
    ['-v bot', { positionals: ['bot'], verbose: true }],
    ['--json=T', { json: true }],
    ['--json=FALSE', { json: false }],
    ['--json false', { positionals: ['false'], json: true }],
    ['--help', { help: true }],
    ['-h', { help: true }],
    ['--help=false', { help: false }],
    ['-', { positionals: ['-'] }],
    ['bot -- --json -v', { positionals: ['bot', '--json', '-v'] }],
  ])('of `%s` are parsed as in axe', (line, expected) => {
    const words = line === '' ? [] : line.split(' ');
    expect(asked(...words)).toEqual({ ...NOTHING, ...expected });
  });

  it('can be empty, which counts as not given', () => {
    expect(asked('--model=', '--model', '')).toEqual(NOTHING);
    expect(asked('', ' ')).toEqual({ ...NOTHING, positionals: ['', ' '] });
  });

  it.each([
    ['--nope', 'unknown flag: --nope', LISTED],
    ['--no-json', 'unknown flag: --no-json', LISTED],
    ['--constructor', 'unknown flag: --constructor', LISTED],
    ['--modle x', 'unknown flag: --modle', 'Did you mean `--model`?'],
    ['-x', "unknown shorthand flag: 'x' in -x", LISTED],
    ['-vx', "unknown shorthand flag: 'x' in -x", LISTED],
    ['-model a', "unknown shorthand flag: 'm' in -model", LISTED],
    ['--model', 'flag needs an argument: --model', 'Write `--model <value>`.'],
    ['--timeout', 'flag needs an argument: --timeout', 'Write `--timeout <number>`.'],
    [
      '--timeout=1.5',
      'invalid argument "1.5" for "--timeout" flag: it is not a whole number',
      WHOLE,
    ],
    ['--timeout=', 'invalid argument "" for "--timeout" flag: it is not a whole number', WHOLE],
    ['--timeout "', 'invalid argument "\\"" for "--timeout" flag: it is not a whole number', WHOLE],
    [
      '--timeout 99999999999999999999',
      'invalid argument "99999999999999999999" for "--timeout" flag: it is not a whole number',
      WHOLE,
    ],
    [
      '--json=yes',
      'invalid argument "yes" for "--json" flag: it is neither true nor false',
      'Write `--json`, or `--json=false` to switch it off.',
    ],
  ])('of `%s` are refused, exit status 1, with what to write instead', (line, message, remedy) => {
    const error = { name: 'AxeError', message, remedy, exitCode: 1 };
    expect(thrownBy(() => parse(...line.split(' ')))).toMatchObject(error);
  });

  it('whose values are listed take only those, and name them', () => {
    const flags: Flags = { lane: { type: 'string', about: '', choices: ['left', 'right'] } };
    const parse = (...words: string[]) => parseFlags(words, flags, 'memory show <agent>');
    expect(parse('--lane', 'left').string('lane')).toBe('left');
    expect(parse('--lane=').string('lane')).toBe('');
    expect(thrownBy(() => parse('--lane'))).toMatchObject({ remedy: 'Write `--lane left|right`.' });
    expect(thrownBy(() => parse('--lane', 'up'))).toMatchObject({
      message: 'invalid argument "up" for "--lane" flag',
      remedy: 'Choose one of `left`, `right`.',
    });
    expect(thrownBy(() => parse('--x'))).toMatchObject({
      remedy: '`axe-action memory show --help` lists the flags.',
    });
  });

  it.each([
    [0, '-1', 'invalid argument "-1" for "--timeout" flag: it is less than 0'],
    [1, '0', 'invalid argument "0" for "--timeout" flag: it is less than 1'],
  ])('with a number below %i are refused', (least, value, message) => {
    const flags: Flags = { timeout: { type: 'string', least, about: '' } };
    expect(thrownBy(() => parseFlags(['--timeout', value], flags, 'run'))).toMatchObject({
      message,
    });
    expect(parseFlags([`--timeout=${least}`], flags, 'run').int('timeout')).toBe(least);
  });
});

it('the list of flags in help is sorted by name and aligned, with shorthand, type and default', () => {
  expect(formatFlags(FLAGS)).toBe(
    [
      '  -h, --help           Show this text',
      '      --json           Wrap the answer',
      '      --model string   Override the model',
      '      --timeout int    Time limit in seconds (default 120)',
      '  -v, --verbose        Say what happens',
    ].join('\n'),
  );
});

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return thrown;
  }
}
