import { describe, expect, it } from '@jest/globals';
import { applyVerdicts, type Buffered, joinPasses, NOTHING_BUFFERED } from '../../src/review/buffered.js';
import type { FindingVerdict } from '../../src/review/claims.js';
import { placed } from './change.js';
import { placed as placedAt } from './verdict-scene.js';

function pass(id: string, ...all: readonly Parameters<typeof placed>[0][]): Buffered {
  const findings = all.map((parts, index) => placed({ id: `${id}${index}`, ...parts }));
  return { ...NOTHING_BUFFERED, findings };
}

const SAME = {
  title: 'SQL is put together from the id',
  body: 'The `id` of the user reaches the `query` unescaped.',
};
const OTHER = {
  title: 'All columns are read',
  body: 'The blob makes each row a megabyte large.',
  category: 'performance',
} as const;

describe('findings of several passes', () => {
  it('are one if two passes raised it', () => {
    const { findings } = joinPasses([pass('a', {}), pass('b', SAME)], 100);
    expect(findings.map(({ finding }) => finding.id)).toEqual(['a0']);
  });

  it('stay two if they are two defects, or one pass distinguished them', () => {
    expect(joinPasses([pass('a', {}), pass('b', OTHER)], 100).findings).toHaveLength(2);
    expect(joinPasses([pass('a', { line: 11 }), pass('b', { line: 11 })], 100).findings).toHaveLength(2);
    expect(joinPasses([pass('a', {}, SAME), pass('b', SAME)], 100).findings).toHaveLength(2);
  });

  it('are limited to the worst ones if there are too many', () => {
    const nit = { ...OTHER, line: 49, severity: 'nit' } as const;
    const buffered = joinPasses([pass('a', nit), pass('b', { severity: 'critical' })], 1);
    expect(buffered.findings.map(({ finding }) => finding.severity)).toEqual(['critical']);
    expect(buffered.refusedFindings).toBe(1);
  });

  it('include everything that was held back, stopped and noted', () => {
    const one = {
      ...pass('a'),
      review: { summary: 'A.' },
    } as const;
    const two = {
      ...pass('b'),
      review: { summary: 'B.' },
    } as const;
    expect(joinPasses([one, two], 100)).toMatchObject({
      review: { summary: 'A.\n\nB.' },
    });
    expect(joinPasses([], 100)).toEqual(NOTHING_BUFFERED);
  });
});

const SCOPE = { overrides: {}, isRead: () => true, minSeverity: 'minor' } as const;
const HOLDS: FindingVerdict = { kind: 'holds', reason: 'Followed.' };

function judged(verdict: FindingVerdict | undefined, one = placedAt(1)) {
  const verdicts = new Map(verdict === undefined ? [] : [[one.finding.id, verdict]]);
  const looks = { requested: new Set([one.finding.id]), verdicts };
  return applyVerdicts({ ...NOTHING_BUFFERED, findings: [one] }, looks, SCOPE);
}

describe('findings after their second look', () => {
  const major = { effect: 'wrong-result', reach: 'common', severity: 'major' } as const;
  const minor = { effect: 'degraded', reach: 'common', severity: 'minor' } as const;

  it.each([
    ['one that holds is confirmed', HOLDS, major, ['confirmed'], [], 0],
    ['one that is refuted goes', { ...HOLDS, kind: 'refuted' }, major, [], ['refuted'], 0],
    ['a bad one that is unclear is not certain', { ...HOLDS, kind: 'unclear' }, major, ['unsure'], [], 0],
    ['a small one that is unclear goes', { ...HOLDS, kind: 'unclear' }, minor, [], ['unclear'], 0],
    ['one without a verdict stays', undefined, minor, ['likely'], [], 1],
    ['one that turns out as a nit goes', { ...HOLDS, reach: 'rare' }, minor, [], ['below-min-severity'], 0],
  ] as const)('%s', (_, verdict, facts, confidences, refuted, unverified) => {
    const result = judged(verdict, placedAt(1, facts));
    expect(result.findings.map(({ finding: one }) => one.confidence)).toEqual(confidences);
    expect(result.refuted.map(({ why }) => why)).toEqual(refuted);
    expect(result.unverified).toBe(unverified);
  });

  it('lose a suggestion that does not fix the problem', () => {
    const one = placedAt(1, { ...major, suggestion: '  return 1;' });
    expect(judged(HOLDS, one).findings[0]?.finding.suggestion).toBe('  return 1;');
    expect(judged({ ...HOLDS, suggestionFixes: false }, one).findings[0]?.finding.suggestion).toBeUndefined();
  });
});
