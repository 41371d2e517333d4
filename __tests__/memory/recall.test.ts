import { describe, expect, it } from '@jest/globals';
import { describeChoice, recall, type Subject } from '../../src/memory/recall.js';
import { countEntries, formatEntry, formatProvenance } from '../../src/memory/run-log.js';

const ROOM = 16 * 1024;
const FILLER = 'Looked at every file. '.repeat(20);

interface EntryParts {
  readonly task?: string;
  readonly result?: string;
  readonly on?: string;
  readonly files?: readonly string[];
  readonly isComputed?: boolean;
}

function entry(number: number, { task, result = FILLER, ...about }: EntryParts = {}): string {
  return formatEntry({
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, number)),
    task: task ?? `task-${number}`,
    result,
    provenance: formatProvenance({ id: `e${number}`, ...about }),
  });
}

/** A log of so many entries, some of them with parts of their own. */
function logOf(count: number, parts: Readonly<Record<number, EntryParts>> = {}): string {
  return Array.from({ length: count }, (_, at) => entry(at + 1, parts[at + 1])).join('');
}

function about(...paths: readonly string[]): Subject {
  return { paths, words: [] };
}

/** The numbers of the entries that were chosen. */
function chosen(log: string, subject: Subject | undefined, maxBytes = ROOM): readonly number[] {
  const { text, entries } = recall(log, subject, maxBytes);
  expect(entries.map((found) => found.text).join('')).toBe(text);
  return [...text.matchAll(/ id=e(\d+) /g)].map(([, number]) => Number(number));
}

