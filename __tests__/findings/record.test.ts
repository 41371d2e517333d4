import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { FINDINGS_SCHEMA } from '../../scripts/schema/findings-schema.js';
import { CATEGORIES, SEVERITIES, type Severity } from '../../src/findings/finding.js';
import {
  countFindings,
  type FindingRecord,
  type FindingsReport,
  findingsDocument,
  formatSarif,
  metGates,
  RECORD_STATES,
} from '../../src/findings/post/record.js';
import { sarifFaults } from '../helpers/sarif-schema.js';
import { FULL_RECORD, PLAIN_RECORD, REPORT } from './records.js';

const coverage = { kind: 'whole', files: 14, read: 14, unread: [] } as const;
const CLEAN: FindingsReport = { ...REPORT, findings: [], coverage };

const { isNew: _, ...EARLIER } = PLAIN_RECORD;
const OF_EACH_STATE = [PLAIN_RECORD, ...RECORD_STATES.map((state) => ({ ...EARLIER, state }))];
const NONE = { kind: 'none', files: 20, read: 14, unread: [] } as const;
const FOUR = recordsOf('minor', 'major', 'nit', 'minor');

it.each<[string, readonly string[], Partial<FindingsReport>, readonly string[]]>([
  ['open findings', ['findings:minor'], { findings: FOUR }, ['1 major, 2 minor findings are open']],
  [
    'open ones alone',
    ['findings:minor'],
    { findings: OF_EACH_STATE },
    ['2 minor findings are open'],
  ],
  ['no coverage', ['coverage', 'findings:nit'], { coverage: NONE }, ['14 of 20 files reviewed']],
  ['nothing if there was nothing to review', ['coverage'], { coverage: undefined }, []],
  [
    'all, in the order of the input',
    ['not-published', 'coverage', 'findings:major'],
    { findings: recordsOf('critical') },
    ['the review was not published', '1 critical finding is open'],
  ],
])('the gates name %s', (_, words, facts, expected) => {
  const report = { ...CLEAN, ...facts };
  const review = { agent: 'bot', report, isUnpublished: words.includes('not-published') };
  const gates = { review, coverage: report.coverage, areFindingsUnread: false };
  expect(metGates(words, gates).map(({ why }) => why)).toEqual(expected);
});

it.each<[string, Parameters<typeof metGates>[1], readonly string[]]>([
  [
    'findings that nobody could read',
    { review: undefined, coverage: undefined, areFindingsUnread: true },
    ['nobody knows which findings are open', 'nobody knows which checks fail'],
  ],
  [
    'a coverage that nobody knows',
    { review: undefined, coverage: 'unknown', areFindingsUnread: false },
    ['nobody knows how much of the change was reviewed'],
  ],
  [
    'checks without an answer',
    {
      review: undefined,
      coverage: undefined,
      checks: { failing: [], unanswered: ['A', 'B'] },
      areFindingsUnread: false,
    },
    ['2 checks have no answer'],
  ],
  [
    'checks that were not asked',
    { review: undefined, coverage: undefined, checks: 'unknown', areFindingsUnread: false },
    ['nobody knows which checks fail'],
  ],
  [
    'neither without either',
    { review: undefined, coverage: undefined, areFindingsUnread: false },
    [],
  ],
])('the gates are met by %s', (_, facts, expected) => {
  const words = ['findings:major', 'coverage', 'not-published', 'checks'];
  expect(metGates(words, facts).map(({ why }) => why)).toEqual(expected);
});

function recordsOf(...severities: readonly Severity[]): readonly FindingRecord[] {
  return severities.map((severity) => ({ ...PLAIN_RECORD, severity }));
}

const SCHEMA_FILE = join(resolve(import.meta.dirname, '../..'), 'schema/findings.schema.json');

const validate = new Ajv2020({ allErrors: true }).compile(
  JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')),
);

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
    expect(validate(JSON.parse(JSON.stringify({ ...parse(REPORT), findings: [finding] })))).toBe(
      false,
    );
  });
});

it.each([
  ['findings', REPORT],
  ['nothing found', { ...REPORT, findings: [] }],
  ['no pull request', { ...REPORT, pull: undefined }],
  [
    'each state',
    { ...REPORT, findings: RECORD_STATES.map((state) => ({ ...PLAIN_RECORD, state })) },
  ],
  ['nothing read', { ...REPORT, coverage: undefined }],
] as const)('formatFindings follows the schema with %s', (_, report) => {
  expect(validate(parse(report)) ? [] : validate.errors).toEqual([]);
});

it('findings are counted by state, and open ones by severity', () => {
  const held = { ...PLAIN_RECORD, severity: 'critical', state: 'held-back' } as const;
  const findings = [held, ...recordsOf('major', 'minor')];
  const none = { settled: 0, dismissed: 0, refuted: 0, unclear: 0 };
  expect(countFindings(findings)).toEqual({
    total: 3,
    states: { open: 2, ...none, 'held-back': 1 },
    open: { critical: 0, major: 1, minor: 1, nit: 0 },
    worst: 'major',
  });
});

function parse(report: FindingsReport): Record<string, unknown> {
  return JSON.parse(JSON.stringify(findingsDocument(report)));
}

const TOOL = {
  version: '1.2.3',
  agent: 'pr-reviewer',
  isSuccessful: true,
  clean: (text: string) => text,
};

