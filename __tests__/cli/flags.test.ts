import { describe, expect, it } from '@jest/globals';
import { expectPositionals, type Flag, formatFlags, parseFlags } from '../../src/cli/flags.js';

const FLAGS: readonly Flag[] = [
  { name: 'model', kind: 'string', about: 'Override the model' },
  { name: 'timeout', kind: 'int', about: 'Time limit in seconds', shown: '120' },
  { name: 'verbose', short: 'v', kind: 'bool', about: 'Say what happens' },
  { name: 'json', kind: 'bool', about: 'Wrap the answer' },
  { name: 'output', short: 'o', kind: 'string', about: 'Where to' },
];

const parse = (...words: string[]) => parseFlags(words, { flags: FLAGS, usage: 'run <agent>' });

/** Everything that can be asked of the parsed words. */
function asked(...words: string[]) {
  const flags = parse(...words);
  return {
    positionals: flags.positionals,
    help: flags.help,
    model: flags.string('model'),
    output: flags.string('output'),
    timeout: flags.int('timeout'),
    verbose: flags.bool('verbose'),
    json: flags.bool('json'),
  };
}

const NOTHING = {
  positionals: [],
  help: false,
  model: '',
  output: '',
  timeout: undefined,
  verbose: false,
  json: false,
};

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
    ['-v=false', { verbose: false }],
    ['-v=1', { verbose: true }],
    ['--json=T', { json: true }],
    ['--json=FALSE', { json: false }],
    ['--json false', { positionals: ['false'], json: true }],
    ['--verbose --verbose=0', { verbose: false }],
    ['-o file', { output: 'file' }],
    ['-ofile', { output: 'file' }],
    ['-o=file', { output: 'file' }],
    ['-vofile bot', { positionals: ['bot'], verbose: true, output: 'file' }],
    ['--help', { help: true }],
    ['-h', { help: true }],
    ['-vh', { help: true, verbose: true }],
    ['--help=false', { help: false }],
    ['-', { positionals: ['-'] }],
    ['bot -- --json -v', { positionals: ['bot', '--json', '-v'] }],
  ])('of `%s` are parsed as in axe', (line, expected) => {
    const words = line === '' ? [] : line.split(' ');
    expect(asked(...words)).toEqual({ ...NOTHING, ...expected });
  });

  it('can be empty, which counts as not given', () => {
    expect(asked('--model=', '--output', '')).toEqual(NOTHING);
    expect(asked('', ' ')).toEqual({ ...NOTHING, positionals: ['', ' '] });
  });

  it.each([
    ['--nope', 'unknown flag: --nope'],
    ['--nope=1', 'unknown flag: --nope'],
    ['--Model a', 'unknown flag: --Model'],
    ['--no-json', 'unknown flag: --no-json'],
    ['--constructor', 'unknown flag: --constructor'],
    ['-x', "unknown shorthand flag: 'x' in -x"],
    ['-vx', "unknown shorthand flag: 'x' in -x"],
    ['-model a', "unknown shorthand flag: 'm' in -model"],
    ['---json', 'bad flag syntax: ---json'],
    ['--=x', 'bad flag syntax: --=x'],
    ['--model', 'flag needs an argument: --model'],
    ['--timeout', 'flag needs an argument: --timeout'],
    ['-o', "flag needs an argument: 'o' in -o"],
    ['-vo', "flag needs an argument: 'o' in -o"],
    [
      '--timeout abc',
      'invalid argument "abc" for "--timeout" flag: strconv.ParseInt: parsing "abc": invalid syntax',
    ],
    [
      '--timeout=1.5',
      'invalid argument "1.5" for "--timeout" flag: strconv.ParseInt: parsing "1.5": invalid syntax',
    ],
    ['--timeout=', 'invalid argument "" for "--timeout" flag: strconv.ParseInt: parsing "": invalid syntax'],
    [
      '--timeout 5m',
      'invalid argument "5m" for "--timeout" flag: strconv.ParseInt: parsing "5m": invalid syntax',
    ],
    [
      '--timeout 99999999999999999999',
      'invalid argument "99999999999999999999" for "--timeout" flag: strconv.ParseInt: parsing "99999999999999999999": value out of range',
    ],
    [
      '--json=yes',
      'invalid argument "yes" for "--json" flag: strconv.ParseBool: parsing "yes": invalid syntax',
    ],
    ['--json=', 'invalid argument "" for "--json" flag: strconv.ParseBool: parsing "": invalid syntax'],
    [
      '-v=maybe',
      'invalid argument "maybe" for "-v, --verbose" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      '--timeout "',
      'invalid argument "\\"" for "--timeout" flag: strconv.ParseInt: parsing "\\"": invalid syntax',
    ],
  ])('of `%s` are refused in axe’s words, exit status 1', (line, message) => {
    expect(thrownBy(() => parse(...line.split(' ')))).toMatchObject({
      name: 'AxeError',
      message,
      exitCode: 1,
    });
  });

  it.each([
    ['--frob', '`axe-action run --help` lists the flags.'],
    ['--modle x', 'Did you mean `--model`?'],
    ['-x', '`axe-action run --help` lists the flags.'],
    ['-model a/b', 'Did you mean `--model`?'],
    ['-model=a/b', 'Did you mean `--model`?'],
    ['---json', 'Write a flag `--name`, `--name value` or `--name=value`.'],
    ['--model', 'Write `--model <value>`.'],
    ['--timeout', 'Write `--timeout <number>`.'],
    ['-o', 'Write `--output <value>`.'],
    ['--timeout 5m', 'Give a whole number from 0 upwards, or leave the flag out.'],
    ['--json=yes', 'Write `--json`, or `--json=false` to switch it off.'],
  ])('of `%s` are refused with what to write instead', (line, remedy) => {
    expect(thrownBy(() => parse(...line.split(' ')))).toMatchObject({ remedy });
  });

  it('whose values are listed name them where one is missing', () => {
    const flags: readonly Flag[] = [{ name: 'lane', kind: 'string', about: '', choices: ['left', 'right'] }];
    expect(thrownBy(() => parseFlags(['--lane'], { flags, usage: 'memory show <agent>' }))).toMatchObject({
      remedy: 'Write `--lane left|right`.',
    });
    expect(thrownBy(() => parseFlags(['--x'], { flags, usage: 'memory show <agent>' }))).toMatchObject({
      remedy: '`axe-action memory show --help` lists the flags.',
    });
  });

  it('with a number below the minimum are refused', () => {
    const flags: readonly Flag[] = [{ name: 'timeout', kind: 'int', min: 1, about: '' }, ...FLAGS.slice(2)];
    expect(thrownBy(() => parse('--timeout', '-1'))).toMatchObject({
      message: 'invalid argument "-1" for "--timeout" flag: it is less than 0',
      exitCode: 1,
    });
    expect(thrownBy(() => parseFlags(['--timeout=0'], { flags, usage: 'run' }))).toMatchObject({
      message: 'invalid argument "0" for "--timeout" flag: it is less than 1',
    });
    expect(parseFlags(['--timeout=1'], { flags, usage: 'run' }).int('timeout')).toBe(1);
  });

  it('that are wrong are reported in their order, before help', () => {
    expect(thrownBy(() => parse('--help', '--one', '--two'))).toMatchObject({
      message: 'unknown flag: --one',
    });
  });
});

describe('positional arguments', () => {
  it('are accepted in the expected number', () => {
    expect(expectPositionals(parse('a', '-v', 'b'), 2)).toEqual(['a', 'b']);
    expect(expectPositionals(parse(), 0)).toEqual([]);
  });
});

describe('the list of flags in help', () => {
  it('is sorted by name and aligned, with shorthand, type and default', () => {
    expect(formatFlags(FLAGS)).toBe(
      [
        '  -h, --help            Show this text',
        '      --json            Wrap the answer',
        '      --model string    Override the model',
        '  -o, --output string   Where to',
        '      --timeout int     Time limit in seconds (default 120)',
        '  -v, --verbose         Say what happens',
      ].join('\n'),
    );
  });
});

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return thrown;
  }
}
