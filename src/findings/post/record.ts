import type { Side } from '../../lib/text/diff.js';
import { count, formatInteger } from '../../lib/text/format.js';
import type { BufferedPublications } from '../buffered-publications.js';
import { sortWorstFirst } from '../change/diff-lines.js';
import { type Coverage, NOTHING_READ } from '../change/scope.js';
import type { CheckEnds } from '../check-rows.js';
import { whyHeldBack } from '../decide/duplicates.js';
import { CLAIMED_OVER_TEXT, type FindingChanges, type Ledger } from '../decide/ledger.js';
import {
  type Category,
  type Confidence,
  compareSeverity,
  type Evidence,
  FINDING_STATES,
  type Finding,
  type FindingEffect,
  formatSeverityCounts,
  isBlocking,
  isOpen,
  type OpenCount,
  type Reach,
  SEVERITIES,
  type Severity,
  STATE_REASON_TEXTS,
} from '../finding.js';

/**
 * States of a finding, for other programs, and the reasons for which a raised one was not posted.
 * `refuted`: a second look found that it is wrong; `unclear`: it could not tell, and nothing bad
 * would come of it.
 */
export const RECORD_STATES = [...FINDING_STATES, 'refuted', 'unclear', 'held-back'] as const;

/** A finding and its fate, as a run hands it to other programs. */
export interface FindingRecord {
  /** 16 hexadecimal digits, minted once. */
  readonly id: string;
  readonly handle: string;
  readonly state: (typeof RECORD_STATES)[number];
  /** No earlier run has said it: this one raised it, or one that was stopped before it could. */
  readonly isNew?: true;
  /** The reason for its state, in a word or a sentence. */
  readonly why?: string;
  /** Login of the person who decided. */
  readonly by?: string;
  readonly title: string;
  readonly body?: string;
  readonly trigger?: string;
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly side: Side;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly category: Category;
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  readonly evidence?: readonly Evidence[];
  /** Text that takes the place of the lines; empty to delete them. */
  readonly suggestion?: string;
  readonly url?: string;
  readonly agent: string;
}

/** The words of the input `fail-on` that are about what a review found or could not do. */
export const FINDINGS_GATES: readonly string[] = [
  ...SEVERITIES.map((severity) => `findings:${severity}`),
  'coverage',
  'not-published',
  'checks',
];

export interface MetGate {
  readonly gate: string;
  /** The reason, for the log: `1 major, 2 minor findings are open`. */
  readonly why: string;
}

/** The facts of a run's end that its gates are decided from. */
export interface GateFacts {
  /** Undefined for a run that is not a review. */
  readonly review: ReviewResult | undefined;
  /** `unknown`: the event is about a change, and the run ended before it knew what was read. */
  readonly coverage: Coverage | 'unknown' | undefined;
  /** Left out: none were to be asked. */
  readonly checks?: CheckEnds | 'unknown';
  /** The event is about a pull request, and its open findings could not be read. */
  readonly areFindingsUnread: boolean;
}

/**
 * The gates of {@link FINDINGS_GATES} that a run meets, in their order. They decide for forks too,
 * where no review can block. A gate is also met if nobody knows whether it is.
 */
export function metGates(gates: readonly string[], facts: GateFacts): readonly MetGate[] {
  return gates.flatMap((gate) => {
    const reason = whyMet(gate, facts);
    return reason === undefined ? [] : [{ gate, why: reason }];
  });
}

function whyMet(
  gate: string,
  { review, coverage, areFindingsUnread, checks }: GateFacts,
): string | undefined {
  if (gate === 'checks') return whyChecksHold(areFindingsUnread ? 'unknown' : checks);
  if (gate === 'not-published')
    return review?.isUnpublished === true ? 'the review was not published' : undefined;
  if (gate === 'coverage') {
    if (coverage === 'unknown') return 'nobody knows how much of the change was reviewed';
    if (coverage === undefined || coverage.kind === 'whole') return undefined;
    return `${formatInteger(coverage.read)} of ${count(coverage.files, 'file')} reviewed`;
  }
  const severity = SEVERITIES.find((name) => gate === `findings:${name}`);
  const findings = review?.report.findings ?? [];
  const open = severity === undefined ? [] : blockingFindings(findings, severity);
  if (open.length === 0)
    return areFindingsUnread ? 'nobody knows which findings are open' : undefined;
  const counts = formatSeverityCounts(open.map((record) => record.severity));
  return `${counts} ${open.length === 1 ? 'finding is' : 'findings are'} open`;
}

