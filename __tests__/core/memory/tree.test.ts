import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forgottenIds, statePath } from '../../../src/core/memory/state.js';
import { isSameTree, type MemoryTree, mergeTrees } from '../../../src/core/memory/tree.js';
import { parseLog, textId } from '../../../src/core/memory/units.js';
import { entryText, plainEntry } from '../../adapters/stores/entries.js';

const tree = (files: Readonly<Record<string, string>>): MemoryTree => new Map(Object.entries(files));

describe('two merged trees', () => {
  it('have the files of both, and of a run log the entries of both', () => {
    const merged = mergeTrees(
      tree({ 'bot.md': entryText('a'), 'ours.md': plainEntry('ours') }),
      tree({ 'bot.md': entryText('b'), 'untrusted/bot.md': entryText('c') }),
    );
    expect([...merged]).toEqual([
      ['bot.md', entryText('a') + entryText('b')],
      ['ours.md', plainEntry('ours')],
      ['untrusted/bot.md', entryText('c')],
    ]);
  });

  it.each([
    [
      'the first',
      { 'bot.md': entryText('a') + entryText('b'), 'bot.state.md': '- forgotten a\n' },
      { 'bot.md': entryText('a') },
    ],
    [
      'the second',
      { 'bot.md': entryText('a') + entryText('b') },
      { 'bot.md': entryText('a'), 'bot.state.md': '- forgotten a\n' },
    ],
    [
      'the second, which has no log any more',
      { 'bot.md': entryText('a') + entryText('b') },
      { 'bot.state.md': '- forgotten a\n' },
    ],
    [
      'the first, which has no log any more',
      { 'bot.state.md': '- forgotten a\n' },
      { 'bot.md': entryText('a') + entryText('b') },
    ],
  ])('hold nothing that %s has forgotten', (_, one, two) => {
    const merged = mergeTrees(tree(one), tree(two));
    expect(merged.get('bot.md')).toBe(entryText('b'));
    expect([...forgottenIds(merged.get('bot.state.md') ?? '')]).toEqual(['a']);
  });

  it('hold nothing forgotten in the former version of the log either', () => {
    const merged = mergeTrees(
      tree({ 'bot.md.bak': entryText('a') + entryText('b') }),
      tree({ 'bot.state.md': '- forgotten a\n' }),
    );
    expect(merged.get('bot.md.bak')).toBe(entryText('b'));
  });

  it('leave the given ones unchanged', () => {
    const one = tree({ 'bot.md': entryText('a') });
    mergeTrees(one, tree({ 'bot.md': entryText('b'), 'more.md': 'x' }));
    expect([...one]).toEqual([['bot.md', entryText('a')]]);
  });

  const ids = ['a', 'b', 'c'] as const;
  const texts = [...ids.map((id) => entryText(id)), plainEntry('one'), plainEntry('two')];
  const gone = [...ids, textId(plainEntry('one'))];
  const log = fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 4 }).map((parts) => parts.join(''));
  const state = fc
    .uniqueArray(fc.constantFrom(...gone), { maxLength: 2 })
    .map((keys) => keys.map((key) => `- forgotten ${key}\n`).join(''));
  const anyTree = fc
    .record(
      { 'bot.md': log, 'bot.state.md': state, 'untrusted/bot.md': log, 'untrusted/bot.state.md': state },
      { requiredKeys: [] },
    )
    .map((files) => tree(files as Record<string, string>));

  /** What a tree says: entries by place, and what was forgotten. */
  function meaning(merged: MemoryTree) {
    return Object.fromEntries(
      ['bot.md', 'untrusted/bot.md'].map((path) => [
        path,
        {
          ids: parseLog(merged.get(path) ?? '')
            .units.map(({ id }) => id)
            .sort(),
          forgotten: [...forgottenIds(merged.get(statePath(path)) ?? '')].sort(),
        },
      ]),
    );
  }

  it('are equal in any order and grouping, and hold everything that nobody forgot', () => {
    fc.assert(
      fc.property(anyTree, anyTree, anyTree, (one, two, three) => {
        const merged = mergeTrees(mergeTrees(one, two), three);
        expect(meaning(mergeTrees(one, mergeTrees(two, three)))).toEqual(meaning(merged));
        expect(meaning(mergeTrees(three, mergeTrees(two, one)))).toEqual(meaning(merged));
        for (const path of ['bot.md', 'untrusted/bot.md']) {
          const all = new Set(
            [one, two, three].flatMap((each) => parseLog(each.get(path) ?? '').units.map(({ id }) => id)),
          );
          const forgotten = new Set(
            [one, two, three].flatMap((each) => [...forgottenIds(each.get(statePath(path)) ?? '')]),
          );
          expect(meaning(merged)[path]?.ids).toEqual([...all].filter((id) => !forgotten.has(id)).sort());
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('do not change the second time', () => {
    fc.assert(
      fc.property(anyTree, anyTree, (one, two) => {
        const merged = mergeTrees(one, two);
        expect(isSameTree(mergeTrees(merged, two), merged)).toBe(true);
        expect(isSameTree(mergeTrees(merged, one), merged)).toBe(true);
        expect(isSameTree(mergeTrees(merged, new Map()), merged)).toBe(true);
      }),
    );
  });
});

describe('the comparison of two trees', () => {
  it.each([
    [{}, {}, true],
    [{ 'a.md': 'x' }, { 'a.md': 'x' }, true],
    [{ 'a.md': 'x' }, { 'a.md': 'y' }, false],
    [{ 'a.md': 'x' }, { 'b.md': 'x' }, false],
    [{ 'a.md': '' }, {}, false],
  ])('%j and %j: %s', (one, two, expected) => {
    expect(isSameTree(tree(one), tree(two))).toBe(expected);
  });
});
