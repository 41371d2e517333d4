import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { noteKind } from '../../../src/core/memory/notes/place.js';
import { partIds } from '../../../src/core/memory/notes/union.js';
import { mergedIds, removedIds, statePath } from '../../../src/core/memory/state.js';
import { isSameTree, type MemoryTree, mergeTierTrees, mergeTrees } from '../../../src/core/memory/tree.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { entryText, plainEntry } from '../../adapters/stores/entries.js';

const RUNS = 100;
const FOLDERS = ['', 'packages/api/untrusted/'];
const DAY = 'projects/p-12345678/daily/2026-03-01.md';
const NOTE = 'projects/p-12345678/notes/auth.md';
/** One is part of another, which does not make it said. */
const LINES = ['Tabs.', 'No Tabs.', '日本語', 'العربية'];
const ENTRIES = [entryText('a'), entryText('b'), entryText('c'), plainEntry('one')];
const IDS = ENTRIES.map((text) => parseLog(text).units[0]?.id ?? '');

const log = fc.subarray(ENTRIES).map((parts) => parts.join(''));
const united = fc.shuffledSubarray(LINES).map((lines) => lines.map((line) => `${line}\n`).join(''));
const headed = fc
  .tuple(united, united)
  .map(([above, below]) => `${above}${below === '' ? '' : `# Rules\n\n${below}`}`);
const whole = fc.constantFrom('', 'mine\n', 'yours\n', 'theirs\n');
const at = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z');
const logState = fc
  .uniqueArray(fc.tuple(fc.constantFrom('forgotten', 'trimmed'), fc.constantFrom(...IDS), at), {
    maxLength: 3,
    selector: ([kind, key]) => kind + key,
  })
  .map((facts) => facts.map(([kind, key, time]) => `- ${kind} ${key} at=${time}\n`).join(''));
const PARTS = [
  ...LINES.flatMap((line) => [...partIds('MEMORY.md', `${line}\n`), ...partIds(DAY, `${line}\n`)]),
  ...partIds('MEMORY.md', '# Rules\n\nTabs.\n'),
  ...partIds(NOTE, 'mine\n'),
  ...partIds(NOTE, 'yours\n'),
];
const noteState = fc
  .array(fc.tuple(fc.constantFrom('forgotten', 'folded'), fc.constantFrom(...PARTS)), { maxLength: 4 })
  .map((facts) => facts.map(([kind, key]) => `- ${kind} ${key}\n`).join(''));

const files = {
  'bot.md': log,
  'bot.state.md': logState,
  'MEMORY.md': headed,
  [DAY]: united,
  [NOTE]: whole,
  'MEMORY.state.md': noteState,
};

/** Whole trees: notes, run logs and states, in both lanes and below the folder of a scope. */
const anyTree = fc
  .tuple(...FOLDERS.map(() => fc.record(files, { requiredKeys: [] })))
  .map((parts): MemoryTree => {
    const placed = parts.flatMap((part, index) =>
      Object.entries(part).map(([path, text]) => [(FOLDERS[index] ?? '') + path, String(text)] as const),
    );
    return new Map(placed);
  });

const paths = (trees: readonly MemoryTree[]) => [...new Set(trees.flatMap((each) => [...each.keys()]))];

/** What a file says, whatever its order: facts, entries, lines of notes. */
function said(path: string, text: string): readonly string[] {
  if (path.endsWith('.state.md')) return text.split('\n').filter((line) => line.startsWith('- '));
  if (noteKind(path) === undefined) return parseLog(text).units.map(({ id }) => id);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** Whether a tree's states say of a part of a file that it was deleted, trimmed or folded in before. */
function goneFrom(path: string, tree: MemoryTree): (part: string) => boolean {
  const state = tree.get(statePath(path)) ?? '';
  const gone = new Set([...removedIds(path, state), ...mergedIds(state)]);
  return (part) =>
    gone.has(part) ||
    ['', '# Rules\n'].some((head) => partIds(path, `${head}${part}\n`).some((id) => gone.has(id)));
}

/** What a tree says of what nobody has deleted; of a note, of which the first side counts, nothing. */
function meaning(tree: MemoryTree): Readonly<Record<string, readonly string[]>> {
  const all = [...tree].filter(([path]) => !isOneSided(path));
  return Object.fromEntries(
    all.map(([path, text]) => {
      const isGone = goneFrom(path, tree);
      return [path, [...new Set(said(path, text))].filter((part) => !isGone(part)).sort()];
    }),
  );
}

function isOneSided(path: string): boolean {
  return path.endsWith('.bak') || noteKind(path) === 'note';
}

const textPaths = (trees: readonly MemoryTree[]) =>
  paths(trees).filter((path) => !path.endsWith('.state.md'));

describe('three whole trees', () => {
  it.each([
    ['merged', mergeTrees],
    ['folded', mergeTierTrees],
  ] as const)('give the same, %s in any grouping and order', (_, unite) => {
    fc.assert(
      fc.property(anyTree, anyTree, anyTree, (one, two, three) => {
        const united = meaning(unite(unite(one, two), three));
        expect(meaning(unite(one, unite(two, three)))).toEqual(united);
        expect(meaning(unite(three, unite(two, one)))).toEqual(united);
        expect(meaning(unite(unite(two, three), one))).toEqual(united);
      }),
      { numRuns: RUNS },
    );
  });

  it('give the same bytes when merged again, whichever is repeated', () => {
    fc.assert(
      fc.property(anyTree, anyTree, anyTree, (one, two, three) => {
        const merged = mergeTrees(mergeTrees(one, two), three);
        expect(isSameTree(mergeTrees(merged, merged), merged)).toBe(true);
        for (const again of [one, two, three, new Map<string, string>()]) {
          const twice = mergeTrees(merged, again);
          for (const path of paths([merged, twice]).filter((each) => !each.endsWith('.bak')))
            expect([path, twice.get(path)]).toEqual([path, merged.get(path)]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('lose nothing that nobody deleted, and invent nothing', () => {
    fc.assert(
      fc.property(anyTree, anyTree, anyTree, (one, two, three) => {
        const trees = [one, two, three];
        const merged = mergeTrees(mergeTrees(one, two), three);
        for (const path of textPaths(trees).filter((each) => !isOneSided(each))) {
          const isGone = goneFrom(path, merged);
          const before = trees.flatMap((each) => said(path, each.get(path) ?? ''));
          const after = said(path, merged.get(path) ?? '');
          expect([path, after]).toEqual([
            path,
            expect.arrayContaining(before.filter((part) => !isGone(part))),
          ]);
          expect(before).toEqual(expect.arrayContaining([...after]));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('restore nothing that any has deleted', () => {
    fc.assert(
      fc.property(anyTree, anyTree, anyTree, (one, two, three) => {
        const others = mergeTrees(two, three);
        const merged = mergeTrees(one, others);
        for (const path of textPaths([one, others])) {
          const state = removedIds(path, merged.get(statePath(path)) ?? '');
          const idsOf = (text = '') =>
            noteKind(path) === undefined ? said(path, text) : partIds(path, text);
          const here = noteKind(path) === undefined ? [] : idsOf(one.get(path));
          const back = idsOf(merged.get(path)).filter((id) => state.has(id) && !here.includes(id));
          expect([path, back]).toEqual([path, []]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('keep the other of two versions of a note next to it', () => {
    let kept = 0;
    fc.assert(
      fc.property(anyTree, anyTree, (one, two) => {
        const merged = mergeTrees(one, two);
        for (const path of textPaths([one, two]).filter((each) => noteKind(each) === 'note')) {
          const [first = '', second = ''] = [one.get(path), two.get(path)];
          const isKnown = removedIds(path, merged.get(statePath(path)) ?? '').has(
            partIds(path, second)[0] ?? '',
          );
          const beside = [merged.get(path), merged.get(`${path}.bak`)];
          if (first !== '') expect(merged.get(path)).toBe(first);
          if (isKnown || second === '') continue;
          expect(beside).toContain(second);
          kept += 1;
        }
      }),
      { numRuns: RUNS },
    );
    expect(kept).toBeGreaterThan(RUNS / 10);
  });
});
