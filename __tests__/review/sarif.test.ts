import { describe, expect, it } from '@jest/globals';
import { CATEGORIES, SEVERITIES } from '../../src/review/finding.js';
import { type FindingRecord, type FindingsReport, RECORD_STATES } from '../../src/review/record.js';
import { formatSarif } from '../../src/review/sarif.js';
import { sarifFaults } from '../helpers/sarif-schema.js';
import { FULL_RECORD, PLAIN_RECORD, REPORT } from './records.js';

const TOOL = { version: '1.2.3', agent: 'pr-reviewer', clean: (text: string) => text };

describe('formatSarif', () => {
  it.each([
    ['findings', REPORT],
    [
      'nothing found',
      { ...REPORT, findings: [], coverage: { kind: 'whole', files: 1, read: 1, unread: [] } },
    ],
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
    const removed = { ...PLAIN_RECORD, side: 'LEFT' } as const;
    const artifactLocation = { uri: 'src/provider.ts', uriBaseId: '%SRCROOT%' };
    expect(runOf(reportOf(removed)).results).toMatchObject([
      { locations: [{ physicalLocation: { artifactLocation } }] },
    ]);
    expect(formatSarif(reportOf(removed), TOOL)).not.toContain('region');
  });

  it('scores only security findings, and the rule by its worst finding', () => {
    const severe = SEVERITIES.map((severity) => ({
      ...PLAIN_RECORD,
      severity,
      category: 'security' as const,
    }));
    const { tool, results } = runOf(reportOf(...severe, PLAIN_RECORD));
    expect(tool.driver.rules.map(({ id, properties }) => [id, properties['security-severity']])).toEqual([
      ['axe/error-handling', undefined],
      ['axe/security', '9.0'],
    ]);
    expect(results.map(({ properties }) => properties['security-severity'])).toEqual([
      '9.0',
      '7.0',
      '4.0',
      undefined,
      undefined,
    ]);
    expect(results.map(({ ruleIndex }) => ruleIndex)).toEqual([1, 1, 1, 1, 0]);
  });

  it('states what was not reviewed', () => {
    const { invocations, properties } = runOf(REPORT);
    expect(properties).toMatchObject({ coverage: { kind: 'part', files: 20, read: 19 } });
    expect(invocations[0]?.toolExecutionNotifications).toEqual([
      { level: 'warning', message: { text: '19 of 20 files reviewed.' } },
    ]);
    const whole = { ...REPORT, coverage: { kind: 'whole', files: 20, read: 20, unread: [] } } as const;
    expect(runOf(whole).invocations[0]?.toolExecutionNotifications).toEqual([]);
  });

  it('escapes a path', () => {
    const text = formatSarif(reportOf({ ...PLAIN_RECORD, path: 'a b/c#d.ts' }), TOOL);
    expect(text).toContain('"uri":"a%20b/c%23d.ts"');
  });
});

function reportOf(...findings: readonly FindingRecord[]): FindingsReport {
  return { ...REPORT, findings };
}

/** What the tests look at of a SARIF run. */
interface SarifRun {
  readonly tool: { readonly driver: { readonly rules: readonly { id: string; properties: Properties }[] } };
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
