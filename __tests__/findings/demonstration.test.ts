import { describe, expect, it } from '@jest/globals';
import type { Word } from '../../src/event/trust.js';
import {
  endByTest,
  fixedTexts,
  nextRun,
  resultOfRun,
  type TestDraft,
  type TestedCode,
  type TestRun,
  whyNotRun,
  whyNotShown,
} from '../../src/findings/decide/demonstration.js';
import type { TestedEnd } from '../../src/findings/known-finding.js';
import { sanitize } from '../../src/safety/sanitize.js';

const FORETOLD = { withFault: '2', withoutFault: '1' };
const run = (exit: TestRun['exit'], saw: string): TestRun => ({ exit, saw, output: '', ms: 1 });

describe('a run of a test shows', () => {
  it.each<readonly [string, TestedCode, TestRun, string | undefined]>([
    ['the fault, on the code as it is', 'head', run(1, '2'), undefined],
    ['the fault, with the highest status of a test', 'head', run(123, '2'), undefined],
    ['that it is gone, with the fix', 'fix', run(0, '1'), undefined],
    ['nothing if its time was up', 'head', run('time', '2'), 'it did not end in time'],
    [
      'nothing if it wrote nothing down',
      'head',
      run(1, ''),
      'it did not get to its check (it ended with status 1)',
    ],
    ['nothing if it passes', 'head', run(0, '1'), 'it passes on the code as it is'],
    ['nothing if it passes with the fault', 'head', run(0, '2'), 'it passes on the code as it is'],
    ['nothing if it also fails with the fix', 'fix', run(1, '1'), 'it fails with the fix, too'],
    ['nothing if a signal ended it', 'head', run(null, '2'), 'it ended with a signal'],
    ['nothing if memory ran out', 'head', run(137, '2'), 'it ended with status 137'],
    [
      'nothing if a limit of time of its own ended it',
      'head',
      run(124, '2'),
      'it ended with status 124',
    ],
    ['nothing if it saw something else', 'head', run(1, 'x'), 'it saw "x", not "2"'],
    ['nothing if the fix gives something else', 'fix', run(0, '2'), 'it saw "2", not "1"'],
    ['nothing if a space is more', 'head', run(1, '2 '), 'it saw "2", not "2"'],
  ])('%s', (_, code, result, why) => {
    expect(whyNotShown(result, code, FORETOLD)).toBe(why);
  });

  it('in a long value only its beginning', () => {
    const why = whyNotShown(run(1, 'v'.repeat(400)), 'head', FORETOLD) ?? '';
    expect(why.length).toBeLessThan(80);
  });
});

describe('the runs of a demonstration', () => {
  const order = (ms: number) => {
    const codes: TestedCode[] = [];
    for (let code = nextRun(0, 0); code !== undefined && codes.length < 20; ) {
      codes.push(code);
      code = nextRun(codes.length, codes.length * ms);
    }
    return codes;
  };

  it('are ten where they are quick, in turns', () => {
    const pair = ['head', 'fix'];
    expect(order(500)).toEqual([...pair, ...pair, ...pair, ...pair, ...pair]);
  });

  it('are four where they take long, and always end with the fix', () => {
    expect(order(100_000)).toHaveLength(4);
    expect(order(6_000)).toEqual(['head', 'fix', 'head', 'fix', 'head', 'fix']);
  });
});

describe('a run after a push says', () => {
  it.each<readonly [string, TestRun, string]>([
    ['that the fault is there', run(1, '2'), 'fails'],
    ['that it is gone', run(0, '1'), 'passes'],
    ['nothing where it sees another value', run(1, '3'), 'unclear'],
    ['nothing where it does not get to its check', run(1, ''), 'unclear'],
    ['nothing where it is skipped', run(0, ''), 'unclear'],
    ['nothing where it passes with the value of the fault', run(0, '2'), 'unclear'],
    ['nothing where it fails with the value of the fix', run(1, '1'), 'unclear'],
    ['nothing where its time was up', run('time', '2'), 'unclear'],
    ['nothing where a signal ended it', run(137, '2'), 'unclear'],
  ])('%s', (_, result, said) => {
    expect(resultOfRun(result, FORETOLD)).toBe(said);
  });
});