function whyChecksHold(checks: GateFacts['checks']): string | undefined {
  if (checks === 'unknown') return 'nobody knows which checks fail';
  const { failing = [], unanswered = [] } = checks ?? {};
  if (failing.length > 0)
    return `${count(failing.length, 'check')} ${failing.length === 1 ? 'fails' : 'fail'}`;
  if (unanswered.length === 0) return undefined;
  return `${count(unanswered.length, 'check')} ${unanswered.length === 1 ? 'has' : 'have'} no answer`;
}

/**
 * The open findings that are bad enough to block; what nobody is certain of blocks nothing.
 * @internal
 */
export function blockingFindings(
  findings: readonly FindingRecord[],
  least: Severity,
): readonly FindingRecord[] {
  return findings.filter((record) => isOpen(record) && isBlocking(record, least));
}

/** A run's result for other programs; its texts are redacted already. @internal */
export interface FindingsReport {
  /** Commits. */
  readonly head: string;
  readonly base: string;
  /** Undefined where the run was about no pull request. */
  readonly pull: number | undefined;
  /** Undefined where nothing was read. */
  readonly coverage: Coverage | undefined;
  readonly findings: readonly FindingRecord[];
}

export interface ReviewResult {
  readonly agent: string;
  readonly report: FindingsReport;
  /** Something was to be posted, and was not. */
  readonly isUnpublished: boolean;
  /** The checks as they were said last; left out: none were asked. */
  readonly checks?: CheckEnds;
}

/** The version of the form; a program that reads it need not know a later one. */
export const FINDINGS_VERSION = 1;

/** All findings in the form of `schema/findings.schema.json`. */
export function findingsDocument({ head, base, pull, coverage, findings }: FindingsReport): object {
  const counts = countFindings(findings);
  return { version: FINDINGS_VERSION, head, base, pull: pull ?? null, coverage, counts, findings };
}

/** The open findings among them, and how many are new. */
export function countOpen(findings: readonly FindingRecord[]): OpenCount {
  const open = findings.filter(isOpen);
  return { open, fresh: open.filter(({ isNew }) => isNew === true).length };
}

/** Counts findings by state, and those that are open by severity. */
export function countFindings(findings: readonly FindingRecord[]) {
  const open = findings.filter(isOpen).toSorted((a, b) => compareSeverity(a.severity, b.severity));
  const states = findings.map(({ state }) => state);
  const severities = open.map(({ severity }) => severity);
  return {
    total: findings.length,
    states: tally(RECORD_STATES, states),
    open: tally(SEVERITIES, severities),
    worst: severities[0] ?? null,
  };
}

function tally(
  names: readonly string[],
  values: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    names.map((name) => [name, values.filter((value) => value === name).length]),
  );
}

interface SarifTool {
  readonly version: string;
  /** GitHub keeps the results of each agent apart by it. */
  readonly agent: string;
  /** The run came to its end; one that failed, was cut or skipped did not. */
  readonly isSuccessful: boolean;
  /** Outbound cleaning for what people read; code stays as it is. */
  clean(text: string): string;
}

/**
 * Findings as SARIF 2.1.0 (OASIS), for code scanning and editors. Open findings are results,
 * dismissed ones suppressed results; what is settled is left out, which closes its alert. SARIF
 * knows only the new version of a file, so a finding on a removed line is about the whole file.
 */
export function formatSarif(report: FindingsReport, tool: SarifTool): string {
  const reported = report.findings.filter(
    (record) => isOpen(record) || record.state === 'dismissed',
  );
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
        executionSuccessful: tool.isSuccessful,
        toolExecutionNotifications: notificationsOf(report.coverage ?? NOTHING_READ),
      },
    ],
    results: reported.map((record) => resultOf(record, categories.indexOf(record.category), tool)),
    properties: { coverage: { kind, files, read } },
  };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] });
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

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

/**
 * GitHub reads the score of security alerts from the rule, so the rule has that of its worst
 * finding.
 */
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

