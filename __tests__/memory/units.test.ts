import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textId } from '../../src/lib/text/text-id.js';
import { applyChanges, type MemoryChange } from '../../src/memory/change.js';
import { formatEntry, parseEntries } from '../../src/memory/run-log.js';
import { isTimestamped, parseLog, partLog, trimLog } from '../../src/memory/units.js';
import { entryText, plainEntry } from './stores/entries.js';

const at = (heading: string, text = 'x') => `## ${heading}\n**Task:** ${text}\n**Result:** y\n\n`;
const idsOf = (text: string) => parseLog(text).units.map(({ id }) => id);

describe('the entries of a run log', () => {
  it.each(['', 'only words\n', '## Notes\n- a fact\n'])('are none in %j (C2 17)', (text) => {
    expect(parseLog(text)).toEqual({ preamble: text, units: [] });
  });

  it('are identified by their id, or by their text if they have none (C2 23)', () => {
    const plain = plainEntry('by axe');
    const { preamble, units } = parseLog(`# Mine\n${entryText('a')}${plain}`);
    expect(preamble).toBe('# Mine\n');
    expect(units.map(({ text, id }) => [text, id])).toEqual([
      [entryText('a'), 'a'],
      [plain, textId(plain)],
    ]);
    for (const { timeMs } of units) expect(timeMs).toBe(Date.parse('2026-02-03T04:05:06Z'));
  });

  it.each([
    ['2026-02-03T04:05:06Z', true],
    ['2026-02-03T04:05:06.789Z', true],
    ['2026-02-03T04:05:06+01:00', true],
    ['2999-01-01T00:00:00Z', true],
    ['2026-02-03T04:05:06Z  ', true],
    ['2026-02-03T04:05:06', false],
    ['2026-02-03 04:05:06Z', false],
    ['2026-13-03T04:05:06Z', false],
    ['2026-02-03T25:05:06Z', false],
    ['hello', false],
    ['', false],
  ])('start with a time: ## %s is one: %s (C2 22)', (heading, isOne) => {
    const [entry] = parseEntries(at(heading));
    expect(entry !== undefined && isTimestamped(entry)).toBe(isOne);
    expect(parseLog(at(heading)).units).toHaveLength(isOne ? 1 : 0);
  });

  it('hold the text below headings that are not a time (C2 22)', () => {
    const first = `${plainEntry('one').trimEnd()}\n## Findings\n- a\n## Advice\n- b\n\n`;
    const second = plainEntry('two');
    expect(parseLog(first + second).units.map(({ text }) => text)).toEqual([first, second]);
  });

  it('have the id below such a heading, if a person added one to the result', () => {
    const edited = entryText('a').replace('**Result:**', '**Result:** see below\n## Findings\n');
    expect(idsOf(edited)).toEqual(['a']);
  });

  it('stay separate after somebody changed a heading, so that neither is mistaken for the other', () => {
    const changed = entryText('b').replace(/^## .*/, '## yesterday');
    const { units } = parseLog(entryText('a') + changed + entryText('c'));
    expect(units.map(({ id, text }) => [id, text])).toEqual([
      ['a', entryText('a')],
      ['b', changed],
      ['c', entryText('c')],
    ]);
    expect(units[1]?.timeMs).toBe(units[0]?.timeMs);
  });

  it('are read on both sides of conflict markers, and recognized as without them (C2 20)', () => {
    const [a, b, plain] = [entryText('a'), entryText('b'), plainEntry('by axe')];
    const torn = `<<<<<<< HEAD\n${a}${plain}||||||| base\n=======\n${b}>>>>>>> other\n`;
    expect(idsOf(torn)).toEqual(['a', textId(plain), 'b']);
  });

  const piece = fc.constantFrom(
    entryText('a'),
    entryText('b').replace('\n\n', ''),
    plainEntry('by axe'),
    at('2026-02-03T05:05:06+01:00'),
    '## hello\n',
    '## 2026-02-03T04:05:06Z\r\ntorn',
    '<<<<<<< HEAD\n',
    'loose\r\n',
    '\uDCFF\0\u2028',
    '\n',
    '# Mine\n',
  );
  const log = fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(''));

  it('joined again give the text', () => {
    fc.assert(
      fc.property(log, (text) => {
        const { preamble, units } = parseLog(text);
        expect(preamble + units.map((unit) => unit.text).join('')).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });
});

const plain = plainEntry('by axe');

it.each([
  ['its line ends', plain.replaceAll('\n', '\r\n')],
  ['trailing blank lines', `${plain}\n\n  \n`],
  ['a missing final line break', plain.trimEnd()],
  ['conflict markers behind it', `${plain}=======\n`],
])('the id of a text does not change with %s', (_, text) =>
  expect(textId(text)).toBe(textId(plain)),
);

it.each([
  ['the task', plain.replace('axe', 'Axe')],
  ['a space', plain.replace('done', ' done')],
  ['the time', plain.replace('04:05:06', '04:05:07')],
  ['an empty line', plain.replace('\n**Result', '\n\n**Result')],
])('the id of a text changes with %s', (_, text) => expect(textId(text)).not.toBe(textId(plain)));

it('the id of a text differs for each of many entries that are very similar', () => {
  const ids = new Set<string>();
  for (let second = 0; second < 20_000; second += 1) {
    const time = new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString().replace('.000', '');
    for (const result of ['ok', 'no'])
      ids.add(textId(`## ${time}\n**Task:** Review #7\n**Result:** ${result}\n\n`));
  }
  expect(ids.size).toBe(40_000);
  // Each half is as good as 32 bits can be: about 0.2 pairs of 40,000 fall together by chance.
  for (const half of [(id: string) => id.slice(2, 10), (id: string) => id.slice(10)]) {
    expect(new Set([...ids].map(half)).size).toBeGreaterThan(39_990);
  }
});

const PATH = 'bot.md';

function entry(minute: number): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1, 0, minute));
  return formatEntry({ timestamp, task: `t${minute}`, result: 'r' });
}

