import { expect, it } from '@jest/globals';
import type { MemoryView } from '../../../src/commands/memory/command-session.js';
import { memoryStats } from '../../../src/commands/memory/show-memory.js';
import type { Ended, Raised } from '../../../src/core/review/finding-facts.js';
import { type ReviewFact, withReviewFacts } from '../../../src/core/review/state-facts.js';

const NOW = new Date('2026-11-22T12:00:00Z');

function raised(number: number, parts: Partial<Raised> = {}): Raised {
  const id = `${number}`.padStart(16, '0');
  const at = new Date('2026-10-01T12:00:00Z');
  return {
    kind: 'finding',
    id,
    pull: 7,
    path: 'a.ts',
    category: 'security',
    severity: 'major',
    at,
    ...parts,
  };
}

function ended(number: number, end: Pick<Ended, 'how' | 'why'>): readonly ReviewFact[] {
  const one = raised(number);
  const { id, pull, path, category } = one;
  const at = new Date('2026-10-02T12:00:00Z');
  return [one, { kind: 'ended', id, pull, path, category, ...end, by: 'octocat', at }];
}

function statsOf(facts: readonly ReviewFact[]): string {
  const view = {
    trusted: { path: 'reviewer.md' },
    tree: new Map([['reviewer.state.md', withReviewFacts('', facts)]]),
    location: 'the cache',
    warnings: [],
  };
  const done = memoryStats(
    view as unknown as MemoryView,
    {
      clock: { now: () => NOW },
    } as unknown as Parameters<typeof memoryStats>[1],
  );
  return done.text;
}

it('the statistics report that no finding has an answer', () => {
  expect(statsOf([])).toBe('No finding in the cache has an answer yet.');
  expect(statsOf([raised(1, { at: NOW })])).toBe('No finding in the cache has an answer yet.');
});

it('the statistics count people’s answers to findings, and show them by month', () => {
  const text = statsOf([
    ...ended(1, { how: 'settled', why: 'fixed' }),
    ...ended(2, { how: 'outdated', why: 'gone' }),
    ...ended(3, { how: 'dismissed', why: 'thumbs-down' }),
    raised(4),
  ]);
  expect(text).toContain('| security | 2 | 1 | 1 | 50 % |');
  expect(text).toContain('| 2026-10 | 2 | 1 | 1 | 50 % |');
  expect(text).toContain('```mermaid\nxychart-beta\n');
});

it.each<[string, Pick<Ended, 'how' | 'why'>]>([
  ['was only resolved', { how: 'settled', why: 'closed' }],
  ['the agent took back', { how: 'withdrawn', why: 'wrong' }],
])('the statistics count no finding that %s', (_, end) => {
  expect(statsOf(ended(1, end))).toBe('No finding in the cache has an answer yet.');
});
