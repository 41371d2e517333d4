import { describe, expect, it } from '@jest/globals';
import { type Buffered, NOTHING_BUFFERED } from '../../src/review/buffered.js';
import { joinPasses } from '../../src/review/join-passes.js';
import { placed } from './change.js';

const EVIDENCE = [{ path: 'src/auth.ts', line: 10, code: 'query("SELECT " + user.id);' }];

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
  it('are one if two passes raised it, with the words that bring evidence', () => {
    const { findings } = joinPasses([pass('a', {}), pass('b', { ...SAME, evidence: EVIDENCE })], 100);
    expect(findings.map(({ finding }) => [finding.id, finding.title, finding.confidence])).toEqual([
      ['a0', SAME.title, 'likely'],
    ]);
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
      gates: { 'asks-only': 2 },
      review: { summary: 'A.' },
    } as const;
    const two = {
      ...pass('b'),
      gates: { 'asks-only': 1, 'nit-later': 1 },
      review: { summary: 'B.' },
    } as const;
    expect(joinPasses([one, two], 100)).toMatchObject({
      gates: { 'asks-only': 3, 'nit-later': 1 },
      review: { summary: 'A.\n\nB.' },
    });
    expect(joinPasses([], 100)).toEqual(NOTHING_BUFFERED);
  });
});
