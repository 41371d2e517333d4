import { count } from '../lib/text/format.js';
import { NOTHING_READ } from './coverage.js';
import { type Category, isOpen, type Severity } from './finding.js';
import type { Coverage, FindingRecord, FindingsReport } from './record.js';
import { compareSeverity } from './severity.js';

interface SarifTool {
  readonly version: string;
  /** GitHub keeps the results of each agent apart by it. */
  readonly agent: string;
  /** Outbound cleaning for what people read (D24); code stays as it is. */
  clean(text: string): string;
}

/**
 * Findings as SARIF 2.1.0 (OASIS), for code scanning and editors. Open findings are results, dismissed ones suppressed
 * results; what is settled is left out, which closes its alert. SARIF knows only the new version of a file, so a finding on
 * a removed line is about the whole file.
 */
export function formatSarif(report: FindingsReport, tool: SarifTool): string {
  const reported = report.findings.filter((record) => isOpen(record) || record.state === 'dismissed');
  const categories = [...new Set(reported.map(({ category }) => category))].sort();
  const { kind, files, read } = report.coverage ?? NOTHING_READ;
  const run = {
    tool: {
      driver: {
        name: 'axe-action',
        version: tool.version,
        rules: categories.map((category) => ruleOf(category, reported)),
      },
    },
    automationDetails: { id: `axe-action/${tool.agent}/` },
    columnKind: 'utf16CodeUnits',
    invocations: [
      {
        executionSuccessful: true,
        toolExecutionNotifications: notificationsOf(report.coverage ?? NOTHING_READ),
      },
    ],
    results: reported.map((record) => resultOf(record, categories.indexOf(record.category), tool)),
    properties: { coverage: { kind, files, read } },
  };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] });
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** GitHub reads the score of security alerts from the rule, so the rule has that of its worst finding. */
function ruleOf(category: Category, records: readonly FindingRecord[]): object {
  const [worst] = records
    .filter((record) => record.category === category)
    .map(({ severity }) => severity)
    .sort(compareSeverity);
  return {
    id: ruleId(category),
    name: category,
    shortDescription: { text: DESCRIPTIONS[category] },
    properties: { tags: [category], ...securityScore(category, worst) },
  };
}

const DESCRIPTIONS: Readonly<Record<Category, string>> = {
  correctness: 'The code does something other than it should.',
  security: 'People can read, change or run what they should not.',
  data: 'Data is lost, changed or written twice.',
  concurrency: 'The result depends on which of two things comes first.',
  resource: 'Something stays open, or grows without a limit.',
  'error-handling': 'An error is lost, or mistaken for something else.',
  interface: 'A promise to callers or users is broken.',
  performance: 'It takes more time or memory than it has to.',
  test: 'A test is missing, or proves nothing.',
  docs: 'The documentation does not match the code.',
  other: 'A fault of another kind.',
};

function resultOf(record: FindingRecord, ruleIndex: number, { clean }: SarifTool): object {
  const { id, category, severity, confidence, side, line, startLine = line, evidence = [] } = record;
  const region = side === 'LEFT' ? undefined : { startLine: Math.min(startLine, line), endLine: line };
  return {
    ruleId: ruleId(category),
    ruleIndex,
    level: LEVELS[severity],
    message: { text: clean(textOf(record)) },
    locations: [{ physicalLocation: locationOf(record.path, region) }],
    relatedLocations: evidence.length === 0 ? undefined : evidence.map(relatedLocation),
    partialFingerprints: { 'axeFindingId/v1': id },
    suppressions: suppressionsOf(record, clean),
    hostedViewerUri: record.url,
    properties: { severity, confidence, ...securityScore(category, severity) },
  };
}

function ruleId(category: Category): string {
  return `axe/${category}`;
}

const LEVELS: Readonly<Record<Severity, string>> = {
  critical: 'error',
  major: 'error',
  minor: 'warning',
  nit: 'note',
};

const SECURITY_SCORES: Readonly<Partial<Record<Severity, string>>> = {
  critical: '9.0',
  major: '7.0',
  minor: '4.0',
};

function securityScore(category: Category, severity: Severity | undefined): object {
  const isScored = category === 'security' && severity !== undefined;
  return { 'security-severity': isScored ? SECURITY_SCORES[severity] : undefined };
}

function textOf({ title, body = '', trigger = '' }: FindingRecord): string {
  const sentence = /[.!?。！？]$/u.test(title) ? title : `${title}.`;
  const parts = [sentence, body, trigger === '' ? '' : `When: ${trigger}`];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** A path is a URI reference here: `#`, `?` and spaces in it need an escape. */
function locationOf(path: string, region: object | undefined): object {
  const uri = path.toWellFormed().split('/').map(encodeURIComponent).join('/');
  return { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region };
}

function relatedLocation(
  { path, line, code }: { readonly path: string; readonly line: number; readonly code: string },
  index: number,
): object {
  return {
    id: index + 1,
    physicalLocation: locationOf(path, { startLine: line, snippet: { text: code } }),
    message: { text: code },
  };
}

function suppressionsOf(
  { state, why, by }: FindingRecord,
  clean: SarifTool['clean'],
): readonly object[] | undefined {
  if (state !== 'dismissed') return undefined;
  const reasons = [why, by === undefined ? undefined : `by ${by}`].filter((part) => part !== undefined);
  const justification = reasons.length === 0 ? undefined : clean(reasons.join(', '));
  return [{ kind: 'external', status: 'accepted', justification }];
}

/** Without a word on it, no result would look like nothing wrong. */
function notificationsOf({ kind, files, read, isCutShort }: Coverage): readonly object[] {
  if (kind === 'whole') return [];
  const cut = isCutShort === true ? ' The review was cut short.' : '';
  return [{ level: 'warning', message: { text: `${read} of ${count(files, 'file')} reviewed.${cut}` } }];
}
