import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergeStates } from '../../src/memory/state.js';
import { END_REASONS } from '../../src/review/finding.js';
import {
  formatReviewFact,
  markFacts,
  marksOf,
  parseReviewFact,
  parseReviewFacts,
  type ReviewFact,
  type Spent,
  spentUsd,
  withReviewFacts,
} from '../../src/review/state-facts.js';
import { back, ended, ID, OTHER, raised } from './threads.js';

const AT = new Date('2026-11-22T10:00:00.123Z');
const HEAD = 'a'.repeat(40);

function spent(run: string, usd: number, parts: Partial<Spent> = {}): Spent {
  return { kind: 'spent', run, pull: 42, day: '2026-11-22', usd, at: AT, ...parts };
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
      raised({ title: 'naïve "--> at=2099-01-01T00:00:00Z\n- spent x"', path: 'src/a b.ts', thread: 'T_1' }),
      ended({ state: 'dismissed', by: 'person', why: 'thumbs-down', login: 'octocat' }),
      back(),
    ],
    42,
  ),
  { kind: 'posted', run: '123-1', pull: 42, ids: [7, 8], at: AT },
  spent('123-1', 0.1234),
  spent('124-1', 1, { pull: undefined }),
  { kind: 'paused', pull: 42, by: 'octocat', at: AT },
  { kind: 'resumed', pull: 42, by: 'hubot[bot]', at: AT },
];

