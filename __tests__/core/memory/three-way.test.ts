import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { forgottenIds } from '../../../src/core/memory/state.js';
import { mergeThree } from '../../../src/core/memory/three-way.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { entryText, idsIn, plainEntry, stateOf } from '../../adapters/stores/entries.js';

const [A, B, C, D] = [
  entryText('a', 'A.', 1),
  entryText('b', 'B.', 2),
  entryText('c', 'C.', 3),
  entryText('d', 'D.', 4),
];
const NONE: ReadonlySet<string> = new Set();

function merge(base: string, ours: string, theirs: string, path = 'bot.md'): string {
  return mergeThree(path, { base, ours, theirs, forgotten: NONE });
}

describe('a run log changed on two sides', () => {
  it.each([
    ['what both added, by time', A, A + C, A + B, A + B + C],
    ['no entry that one side removed', A + B, A + B + C, B, B + C],
    ['no entry that both removed', A + B, B, B, B],
    ['the log alone if one side removed the file', A, A + B, '', B],
    ['what both made of nothing', '', A, B, A + B],
    ['an edit of the other side', A + B, A + B + C, A.replace('A.', 'Z.') + B, A.replace('A.', 'Z.') + B + C],
    ['an edit of our own', A + B, A.replace('A.', 'Z.') + B, A + B + D, A.replace('A.', 'Z.') + B + D],
    ['no text before the entries that one side removed', `# Old\n\n${A}`, `# Old\n\n${A}${B}`, A, A + B],
    ['text before the entries that one side wrote', A, `# Mine\n\n${A}`, A + B, `# Mine\n\n${A}${B}`],
  ])('has %s', (_, base, ours, theirs, merged) => {
    expect(merge(base, ours, theirs)).toBe(merged);
  });

  it('has an entry without an id once, and not its former version', () => {
    const [was, edited] = [plainEntry('one'), plainEntry('one', 'corrected')];
    expect(merge(was, was + B, edited)).toBe(B + edited);
  });

  it('has nothing that was forgotten', () => {
    const versions = { base: A, ours: A + B, theirs: A + C, forgotten: new Set(['b']) };
    expect(mergeThree('bot.md', versions)).toBe(A + C);
  });

  it('loses nothing that a side added, whatever both do', () => {
    const logs = fc.subarray([A, B, C, D, plainEntry('one')]).map((parts) => parts.join(''));
    const idsOf = (text: string) => parseLog(text).units.map(({ id }) => id);
    fc.assert(
      fc.property(logs, logs, logs, (base, ours, theirs) => {
        const merged = merge(base, ours, theirs);
        const before = new Set(idsOf(base));
        const wanted = [...idsOf(ours), ...idsOf(theirs)].filter(
          (id) => !before.has(id) || (idsOf(ours).includes(id) && idsOf(theirs).includes(id)),
        );
        expect([...idsOf(merged)].sort()).toEqual([...new Set(wanted)].sort());
        expect(merge(base, ours, merged)).toBe(merged);
      }),
    );
  });
});

describe('a state changed on two sides', () => {
  const merged = (base: string, ours: string, theirs: string) => merge(base, ours, theirs, 'bot.state.md');

  it('keeps what either side has forgotten', () => {
    expect([...forgottenIds(merged(stateOf('a'), stateOf('a', 'b'), stateOf('a', 'c')))]).toEqual([
      'a',
      'c',
      'b',
    ]);
  });

  it('removes a fact that one side removed, unless the other has written it again', () => {
    const fact = (day: number) => `- spent pr-1 at=2026-03-0${day}T00:00:00Z usd=0.${day}\n`;
    expect(merged(fact(1) + stateOf('a'), stateOf('a'), fact(1) + stateOf('a'))).not.toContain('spent');
    expect(merged(fact(1), stateOf('a'), fact(2))).toContain(fact(2));
  });
});

it('notes are merged by line', () => {
  expect(merge('Tabs.\n', 'Tabs.\nMine.\n', 'Tabs.\nTheirs.\n', 'MEMORY.md')).toBe('Tabs.\nTheirs.\nMine.\n');
  expect(idsIn(merge('', A, B, 'notes/a.md'))).toEqual(['a', 'b']);
});
