import { describe, expect, it } from '@jest/globals';
import { blocking, FINDINGS_GATES, type GateFacts, metGates, parseGate } from '../../src/review/fail-on.js';
import { type FindingRecord, RECORD_STATES } from '../../src/review/record.js';
import type { Severity } from '../../src/review/terms.js';
import { PLAIN_RECORD } from './records.js';

const CLEAN: GateFacts = {
  findings: [],
  coverage: { kind: 'whole', files: 14, read: 14, unread: [] },
  isUnpublished: false,
};

describe('parseGate', () => {
  it('reads every word that the input can have', () => {
    expect(FINDINGS_GATES.map((word) => parseGate(word))).toEqual([
      { kind: 'findings', severity: 'critical' },
      { kind: 'findings', severity: 'major' },
      { kind: 'findings', severity: 'minor' },
      { kind: 'findings', severity: 'nit' },
      { kind: 'coverage' },
      { kind: 'not-published' },
    ]);
  });

  it.each(['findings', 'findings:', 'findings:high', 'Findings:major', 'failure', ''])(
    'does not accept %p',
    (word) => {
      expect(parseGate(word)).toBeUndefined();
    },
  );
});

describe('metGates', () => {
  it('lets a clean review pass every gate', () => {
    expect(met(FINDINGS_GATES, {})).toEqual([]);
  });

  it.each([
    ['findings:critical', []],
    ['findings:major', ['1 major finding is open']],
    ['findings:minor', ['1 major, 2 minor findings are open']],
    ['findings:nit', ['1 major, 2 minor, 1 nit findings are open']],
  ])('reports open findings against %s', (word, expected) => {
    const findings = recordsOf('minor', 'major', 'nit', 'minor');
    expect(met([word], { findings })).toEqual(expected);
  });

  it('counts findings of this run and of earlier ones, and none that is closed', () => {
    const { isNew: _, ...earlier } = PLAIN_RECORD;
    const findings = [PLAIN_RECORD, ...RECORD_STATES.map((state) => ({ ...earlier, state }))];
    expect(met(['findings:minor'], { findings })).toEqual(['2 minor findings are open']);
  });

  it('does not count unsure findings', () => {
    const findings = [{ ...PLAIN_RECORD, severity: 'critical', confidence: 'unsure' }] as const;
    expect(met(['findings:nit'], { findings })).toEqual([]);
    expect(blocking(findings, 'nit')).toEqual([]);
  });

  it.each(['part', 'none'] as const)('reports a coverage of %s against `coverage`', (kind) => {
    const coverage = { kind, files: 20, read: 14, unread: [] };
    expect(met(['coverage', 'findings:nit'], { coverage })).toEqual(['14 of 20 files reviewed']);
  });

  it('ignores coverage if there was nothing to review', () => {
    expect(met(['coverage'], { coverage: undefined })).toEqual([]);
  });

  it('reports a review that was not posted against `not-published`', () => {
    expect(met(['not-published'], { isUnpublished: true })).toEqual(['the review was not published']);
  });

  it('names every failed gate, in the order of the input', () => {
    const facts = { findings: recordsOf('critical'), isUnpublished: true };
    expect(met(['not-published', 'coverage', 'findings:major'], facts)).toEqual([
      'the review was not published',
      '1 critical finding is open',
    ]);
  });
});

function met(words: readonly string[], facts: Partial<GateFacts>): readonly string[] {
  const gates = words.map(parseGate).filter((gate) => gate !== undefined);
  return metGates(gates, { ...CLEAN, ...facts }).map(({ why }) => why);
}

function recordsOf(...severities: readonly Severity[]): readonly FindingRecord[] {
  return severities.map((severity) => ({ ...PLAIN_RECORD, severity }));
}