const goes = (...ids: readonly string[]) => new Map(ids.map((id) => [id, 0]));

const minutes = fc
  .uniqueArray(fc.nat(500), { minLength: 1, maxLength: 12 })
  .map((all) => all.sort((a, b) => a - b));

describe('trimming a log', () => {
  it('keeps the text before the first entry, which axe drops', () => {
    const text = `# Notes\n\n${entry(1)}${entry(2)}`;
    const [first = ''] = idsOf(text);
    expect(trimLog(text, goes(first))).toEqual({
      kept: `# Notes\n\n${entry(2)}`,
      removed: entry(1),
    });
  });

  it('removes headings that a person wrote above the first entry one by one', () => {
    const text = `Mine.\n## Facts\n- a\n## More\n- b\n\n${entry(1)}`;
    const [, facts] = partLog(text);
    expect(trimLog(text, goes(facts?.id ?? ''))).toEqual({
      kept: `Mine.\n## More\n- b\n\n${entry(1)}`,
      removed: '## Facts\n- a\n',
    });
  });

  it('leaves the stated number of equal entries, the newest, however often it is applied', () => {
    const text = entry(1).repeat(5) + entry(2);
    const [id = ''] = idsOf(text);
    const trim: MemoryChange = { kind: 'trim', path: PATH, keeps: new Map([[id, 2]]) };
    const once = applyChanges(new Map([[PATH, text]]), [trim]);
    expect(once.get(PATH)).toBe(entry(1).repeat(2) + entry(2));
    expect(once.get(`${PATH}.bak`)).toBe(entry(1).repeat(3));
    expect([...applyChanges(once, [trim])]).toEqual([...once]);
  });

  it('keeps every entry that was appended between the analysis and the trim, and loses no byte', () => {
    fc.assert(
      fc.property(minutes, fc.nat(12), minutes, (seen, cut, late) => {
        const text = seen.map(entry).join('');
        const added = late.map((minute) => entry(minute + 1000)).join('');
        const keeps = goes(...idsOf(text).slice(0, cut));
        const next = applyChanges(new Map([[PATH, text + added]]), [
          { kind: 'trim', path: PATH, keeps },
        ]);
        expect(next.get(PATH)).toBe(seen.slice(cut).map(entry).join('') + added);
        expect((next.get(`${PATH}.bak`) ?? '') + (next.get(PATH) ?? '')).toBe(text + added);
      }),
    );
  });
});
