import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLog } from '../../../src/memory/units.js';
import { entriesWith } from '../../../src/run/memory-commands/command-session.js';
import { formatEntries, matcherOf, readEntries } from '../../../src/run/memory-commands/entry.js';
import { anyLog, entry } from './logs.js';

describe('readEntries', () => {
  it('returns each entry with its fields, its origin and its first line', () => {
    const log = `# Mine\n\n${entry(1)}${entry(2, { id: 'b2', actor: 'hubot', isComputed: true, result: 'a\nb' })}`;
    expect(readEntries(log, false)).toMatchObject([
      {
        line: 3,
        heading: '2026-02-03T04:01:00Z',
        task: 'task 1',
        result: 'result 1',
        provenance: undefined,
      },
      {
        line: 7,
        id: 'b2',
        task: 'task 2',
        result: 'a\nb',
        provenance: { actor: 'hubot', isComputed: true },
        isApart: false,
      },
    ]);
  });

  it('reads files with Windows line ends in the same way', () => {
    const log = entry(1, { id: 'a' }) + entry(2, { result: '# 结果\n好' });
    expect(readEntries(log.replaceAll('\n', '\r\n'), false)).toEqual(readEntries(log, false));
  });

  it.each([
    [
      'without its lines',
      'notes of mine\n',
      { task: undefined, result: undefined, body: 'notes of mine' },
    ],
    ['with empty ones', '**Task:** \n**Result:** \n', { task: '', result: '' }],
    [
      'with several: the first result, and a task only above it',
      '**Result:** a\n**Task:** b\n**Result:** c\n',
      { task: undefined, result: 'a\n**Task:** b\n**Result:** c' },
    ],
    [
      'with words between them',
      '**Task:** t\nBetween.\n**Result:** r',
      { task: 't', result: 'Between.\nr' },
    ],
    ['with a task alone', '**Task:** t\nReworded.', { task: 't', result: 'Reworded.' }],
  ])('reads an entry %s', (_, body, fields) => {
    expect(readEntries(`## 2026-02-03T04:05:06Z\n${body}`, false)).toMatchObject([fields]);
  });

  it('names the line of an entry’s text, in any log', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const lines = log.split('\n');
        const { units } = parseLog(log);
        for (const [at, { line }] of readEntries(log, false).entries())
          expect(
            lines
              .slice((line ?? 0) - 1)
              .join('\n')
              .replace(/^\uFEFF/, '')
              .indexOf(units[at]?.text ?? '?'),
          ).toBe(0);
      }),
    );
  });
});

const LOG = readEntries(
  entry(1, { id: 'abcdef1' }) + entry(2, { id: 'abcdef2' }) + entry(3, { id: 'abc' }) + entry(4),
  false,
);
const APART = readEntries(entry(2, { id: 'abcdef2' }) + entry(5, { id: 'ghijklmn' }), true);
const ALL = [...LOG, ...APART];
const PLAIN = LOG[3]?.id ?? '';

it.each([
  ['a whole id', 'abcdef1', ['abcdef1']],
  ['a whole id shorter than a beginning can be', 'abc', ['abc']],
  ['an id that the log has and that is kept apart', 'abcdef2', ['abcdef2', 'apart abcdef2']],
  ['the beginning of one id', 'ghijkl', ['apart ghijklmn']],
  ['the beginning of the id of an entry of axe', PLAIN.slice(0, 8), [PLAIN]],
  ['a beginning that is too short', 'ghijk', []],
  ['nobody’s id', 'abcdef3', []],
  ['no id', '', []],
])('entriesWith finds by %s', (_, wanted, expected) => {
  const found = entriesWith(wanted, ALL);
  expect(
    'kind' in found ? found : found.map(({ isApart, id }) => (isApart ? `apart ${id}` : id)),
  ).toEqual(expected);
});

const ENTRIES = readEntries(
  entry(1, { id: 'a', task: 'Review pull request #42', result: 'Found a race in db.ts' }) +
    entry(5, { id: 'b', task: 'Nightly check', result: 'No RACE found, 数据库 is fine' }) +
    entry(3, { id: 'c', task: 'Nightly check', result: 'flaky' }) +
    '## 2026-02-03T04:04:00Z\nnotes on the race\n',
  false,
);

it.each([
  [['race'], ['a', 'b', undefined]],
  [
    ['RACE', 'found'],
    ['a', 'b'],
  ],
  [['nightly'], ['b', 'c']],
  [['数据'], ['b']],
  [['#42', 'race'], ['a']],
  [['axe-action'], []],
  [['id=a'], []],
  [['2026'], []],
])('matcherOf tells the entries that hold %j', (words, ids) => {
  const found = ENTRIES.filter(matcherOf(words)).map(({ id, provenance }) => provenance && id);
  expect(found).toEqual(ids);
});

it('matcherOf finds an accented letter however it is written', () => {
  const entries = readEntries(entry(1, { result: 'cafe\u0301' }), false);
  expect(entries.filter(matcherOf(['CAFÉ']))).toHaveLength(1);
});

it('a list of entries has id, time, actor, line, task and the first lines', () => {
  const long = entry(2, { id: 'b2', actor: 'octocat', result: 'one\ntwo\n\nthree\nfour\nfive' });
  expect(formatEntries(readEntries(entry(1) + long, false).slice(1)).split('\n')).toEqual([
    '- `b2` 2026-02-03T04:02:00Z by octocat, line 5',
    '  Task: task 2',
    '  Result: one',
    '  two',
    '  three',
    '  … 2 more lines',
  ]);
});
