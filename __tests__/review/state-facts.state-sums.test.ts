import { describe, expect, it } from '@jest/globals';
import {
  isPaused,
  lastReviewed,
  markFacts,
  pullMemory,
  type ReviewFact,
  spentUsd,
} from '../../src/review/state-facts.js';
import { raised } from './threads.js';

const AT = new Date('2026-11-22T10:00:00Z').getTime();
const LATER = new Date('2026-11-22T10:00:01Z').getTime();

function spent(pull: number | undefined, day: string, usd: number): ReviewFact {
  return { kind: 'spent', id: `${pull}-${day}`, pull, day, usd, at: AT };
}

describe('sums over the state', () => {
  const facts = [spent(1, '2026-11-21', 0.1), spent(1, '2026-11-22', 0.2), spent(undefined, '2026-11-22', 4)];

  it('give the cost of a pull request and of a day', () => {
    expect(spentUsd(facts, { pull: 1 })).toBe(0.3);
    expect(spentUsd(facts, { day: '2026-11-22' })).toBe(4.2);
    expect(spentUsd(facts, { pull: 9 })).toBe(0);
    expect(spentUsd([], { day: '2026-11-22' })).toBe(0);
  });

  it('give the last reviewed commit', () => {
    const reviewed: ReviewFact = { kind: 'reviewed', pull: 2, head: 'a', base: 'b', at: AT };
    expect(lastReviewed([...facts, reviewed], 2)).toBe(reviewed);
    expect(lastReviewed([...facts, reviewed], 1)).toBeUndefined();
  });

  const posted: ReviewFact = { kind: 'posted', id: '1-1', pull: 1, ids: [7], at: AT };

  it.each<[string, readonly ReviewFact[], object | undefined]>([
    ['nothing', [posted, ...markFacts([raised()], 3)], undefined],
    [
      'its marks, and what was written anywhere',
      [posted, ...markFacts([raised()], 2)],
      { marks: [raised()], posted: new Set([7]) },
    ],
    [
      'that it was reviewed',
      [{ kind: 'reviewed', pull: 2, head: 'a', base: 'b', at: AT }],
      { marks: [], posted: new Set() },
    ],
    ['that something was written', [{ ...posted, pull: 2 }], { marks: [], posted: new Set([7]) }],
  ])('give what is kept of a pull request: %s', (_, given, expected) => {
    const memory = pullMemory([...facts, ...given], 2);
    expect(
      memory && { ...memory, marks: memory.marks.map((mark) => ({ ...mark, pull: undefined })) },
    ).toEqual(expected);
  });

  it.each<[string, readonly ReviewFact[], boolean]>([
    ['nobody said anything', [], false],
    ['somebody paused', [{ kind: 'paused', pull: 1, by: 'octocat', at: AT }], true],
    ['somebody paused another', [{ kind: 'paused', pull: 2, by: 'octocat', at: AT }], false],
    ['somebody resumed what was not paused', [{ kind: 'resumed', pull: 1, by: 'octocat', at: AT }], false],
    [
      'somebody resumed later',
      [
        { kind: 'paused', pull: 1, by: 'octocat', at: AT },
        { kind: 'resumed', pull: 1, by: 'octocat', at: LATER },
      ],
      false,
    ],
    [
      'somebody paused again',
      [
        { kind: 'paused', pull: 1, by: 'octocat', at: LATER },
        { kind: 'resumed', pull: 1, by: 'octocat', at: AT },
      ],
      true,
    ],
  ])('give whether a pull request is paused: %s', (_, given, expected) => {
    expect(isPaused(given, 1)).toBe(expected);
  });
});