describe('formatSarif', () => {
  it.each([
    ['findings', REPORT],
    ['nothing found', CLEAN],
    ['every state', reportOf(...RECORD_STATES.map((state) => ({ ...FULL_RECORD, state })))],
    ['every category', reportOf(...CATEGORIES.map((category) => ({ ...FULL_RECORD, category })))],
    ['every severity', reportOf(...SEVERITIES.map((severity) => ({ ...PLAIN_RECORD, severity })))],
    ['a path that needs escapes', reportOf({ ...FULL_RECORD, path: 'a b/c#d?é\ud800.ts' })],
    ['lines to delete', reportOf({ ...FULL_RECORD, suggestion: '' })],
  ] as const)('follows the schema of SARIF 2.1.0 with %s', (_, report) => {
    expect(sarifFaults(JSON.parse(formatSarif(report, TOOL)))).toEqual([]);
  });

  it('is checked against a schema that refuses unknown SARIF properties', () => {
    const empty = { tool: { driver: { name: 'x' } }, results: [{}] };
    expect(sarifFaults({ version: '2.1.0', runs: [empty] })).not.toEqual([]);
    expect(sarifFaults({ version: '2.1.0', runs: [], findings: [] })).not.toEqual([]);
  });

  it('contains every field of a finding', () => {
    const open = { ...FULL_RECORD, state: 'open' } as const;
    expect(runOf(reportOf(open)).results).toEqual([
      {
        ruleId: 'axe/data',
        ruleIndex: 0,
        level: 'error',
        message: {
          text: 'Refund is booked twice when the request is retried.\n\n`refund()` writes the ledger row before it asks the provider.\n\nWhen: The provider times out once.',
        },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/refund.ts', uriBaseId: '%SRCROOT%' },
              region: { startLine: 40, endLine: 41 },
            },
          },
        ],
        relatedLocations: [
          {
            id: 1,
            physicalLocation: {
              artifactLocation: { uri: 'src/queue.ts', uriBaseId: '%SRCROOT%' },
              region: { startLine: 88, snippet: { text: 'await refund(job)' } },
            },
            message: { text: 'await refund(job)' },
          },
        ],
        partialFingerprints: { 'axeFindingId/v1': '9f2c000000000001' },
        hostedViewerUri: 'https://github.com/acme/shop/pull/7#discussion_r1',
        properties: { severity: 'major', confidence: 'confirmed' },
      },
    ]);
  });

  it.each([
    ['critical', 'error'],
    ['minor', 'warning'],
  ] as const)('maps %s to %s', (severity, level) => {
    expect(runOf(reportOf({ ...PLAIN_RECORD, severity })).results).toMatchObject([{ level }]);
  });

  it('suppresses dismissed findings, and leaves out settled ones and those never posted', () => {
    const run = runOf(reportOf(...RECORD_STATES.map((state) => ({ ...FULL_RECORD, state }))));
    expect(run.results.map(({ suppressions }) => suppressions)).toEqual([
      undefined,
      [{ kind: 'external', status: 'accepted', justification: 'command, by anna' }],
    ]);
  });

  it('is about the whole file where a line was removed', () => {
    const artifactLocation = { uri: 'src/provider.ts', uriBaseId: '%SRCROOT%' };
    const [result] = runOf(reportOf({ ...PLAIN_RECORD, side: 'LEFT' })).results;
    expect(result).toMatchObject({ locations: [{ physicalLocation: { artifactLocation } }] });
    expect(JSON.stringify(result)).not.toContain('region');
  });

  it('scores only security findings, and the rule by its worst finding', () => {
    const severe = recordsOf(...SEVERITIES).map(
      (one) => ({ ...one, category: 'security' }) as const,
    );
    const { tool, results } = runOf(reportOf(...severe, PLAIN_RECORD));
    expect(
      tool.driver.rules.map(({ id, properties }) => [id, properties['security-severity']]),
    ).toEqual([
      ['axe/error-handling', undefined],
      ['axe/security', '9.0'],
    ]);
    const scores = results.map(({ properties }) => properties['security-severity']);
    expect(scores).toEqual(['9.0', '7.0', '4.0', undefined, undefined]);
    expect(results.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 1, 1, 1, 0]);
  });

  it('states what was not reviewed', () => {
    const { invocations, properties } = runOf(REPORT);
    expect(properties).toMatchObject({ coverage: { kind: 'part', files: 20, read: 19 } });
    expect(invocations[0]?.toolExecutionNotifications).toEqual([
      { level: 'warning', message: { text: '19 of 20 files reviewed.' } },
    ]);
    expect(runOf(CLEAN).invocations[0]?.toolExecutionNotifications).toEqual([]);
  });
});

it('a path in SARIF is escaped', () => {
  const text = formatSarif(reportOf({ ...PLAIN_RECORD, path: 'a b/c#d.ts' }), TOOL);
  expect(text).toContain('"uri":"a%20b/c%23d.ts"');
});

function reportOf(...findings: readonly FindingRecord[]): FindingsReport {
  return { ...REPORT, findings };
}

/** What the tests look at of a SARIF run. */
interface SarifRun {
  readonly tool: {
    readonly driver: { readonly rules: readonly { id: string; properties: Properties }[] };
  };
  readonly results: readonly {
    readonly ruleIndex: number;
    readonly properties: Properties;
    readonly suppressions?: unknown;
  }[];
  readonly invocations: readonly { readonly toolExecutionNotifications: unknown }[];
  readonly properties: Properties;
}

type Properties = Readonly<Record<string, unknown>>;

function runOf(report: FindingsReport): SarifRun {
  return JSON.parse(formatSarif(report, TOOL)).runs[0];
}
