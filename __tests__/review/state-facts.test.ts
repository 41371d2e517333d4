import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeStates, withFacts } from '../../src/memory/state.js';
import { END_REASONS } from '../../src/review/finding.js';
import {
  markFacts,
  marksOf,
  parseReviewFacts,
  type ReviewFact,
  type Spent,
  spentUsd,
} from '../../src/review/state-facts.js';
import { back, ended, ID, OTHER, raised } from './threads.js';

const AT = Date.parse('2026-11-22T10:00:00.123Z');
const HEAD = 'a'.repeat(40);

function spent(id: string, usd: number, parts: Partial<Spent> = {}): Spent {
  return { kind: 'spent', id, pull: 42, day: '2026-11-22', usd, at: AT, ...parts };
}

const FACTS: readonly ReviewFact[] = [
  { kind: 'reviewed', pull: 42, head: HEAD, base: 'b'.repeat(40), at: AT },
  { kind: 'reviewed', pull: 43, head: HEAD, base: 'b', into: 'release 2', cut: { whole: 'c' }, at: AT },
  { kind: 'reviewed', pull: 44, head: HEAD, base: 'b', cut: { whole: undefined }, at: AT },
  { kind: 'reviewed', pull: 45, head: HEAD, base: 'b', unseen: ['src/b.ts', 'a file.ts'], at: AT },
  {
    kind: 'reviewed',
    pull: 46,
    head: HEAD,
    base: 'b',
    only: { paths: ['src/**', 'a b/*'], pathsIgnore: ['*.md'] },
    at: AT,
  },
  ...markFacts(
    [
      raised({ title: 'naïve "--> \n- {"kind":"spent"}"', path: 'src/a b.ts', thread: 'T_1' }),
      ended({ state: 'dismissed', by: 'person', why: 'thumbs-down', login: 'octocat' }),
      back(),
    ],
    42,
  ),
  { kind: 'posted', id: '123-1', pull: 42, ids: [7, 8], at: AT },
  spent('123-1', 0.1234),
  spent('124-1', 1, { pull: undefined }),
  { kind: 'paused', pull: 42, by: 'octocat', at: AT },
  { kind: 'resumed', pull: 42, by: 'hubot[bot]', at: AT },
];

describe('facts of the pull request bot', () => {
  it('are read back as written', () => {
    expect(parseReviewFacts(withFacts('', FACTS))).toEqual(FACTS);
  });

  it('have a line of their own for each kind of mark, finding and pull request', () => {
    const marks = [raised(), raised({ id: OTHER }), ended(), back()];
    const text = withFacts('', [...markFacts(marks, 41), ...markFacts([ended({ why: 'wrong' })], 41)]);
    expect(marksOf(parseReviewFacts(withFacts(text, markFacts([raised()], 42))))).toHaveLength(5);
    expect(text).toContain(`\n- {"kind":"ended","id":"${ID}",`);
    expect(text).not.toContain('"why":"fixed"');
  });

  it('are read back whatever a path or a login contains', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, fc.constantFrom(...END_REASONS), (path, login, why) => {
        const facts = markFacts([raised({ path, title: login }), ended({ why, login })], 1);
        expect(parseReviewFacts(withFacts('', facts))).toEqual(facts);
      }),
    );
  });

  it.each<[string, object]>([
    ['no time', { kind: 'paused', pull: 42, by: 'octocat' }],
    ['no number', { kind: 'paused', pull: 'x', by: 'octocat', at: AT }],
    ['an invalid number', { kind: 'reviewed', pull: 0, head: 'a', base: 'b', at: AT }],
    ['no head', { kind: 'reviewed', pull: 42, base: 'b', at: AT }],
    ['no pull request', ended()],
    ['an invalid mark', { kind: 'ended', id: ID, pull: 42, at: AT }],
    ['a negative amount', { ...spent('1-1', -5) }],
    ['an amount beyond reason', { ...spent('1-1', 1e9) }],
    ['an unknown kind', { kind: 'liked', pull: 42, at: AT }],
  ])('are left out if a line has %s', (_, fact) => {
    expect(parseReviewFacts(`- ${JSON.stringify(fact)}\n`)).toEqual([]);
  });

  it('count with their latest version', () => {
    const fact = { kind: 'reviewed', pull: 42, head: 'old', base: 'b', at: AT };
    const lines = [{ ...fact, head: 'new', at: AT + 1 }, fact].map((one) => `- ${JSON.stringify(one)}\n`);
    expect(parseReviewFacts(lines.join(''))).toMatchObject([{ head: 'new' }]);
  });
});

describe('the stored cost of runs', () => {
  it('adds up over concurrent runs, in any merge order, each once', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 8 });
    const order = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(amounts, order, (micros, picks) => {
        const base = withFacts('', [spent('0-1', 1)]);
        const states = micros.map((one, run) => withFacts(base, [spent(`${run + 1}-1`, one / 1e6)]));
        let merged = base;
        const left = [...states, ...states.slice(0, 2)];
        for (const pick of picks) {
          const [state = ''] = left.splice(pick % Math.max(1, left.length), 1);
          merged = pick % 2 === 0 ? mergeStates(merged, state) : mergeStates(state, merged);
        }
        const total = micros.reduce((sum, one) => sum + one, 1_000_000) / 1e6;
        const facts = parseReviewFacts(merged);
        expect(spentUsd(facts, { pull: 42 })).toBe(total);
        expect(spentUsd(facts, { day: '2026-11-22' })).toBe(total);
      }),
    );
  });

  it('uses the later amount of a run that was saved twice', () => {
    const early = withFacts('', [spent('1-1', 0.5)]);
    const late = withFacts('', [spent('1-1', 0.75, { at: AT + 1 })]);
    expect(spentUsd(parseReviewFacts(mergeStates(late, early)), { pull: 42 })).toBe(0.75);
    expect(spentUsd(parseReviewFacts(mergeStates(early, late)), { pull: 42 })).toBe(0.75);
  });
});