describe('recall', () => {
  it('gives all of a log that fits, every byte of it, whatever it is', () => {
    const logs = ['# Notes\n\nby hand\n\n## hello\nyes\n', logOf(3), '', 'no entry at all'];
    for (const log of logs) expect(recall(log, about('a.ts'), ROOM).text).toBe(log);
  });

  it('gives the newest three, and seven about the files of the change', () => {
    const files = ['src/a.ts'];
    const log = logOf(
      60,
      Object.fromEntries([4, 5, 9, 20, 30, 31, 33, 40].map((n) => [n, { files }])),
    );
    expect(chosen(log, about('src/a.ts'))).toEqual([5, 9, 20, 30, 31, 33, 40, 58, 59, 60]);
  });

  it('fills up with the newest if fewer are about them', () => {
    const log = logOf(60, { 2: { files: ['src/a.ts'] } });
    expect(chosen(log, about('src/a.ts'))).toEqual([2, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
  });

  it('counts a rare path for more than several common ones', () => {
    const common = { files: ['index.ts', 'package.json'] };
    const parts = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [at + 5, common]));
    const log = logOf(60, { ...parts, 1: { files: ['src/rare.ts'] } });
    expect(chosen(log, about('index.ts', 'package.json', 'src/rare.ts'))).toContain(1);
  });

  it('gives one entry of each pull request among the related, the one that shares most', () => {
    const part = { on: '#7', files: ['a.ts'] };
    const log = logOf(60, {
      1: { on: '#7', files: ['a.ts', 'b.ts'] },
      ...Object.fromEntries([2, 3, 4, 5, 6, 7].map((number) => [number, part])),
      8: { on: '#8', files: ['a.ts'] },
    });
    expect(chosen(log, about('a.ts', 'b.ts')).filter((number) => number < 20)).toEqual([1, 8]);
  });

  it('finds what was said on the same issue before', () => {
    const log = logOf(60, {
      3: { on: '#42' },
      4: { on: '#420' },
      5: { result: `See #42. ${FILLER}` },
    });
    const subject = { on: '#42', paths: [], words: [] };
    expect(chosen(log, subject).filter((number) => number < 20)).toEqual([3, 5]);
  });

  it('finds the words of a title in tasks alone', () => {
    const log = logOf(60, {
      3: { task: 'Answer issue #9: Timeout while saving' },
      4: { result: `timeout ${FILLER}` },
    });
    const subject = { paths: [], words: ['timeout'] };
    expect(chosen(log, subject).filter((number) => number < 20)).toEqual([3]);
  });

  it.each([
    ['in code', 'It is in `src/auth.ts:12`.', true],
    ['at the end of a sentence', 'Look at src/auth.ts.', true],
    ['as a part of another path', 'It is in lib/src/auth.ts and src/auth.tsx.', false],
    ['as a part of another name', 'It is in src/auth.ts.orig and _src/auth.ts.', false],
  ])('finds entries by hand that name a path %s', (_, result, isFound) => {
    const byHand = `## by hand\n${result} ${FILLER}\n\n`;
    const axe = formatEntry({ timestamp: new Date(0), task: result, result: FILLER });
    for (const text of [byHand, axe]) {
      const { text: given } = recall(text + logOf(60), about('src/auth.ts'), ROOM);
      expect(given.startsWith(text)).toBe(isFound);
    }
  });

  it.each(['a -->.js', 'a,b.ts', 'a--b.ts', 'a>b.ts', ' two  blanks .ts', '日本語/ファイル.ts'])(
    'finds the entry that lists the path %j',
    (path) => {
      const log = logOf(60, { 2: { files: ['src/a.ts', path] }, 3: { files: [`x${path}x`] } });
      expect(chosen(log, about(path)).filter((number) => number < 20)).toEqual([2]);
    },
  );

  it('does not take the fields of a run for the words of its entry', () => {
    const log = logOf(60).replaceAll('actor=-', 'actor=octocat');
    const { entries } = recall(log, about('octocat', 'model', '-'), ROOM);
    expect(entries.flatMap(({ shares }) => shares)).toEqual([]);
  });

  it('passes over computed entries, also in a log that fits', () => {
    const computed = { isComputed: true, on: '#7' };
    expect(chosen(logOf(8, { 2: computed, 7: computed, 8: computed }), undefined)).toEqual([
      1, 3, 4, 5, 6,
    ]);
    const { computed: left, leftOut } = recall(logOf(8, { 2: computed }), about('a.ts'), ROOM);
    expect({ left, leftOut }).toEqual({ left: 1, leftOut: 0 });
    const subject = { on: '#7', paths: [], words: [] };
    expect(chosen(logOf(60, { 2: computed, 59: computed }), subject)).not.toContain(2);
  });

  it('gives whole entries within the room, the newest first', () => {
    const big = { result: 'x'.repeat(1000), files: ['a.ts'] };
    const log = logOf(30, Object.fromEntries(Array.from({ length: 30 }, (_, at) => [at + 1, big])));
    const { text, entries } = recall(log, about('a.ts'), 5000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(5000);
    expect(countEntries(text)).toBe(entries.length);
    expect(chosen(log, about('a.ts'), 5000)).toEqual([27, 28, 29, 30]);
  });

  it('gives the two ends of the newest entry if no entry fits', () => {
    const byHand = `## 2026-01-01T00:00:00Z\n${'x'.repeat(40_000)}\nthe end\n`;
    const { text, entries } = recall(logOf(60) + byHand.repeat(10), about('a.ts'), ROOM);
    expect(text).toMatch(
      /^## 2026-01-01T00:00:00Z\nx+ \[\.\.\. .* bytes left out \.\.\.\] x+\nthe end\n$/,
    );
    expect(entries).toHaveLength(1);
  });

  it('gives the newest that fit to a run without a subject', () => {
    const log = logOf(60, { 1: { files: ['a.ts'] } });
    const text = recall(log, undefined, 3000).text;
    expect(log.endsWith(text)).toBe(true);
    expect(countEntries(text)).toBeGreaterThan(3);
  });

  it('counts an entry of axe once, whatever headings its result has', () => {
    const findings = (number: number) =>
      entry(number, { result: `Done.\n## Findings\n${FILLER}` }).replace('\n ## ', '\n## ');
    const log = Array.from({ length: 60 }, (_, at) => findings(at + 1)).join('');
    const { text, entries, leftOut } = recall(log, undefined, 3000);
    expect(countEntries(text)).toBe(2 * entries.length);
    expect(entries.length + leftOut).toBe(60);
    expect(entries.map((found) => found.text).join('')).toBe(text);
  });

  it('knows the line of each entry', () => {
    const log = `# Notes\n\n${logOf(60, { 2: { files: ['a.ts'] } })}`;
    const lines = log.split('\n');
    for (const { line, text } of recall(log, about('a.ts'), ROOM).entries)
      expect(text.startsWith(`${lines[line - 1]}\n${lines[line]}`)).toBe(true);
  });

  it('goes by the order of the file where a clock has run backwards', () => {
    const log = logOf(60, { 1: { files: ['a.ts'] } });
    const late = entry(99, { task: 'of a clock that is set back' }).replace('2026-', '2019-');
    const numbers = chosen(log + late, about('a.ts'));
    expect(numbers.slice(-3)).toEqual([59, 60, 99]);
    expect(numbers[0]).toBe(1);
  });

  it('looks for the most changed of 3,000 files', () => {
    const log = logOf(60, { 1: { files: ['src/0.ts'] }, 2: { files: ['src/2999.ts'] } });
    const paths = Array.from({ length: 3000 }, (_, at) => `src/${at}.ts`);
    expect(chosen(log, about(...paths))).toContain(1);
    expect(chosen(log, about(...paths))).not.toContain(2);
  });

  it.each([
    ['without headings', 'x'.repeat(20_000), 0],
    ['with headings by hand alone', '## note\nx\n'.repeat(50_000), 1],
    ['with Windows line ends', logOf(60).replaceAll('\n', '\r\n'), 10],
    ['with a byte order mark', `\uFEFF${logOf(60)}`, 10],
    ['that is cut off', logOf(60).slice(0, -300), 10],
    ['with conflict markers', `<<<<<<< a\n${logOf(60)}=======\n${logOf(2)}>>>>>>> b\n`, 10],
    ['that is not UTF-8', `${logOf(60)}\uDC80\uDCFF`, 10],
  ])('reads a log %s', (_, log, least) => {
    const { text, entries } = recall(log, about('a.ts', 'note'), ROOM);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ROOM);
    expect(entries.length).toBeGreaterThanOrEqual(least);
  });
});

describe('describeChoice', () => {
  it.each([
    [
      about('a.ts'),
      true,
      'The 9 newest entries of 60, and 1 older one about files of this change.',
    ],
    [about('b.ts'), true, 'The 10 newest entries of 60.'],
    [about('b.ts'), false, 'The 10 newest entries of more than 60.'],
    [
      { on: '#4', paths: [], words: [] },
      true,
      'The 9 newest entries of 60, and 1 older one about the same subject.',
    ],
  ])('says of %j (whole log: %s) “%s”', (subject, isWhole, text) => {
    const log = logOf(60, { 2: { files: ['a.ts'], on: '#4' } });
    expect(describeChoice(recall(log, subject, ROOM), subject, isWhole)).toBe(text);
  });

  it('counts no newest entries if none of them fits', () => {
    const large = { result: 'x'.repeat(1000) };
    const parts = { 2: { files: ['a.ts'], result: 'Short.' }, 58: large, 59: large, 60: large };
    const recalled = recall(logOf(60, parts), about('a.ts'), 300);
    expect(describeChoice(recalled, about('a.ts'), true)).toBe(
      'Of 60 entries, 1 older one about files of this change.',
    );
  });
});