function resultOf(record: FindingRecord, ruleIndex: number, { clean }: SarifTool): object {
  const {
    id,
    category,
    severity,
    confidence,
    side,
    line,
    startLine = line,
    evidence = [],
  } = record;
  const region =
    side === 'LEFT' ? undefined : { startLine: Math.min(startLine, line), endLine: line };
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

function relatedLocation({ path, line, code }: Evidence, index: number): object {
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
  const reasons = [why, by === undefined ? undefined : `by ${by}`].filter(
    (part) => part !== undefined,
  );
  const justification = reasons.length === 0 ? undefined : clean(reasons.join(', '));
  return [{ kind: 'external', status: 'accepted', justification }];
}

/** Without a word on it, no result would look like nothing wrong. */
function notificationsOf({ kind, files, read, isCutShort }: Coverage): readonly object[] {
  if (kind === 'whole') return [];
  const cut = isCutShort === true ? ' The review was cut short.' : '';
  return [
    { level: 'warning', message: { text: `${read} of ${count(files, 'file')} reviewed.${cut}` } },
  ];
}

/**
 * Every finding that a run raised or knew of, each once and the worst first, with what has become
 * of it. `url` is that of the review, where one was posted.
 */
export function findingRecords(
  {
    ledger,
    news,
    buffered,
  }: {
    readonly ledger: Ledger;
    readonly news: FindingChanges;
    readonly buffered: BufferedPublications;
  },
  url?: string,
): readonly FindingRecord[] {
  const fresh = new Set(news.fresh.map(({ finding }) => finding.id));
  const claimed = new Set(news.claimed.map(({ finding }) => finding.id));
  const back = new Set(news.back.flatMap(({ id, by }) => (by === undefined ? [] : [id])));
  const known = ledger.findings.map((finding): FindingRecord => {
    const { id, thread, dismissedOn } = finding;
    const record = recordOf(finding, thread?.first.url);
    if (back.has(id)) return { ...record, why: 'it came back' };
    const claim = claimed.has(id) ? CLAIMED_OVER_TEXT : undefined;
    if (!fresh.has(id)) return claim === undefined ? record : { ...record, why: claim };
    const lesson = dismissedOn === undefined ? undefined : `dismissed before on #${dismissedOn}`;
    return { ...record, isNew: true, why: claim ?? lesson, url };
  });
  // Decisions on this pull request are among the known findings already.
  const lessons = news.heldBack.flatMap(({ finding, of }) =>
    'pull' in of ? [{ finding, of }] : [],
  );
  const heldOnce = new Map(lessons.map((lesson) => [lesson.of.id, lesson])).values();
  const heldBack = [...heldOnce].map(({ finding, of }) => {
    const state: FindingRecord['state'] = 'held-back';
    return { ...recordOf(finding), id: of.id, handle: of.handle, state, why: whyHeldBack(of) };
  });
  const all = [...known, ...refutedRecords(buffered), ...heldBack];
  return all.toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

/** Records of a run that has no earlier findings and posts nothing. */
export function raisedRecords(buffered: BufferedPublications): readonly FindingRecord[] {
  const raised = sortWorstFirst(buffered.findings).map(({ finding }) => ({
    ...recordOf(finding),
    isNew: true as const,
  }));
  return [...raised, ...refutedRecords(buffered)];
}

function refutedRecords({ refuted }: BufferedPublications): readonly FindingRecord[] {
  return refuted.map(({ finding, why, reason }) => {
    // Confirmed, but too mild to be posted, is not wrong.
    const state = why === 'below-min-severity' ? 'held-back' : why;
    return { ...recordOf(finding), state, why: reason };
  });
}

function recordOf(finding: Finding, url?: string): FindingRecord {
  const { id, handle, agent, state, why, reason, title, body, trigger, evidence, suggestion } =
    finding;
  const { path, line, startLine, side, severity, confidence, category, effect, reach } = finding;
  const place = { path, line, startLine, side };
  const judged = { severity, confidence, category, effect, reach };
  const end = why === undefined ? undefined : STATE_REASON_TEXTS[why];
  return {
    id,
    handle,
    state,
    why: reason ?? end,
    by: finding.login,
    title,
    body: body === '' ? undefined : body,
    trigger,
    ...place,
    ...judged,
    evidence: evidence.length === 0 ? undefined : evidence,
    suggestion,
    url,
    agent,
  };
}
