import { describe, expect, it } from '@jest/globals';
import { applyVerdicts } from '../../src/review/apply-verdicts.js';
import { NOTHING_BUFFERED } from '../../src/review/buffered.js';
import type { FindingVerdict } from '../../src/review/verdict.js';
import { LINES, placed } from './verdict-scene.js';

const SCOPE = { lines: LINES, overrides: {}, isRead: () => true, minSeverity: 'minor' } as const;
const HOLDS: FindingVerdict = {
  kind: 'holds',
  reason: 'Followed.',
  line: undefined,
  effect: undefined,
  reach: undefined,
  suggestionFixes: true,
};

function judged(verdict: FindingVerdict | undefined, one = placed(1)) {
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
    const result = judged(verdict, placed(1, facts));
    expect(result.findings.map(({ finding: one }) => one.confidence)).toEqual(confidences);
    expect(result.refuted.map(({ why }) => why)).toEqual(refuted);
    expect(result.unverified).toBe(unverified);
  });

  it('have the severity of the corrected effect and reach', () => {
    const [one] = judged({ ...HOLDS, effect: 'breach', reach: 'common' }, placed(1, minor)).findings;
    expect(one?.finding).toMatchObject({ effect: 'breach', reach: 'common', severity: 'critical' });
  });

  it('lose a suggestion that does not fix the problem', () => {
    const one = placed(1, { ...major, suggestion: '  return 1;' });
    expect(judged(HOLDS, one).findings[0]?.finding.suggestion).toBe('  return 1;');
    expect(judged({ ...HOLDS, suggestionFixes: false }, one).findings[0]?.finding.suggestion).toBeUndefined();
  });

  it.each([
    ['to a line of the diff', 21, 21],
    ['not to a line that cannot carry a comment', 3, 22],
    ['not to the other end of the file', 900, 22],
  ])('move %s', (_, line, expected) => {
    const [one] = judged({ ...HOLDS, line }, placed(1, { ...major, suggestion: 'x' })).findings;
    expect(one?.finding.line).toBe(expected);
    expect(one?.finding.suggestion).toBe(expected === 22 ? 'x' : undefined);
    expect(one?.finding.id).toBe(placed(1).finding.id);
  });
});
