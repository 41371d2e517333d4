import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { utf8Bytes } from '../../../src/lib/text/bytes.js';
import { renderSearch, searchNotes } from '../../../src/memory/notes/search.js';
import type { NotesPlaces } from '../../../src/memory/paths.js';

const PLACES: NotesPlaces = { folder: '', slug: 'p-00000000' };
const SHARED: NotesPlaces = { folder: '', slug: '' };
const NOTES = 'projects/p-00000000/notes';
const DAILY = 'projects/p-00000000/daily';
const MARK = '\n…[memory truncated]';

function search(files: Readonly<Record<string, string>>, query: string, scope = PLACES) {
  return searchNotes(new Map(Object.entries(files)), query, scope);
}

function paths(files: Readonly<Record<string, string>>, query: string, scope?: NotesPlaces) {
  return search(files, query, scope).hits.map(({ path }) => path);
}

describe('the files that a search covers', () => {
  const own = ['MEMORY.md', `${DAILY}/2026-02-28.md`, '2026-02-27.md', `${NOTES}/a.md`];
  const copies = ['MEMORY.bak', `${NOTES}/a.bak`];
  const others = [
    'bot.md',
    'other.md',
    'bot.state.md',
    'projects/q-1/notes/a.md',
    'apart/MEMORY.md',
  ];
  const odd = [`${NOTES}/deep/b.md`, `${DAILY}/2026-02-30.md`, `${DAILY}/yesterday.md`];
  const scratchpad = 'projects/p-00000000/SCRATCHPAD.md';
  const all = [...others, ...odd, ...copies, scratchpad, 'notes/shared.md', ...own];
  const everything = Object.fromEntries(all.map((path) => [path, 'word']));

  it('are long-term memory, its own notes and days, and flat days', () => {
    expect(paths(everything, 'word')).toEqual(own);
  });

  it('include the flat folder if all agents share notes', () => {
    expect(paths(everything, 'word', SHARED)).toEqual([
      'MEMORY.md',
      '2026-02-27.md',
      'notes/shared.md',
    ]);
  });
});

it('search results have more words before more lines, lines before later days, days before the rest, then the path', () => {
  const files = {
    [`${NOTES}/b.md`]: 'one',
    [`${NOTES}/a.md`]: 'one',
    [`${NOTES}/lines.md`]: 'one\none\none',
    [`${NOTES}/words.md`]: 'one two',
    [`${DAILY}/2026-02-01.md`]: 'one',
    [`${DAILY}/2026-02-20.md`]: 'one',
    [`${NOTES}/one.md`]: 'nothing',
    [`${NOTES}/one-two.md`]: 'nothing',
  };
  expect(paths(files, 'one two')).toEqual([
    `${NOTES}/words.md`,
    `${NOTES}/one-two.md`,
    `${NOTES}/lines.md`,
    `${DAILY}/2026-02-20.md`,
    `${DAILY}/2026-02-01.md`,
    `${NOTES}/a.md`,
    `${NOTES}/b.md`,
    `${NOTES}/one.md`,
  ]);
});

describe('the words of a query', () => {
  it.each([
    ['a word within a word', 'undone', 'done'],
    ['the Kelvin sign for a k', '300 \u212A', '300 k'],
    ['a letter in two parts', 'e\u0301cole', 'école'],
    ['brackets and stars unchanged', 'f(x)[0]*', '(x)[0]*'],
    ['a backslash unchanged', 'C:\\temp', 'c:\\TEMP'],
  ])('find %s', (_, text, query) =>
    expect(search({ 'MEMORY.md': text }, query).hits).toHaveLength(1),
  );

  it('are split at any white space, wide or narrow', () => {
    const { terms } = search({ 'MEMORY.md': 'a' }, ' a\u3000b\u0085c\nd ');
    expect(terms.map(({ term }) => term)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('any search', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('a', 'b', '\n', ' ', '\r'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    maxLength: 400,
  });
  const days = ['2026-02-01.md', `${DAILY}/2026-02-02.md`];
  const known = ['MEMORY.md', 'bot.md', 'other.md', ...days, '../MEMORY.md'];
  const path = fc.oneof(
    fc.constantFrom(...known),
    fc.string({ maxLength: 12 }).map((name) => `${NOTES}/${name}.md`),
    fc.string({ maxLength: 12 }),
  );
  const files = fc.array(fc.tuple(path, text), { maxLength: 8 }).map((pairs) => new Map(pairs));
  const query = fc.oneof(
    fc.constantFrom('a', 'a b', 'md'),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );

  it('finds only given files, each once, and only those it covers', () => {
    fc.assert(
      fc.property(files, query, (given, wanted) => {
        const found = searchNotes(given, wanted, { ...PLACES, runLog: 'bot.md' }).hits.map(
          (hit) => hit.path,
        );
        expect(new Set(found).size).toBe(found.length);
        for (const one of found) {
          expect(given.has(one)).toBe(true);
          expect(one).toMatch(
            /^(?:MEMORY|bot|2026-02-01|projects\/p-00000000\/(?:daily|notes)\/[^/]*)\.md$/,
          );
        }
      }),
    );
  });

  it('shows lines of the file and nothing else, in their order', () => {
    fc.assert(
      fc.property(text, query, (body, wanted) => {
        const [hit] = searchNotes(new Map([['MEMORY.md', body]]), wanted, PLACES).hits;
        if (hit === undefined || hit.totalHits === 0) return;
        const lines = body.toWellFormed().replaceAll('\0', '\uFFFD').split(/\r?\n/);
        let at = 0;
        for (const line of hit.body.split('\n').filter((one) => one !== '…')) {
          at = lines.findIndex((one, index) => index >= at && one.startsWith(line)) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('shows no more than its maximum size and the mark of a cut, well-formed', () => {
    fc.assert(
      fc.property(files, query, fc.integer({ min: 0, max: 600 }), (given, wanted, maxBytes) => {
        const shown = renderSearch(searchNotes(given, wanted, PLACES), { root: '/r', maxBytes });
        expect(utf8Bytes(shown)).toBeLessThanOrEqual(maxBytes + utf8Bytes(MARK));
        if (!shown.endsWith(MARK)) expect(utf8Bytes(shown)).toBeLessThanOrEqual(maxBytes);
        expect(shown.isWellFormed()).toBe(true);
      }),
    );
  });
});