describe('a test is run', () => {
  const DRAFT: TestDraft = {
    path: 'test/first.test.mjs',
    test: "import { first } from '../list.mjs';\ncheck(first([1, 2]));\n",
    command: 'node --test test/first.test.mjs',
    ...FORETOLD,
    fix: [{ path: 'list.mjs', code: 'return list[1];', instead: 'return list[0];' }],
  };
  const texts = new Map<string, string | null>([
    ['list.mjs', 'export function first(list) {\n  return list[1];\n}\n'],
    ['gone.mjs', null],
  ]);
  const clean = (markdown: string) => sanitize(markdown, 'comment', ['s3cret-value']);
  const why = (change: Partial<TestDraft>, exists = false) =>
    whyNotRun({ ...DRAFT, ...change }, { exists, texts, clean });
  const fix = (change: Partial<TestDraft['fix'][number]>) => ({
    fix: [{ path: 'list.mjs', code: 'return list[1];', instead: 'return list[0];', ...change }],
  });

  it('if nothing speaks against it', () => {
    expect(why({})).toBeUndefined();
  });

  it.each<readonly [string, Partial<TestDraft>, RegExp]>([
    ['outside of the workspace', { path: '../t.mjs' }, /relative path/],
    ['at an absolute path', { path: '/tmp/t.mjs' }, /relative path/],
    ['in a folder with a dot', { path: '.github/t.mjs' }, /relative path/],
    ['at a name that is an option', { path: 'a//t.mjs' }, /relative path/],
    ['at a name with a line break', { path: 't\n.mjs' }, /relative path/],
    ['without a text', { test: ' \n' }, /empty/],
    ['with 17 KB', { test: 'x'.repeat(17_000) }, /16 KB/],
    ['with hidden characters', { test: 'check(‮1)' }, /hidden/],
    ['with a secret', { test: 'const key = "s3cret-value";' }, /not posted/],
    ['with the shape of a key', { test: `k = "ghp_${'a1B2'.repeat(9)}"` }, /not posted/],
    ['by a command of two lines', { command: 'a\nb' }, /one line/],
    ['by a command that is too long', { command: 'a'.repeat(301) }, /one line/],
    ['without a value', { withFault: '' }, /one line/],
    ['with a value that is too long', { withoutFault: 'v'.repeat(101) }, /one line/],
    ['with one value for both', { withFault: '1' }, /different/],
    ['without a fix', { fix: [] }, /missing/],
    ['with four changes', { fix: [0, 1, 2, 3].flatMap(() => DRAFT.fix) }, /more than 3/],
    ['with a fix in an unknown file', fix({ path: 'none.mjs' }), /tracked/],
    ['with a fix in a file that is gone', fix({ path: 'gone.mjs' }), /tracked/],
    ['with a fix of code that is not there', fix({ code: 'return 7;' }), /exactly once/],
    ['with a fix of code that is there twice', fix({ code: 'list' }), /exactly once/],
    ['with a fix of no code', fix({ code: '' }), /exactly once/],
    ['with a fix that is too long', fix({ instead: 'x\n'.repeat(41) }), /40 lines/],
    [
      'with words that are too long together',
      { command: 'a'.repeat(290), path: 'b'.repeat(190) },
      /450 bytes/,
    ],
    [
      'with a name that only the fix defines',
      {
        ...fix({ instead: 'return list[0];\n}\nexport function head(l) {' }),
        test: 'check(head);',
      },
      /`head`, which only the fix defines/,
    ],
    [
      'if it reads the code as text',
      { test: "fs.readFileSync('list.mjs', 'utf8').includes('[1]')" },
      /reads the code as text/,
    ],
  ])('unless it is %s', (_, change, message) => {
    expect(why(change)).toMatch(message);
  });

  it('only in a new file', () => {
    expect(why({}, true)).toMatch(/new file/);
  });

  it('with two changes of one file, one after the other', () => {
    const changes = [
      { path: 'list.mjs', code: 'list[1]', instead: 'list[$&]' },
      { path: 'list.mjs', code: 'list[$&]', instead: 'list[0]' },
    ];
    expect(why({ fix: changes })).toBeUndefined();
    expect(fixedTexts(changes, texts).get('list.mjs')).toContain('return list[0];');
  });
});

describe('a test that passes after a push ends its finding', () => {
  const CHANGED = ['src/list.ts', 'src/other.ts'];
  it.each<[string, boolean, readonly string[], Word, Word, TestedEnd]>([
    ['alone, if a file of the fix was pushed', false, CHANGED, 'own', 'own', 'alone'],
    ['alone, if its line is gone', true, [], 'own', 'own', 'alone'],
    [
      'after a second look, if no line of it changed',
      false,
      ['src/other.ts'],
      'own',
      'own',
      'look',
    ],
    ['after a second look, if strangers’ words led to it', false, CHANGED, 'mixed', 'own', 'look'],
    ['after a second look, after strangers’ words', true, CHANGED, 'own', 'mixed', 'look'],
  ])('%s', (_, ...[isGone, pushed, words, word, expected]) => {
    const test = {
      sha256: 'a'.repeat(64),
      path: 'list.test.ts',
      command: 'node --test list.test.ts',
      saw: ['2', '1'] as const,
      fixed: ['src/list.ts'],
      words,
      head: 'b'.repeat(40),
    };
    expect(endByTest({ test, isGone }, new Set(pushed), word)).toBe(expected);
  });
});
