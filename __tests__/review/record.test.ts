import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FINDINGS_SCHEMA } from '../../scripts/schema/findings-schema.js';
import type { Severity } from '../../src/review/finding.js';
import {
  allFindings,
  countFindings,
  type FindingRecord,
  type FindingsReport,
  metGates,
  RECORD_STATES,
  type ReviewResult,
} from '../../src/review/record.js';
import { FULL_RECORD, PLAIN_RECORD, REPORT } from './records.js';

const CLEAN: FindingsReport = {
  ...REPORT,
  findings: [],
  coverage: { kind: 'whole', files: 14, read: 14, unread: [] },
};

describe('metGates', () => {
  it.each([['findings:minor', ['1 major, 2 minor findings are open']]])(
    'reports open findings against %s',
    (word, expected) => {
      const findings = recordsOf('minor', 'major', 'nit', 'minor');
      expect(met([word], { findings })).toEqual(expected);
    },
  );

  it('counts findings of this run and of earlier ones, and none that is closed', () => {
    const { isNew: _, ...earlier } = PLAIN_RECORD;
    const findings = [PLAIN_RECORD, ...RECORD_STATES.map((state) => ({ ...earlier, state }))];
    expect(met(['findings:minor'], { findings })).toEqual(['2 minor findings are open']);
  });

  it.each(['none'] as const)('reports a coverage of %s against `coverage`', (kind) => {
    const coverage = { kind, files: 20, read: 14, unread: [] };
    expect(met(['coverage', 'findings:nit'], { coverage })).toEqual(['14 of 20 files reviewed']);
  });

  it('ignores coverage if there was nothing to review', () => {
    expect(met(['coverage'], { coverage: undefined })).toEqual([]);
  });

  it('names every failed gate, in the order of the input', () => {
    const facts = { findings: recordsOf('critical') };
    expect(met(['not-published', 'coverage', 'findings:major'], facts, true)).toEqual([
      'the review was not published',
      '1 critical finding is open',
    ]);
  });
});

function met(words: readonly string[], facts: Partial<FindingsReport>, isUnpublished = false) {
  const review: ReviewResult = { agent: 'bot', report: { ...CLEAN, ...facts }, isUnpublished };
  return metGates(words, review).map(({ why }) => why);
}

function recordsOf(...severities: readonly Severity[]): readonly FindingRecord[] {
  return severities.map((severity) => ({ ...PLAIN_RECORD, severity }));
}

const SCHEMA_FILE = join(resolve(import.meta.dirname, '../..'), 'schema/findings.schema.json');

const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));

describe('schema/findings.schema.json', () => {
  it('is what `node scripts/schema.js` writes', () => {
    expect(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))).toEqual(FINDINGS_SCHEMA);
  });

  it.each([
    ['a word for a number', { ...FULL_RECORD, line: '41' }],
    ['a line 0', { ...FULL_RECORD, line: 0 }],
    ['a severity of its own', { ...FULL_RECORD, severity: 'high' }],
    ['a state of its own', { ...FULL_RECORD, state: 'closed' }],
    ['an invalid id', { ...FULL_RECORD, id: 'F1' }],
    ['no handle', { ...FULL_RECORD, handle: undefined }],
    ['no title', { ...FULL_RECORD, title: undefined }],
    ['evidence without code', { ...FULL_RECORD, evidence: [{ path: 'a', line: 1 }] }],
  ])('refuses a finding with %s', (_, finding) => {
    expect(validate(JSON.parse(JSON.stringify({ ...parse(REPORT), findings: [finding] })))).toBe(false);
  });
});

describe('formatFindings', () => {
  it.each([
    ['findings', REPORT],
    ['nothing found', { ...REPORT, findings: [] }],
    ['no pull request', { ...REPORT, pull: undefined }],
    ['each state', { ...REPORT, findings: RECORD_STATES.map((state) => ({ ...PLAIN_RECORD, state })) }],
    ['nothing read', { ...REPORT, coverage: undefined }],
  ] as const)('follows the schema with %s', (_, report) => {
    expect(errorsOf(JSON.stringify(allFindings(report)))).toEqual([]);
  });
});

describe('countFindings', () => {
  it('counts all by state, and open ones by severity', () => {
    const critical = { ...PLAIN_RECORD, severity: 'critical' } as const;
    const findings = [
      { ...critical, state: 'held-back' as const },
      { ...PLAIN_RECORD, severity: 'major' as const, state: 'open' as const },
      PLAIN_RECORD,
    ];
    expect(countFindings(findings)).toEqual({
      total: 3,
      states: {
        open: 2,
        settled: 0,
        outdated: 0,
        dismissed: 0,
        refuted: 0,
        unclear: 0,
        'held-back': 1,
      },
      open: { critical: 0, major: 1, minor: 1, nit: 0 },
      worst: 'major',
    });
  });
});

function parse(report: FindingsReport): Record<string, unknown> {
  return JSON.parse(JSON.stringify(allFindings(report)));
}

function errorsOf(text: string): unknown {
  return validate(JSON.parse(text)) ? [] : validate.errors;
}