describe('facts of the pull request bot', () => {
  it('are in the state file as lines that a person can read', () => {
    expect(
      withReviewFacts(
        '',
        FACTS.filter(({ kind }) => kind !== 'mark'),
      )
        .split('\n')
        .slice(4),
    ).toEqual([
      `- reviewed 42 head=${HEAD} base=${'b'.repeat(40)} at=2026-11-22T10:00:00.123Z`,
      `- reviewed 43 head=${HEAD} base=b into=release%202 cut=c at=2026-11-22T10:00:00.123Z`,
      `- reviewed 44 head=${HEAD} base=b cut=none at=2026-11-22T10:00:00.123Z`,
      `- reviewed 45 head=${HEAD} base=b unseen=src/b.ts%00a%20file.ts at=2026-11-22T10:00:00.123Z`,
      `- reviewed 46 head=${HEAD} base=b paths=src/%2A%2A%00a%20b/%2A ignored=%2A.md at=2026-11-22T10:00:00.123Z`,
      '- posted 123-1 pr=42 ids=7+8 at=2026-11-22T10:00:00.123Z',
      '- spent 123-1 pr=42 day=2026-11-22 usd=0.1234 at=2026-11-22T10:00:00.123Z',
      '- spent 124-1 day=2026-11-22 usd=1.00 at=2026-11-22T10:00:00.123Z',
      '- paused 42 by=octocat at=2026-11-22T10:00:00.123Z',
      '- resumed 42 by=hubot%5Bbot%5D at=2026-11-22T10:00:00.123Z',
      '',
    ]);
  });

  it('are read back as written', () => {
    expect(parseReviewFacts(withReviewFacts('', FACTS))).toEqual(FACTS);
    for (const fact of FACTS) expect(parseReviewFact(formatReviewFact(fact))).toEqual(fact);
  });

  it('have a line of their own for each kind of mark, finding and pull request', () => {
    const marks = [raised(), raised({ id: OTHER }), ended(), back()];
    const text = withReviewFacts('', [...markFacts(marks, 41), ...markFacts([ended({ why: 'wrong' })], 41)]);
    expect(marksOf(parseReviewFacts(withReviewFacts(text, markFacts([raised()], 42))))).toHaveLength(5);
    expect(text).toContain(`\n- ended ${ID}/41 at=2026-11-21T10:00:00.000Z {"kind":"ended",`);
    expect(text).not.toContain('"why":"fixed"');
  });

  it('are read back whatever a path or a login contains', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 });
    fc.assert(
      fc.property(text, text, fc.constantFrom(...END_REASONS), (path, login, why) => {
        const facts = markFacts([raised({ path, title: login }), ended({ why, login })], 1);
        expect(parseReviewFacts(withReviewFacts('', facts))).toEqual(facts);
      }),
    );
  });

  it.each<[string, string]>([
    ['no time', '- paused 42 by=octocat'],
    ['no number', '- paused x by=octocat at=2026-11-22T10:00:00Z'],
    ['an invalid number', '- reviewed 042 head=a base=b at=2026-11-22T10:00:00Z'],
    ['no head', '- reviewed 42 base=b at=2026-11-22T10:00:00Z'],
    ['no pull request', `- ended ${ID} at=2026-11-22T10:00:00Z ${JSON.stringify(ended())}`],
    ['a broken mark', `- ended ${ID}/42 at=2026-11-22T10:00:00Z {"kind":"ended"`],
    ['an invalid mark', `- ended ${ID}/42 at=2026-11-22T10:00:00Z {"kind":"ended","id":"${ID}"}`],
    ['no time outside of its mark', `- raised ${ID}/42 {"at=2026-11-22T10:00:00Z ":1}`],
    ['a finding of an older version', `- finding ${ID}/42 pr=42 path=a cat=data at=2026-11-22T10:00:00Z`],
    ['a negative amount', '- spent 1-1 pr=42 day=2026-11-22 usd=-5 at=2026-11-22T10:00:00Z'],
    ['an amount beyond reason', '- spent 1-1 pr=42 day=2026-11-22 usd=1e9 at=2026-11-22T10:00:00Z'],
    ['an unknown kind', '- liked 42 at=2026-11-22T10:00:00Z'],
  ])('are left out if a line has %s', (_, line) => {
    expect(parseReviewFacts(`${line}\n`)).toEqual([]);
  });

  it('are read if a person wrote the number with its sign', () => {
    const [fact] = parseReviewFacts('- paused #42 by=octocat at=2026-11-22T10:00:00Z\r\n');
    expect(fact).toMatchObject({ kind: 'paused', pull: 42, by: 'octocat' });
  });

  it('count with their latest version', () => {
    const later = '- reviewed 42 head=new base=b at=2026-11-23T10:00:00Z';
    const facts = parseReviewFacts(`${later}\n- reviewed #42 head=old base=b at=2026-11-22T10:00:00Z\n`);
    expect(facts).toMatchObject([{ head: 'new' }]);
  });

  it('leave every other line unchanged', () => {
    const before = '# State\n\nA note.\n- forgotten abc at=2026-01-01T00:00:00Z\n';
    expect(withReviewFacts(before, [spent('1-1', 1)]).startsWith(before)).toBe(true);
  });
});

describe('the stored cost of runs', () => {
  it.each<[number, string]>([
    [0, '0.00'],
    [0.00000001, '0.000001'],
    [0.1, '0.10'],
    [0.1 + 0.2, '0.30'],
    [1234.5678, '1234.5678'],
    [-3, '0.00'],
    [Number.NaN, '0.00'],
    [Number.POSITIVE_INFINITY, '999999999.00'],
  ])('is written for %d as %s', (usd, expected) => {
    expect(formatReviewFact(spent('1-1', usd)).rest).toContain(`usd=${expected} `);
  });

  it('adds up over concurrent runs, in any merge order, each once', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 5_000_000 }), { minLength: 1, maxLength: 8 });
    const order = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(amounts, order, (micros, picks) => {
        const base = withReviewFacts('', [spent('0-1', 1)]);
        const states = micros.map((one, run) => withReviewFacts(base, [spent(`${run + 1}-1`, one / 1e6)]));
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
    const early = withReviewFacts('', [spent('1-1', 0.5)]);
    const late = withReviewFacts('', [spent('1-1', 0.75, { at: new Date(AT.getTime() + 1) })]);
    expect(spentUsd(parseReviewFacts(mergeStates(late, early)), { pull: 42 })).toBe(0.75);
    expect(spentUsd(parseReviewFacts(mergeStates(early, late)), { pull: 42 })).toBe(0.75);
  });
});
