import type { Word } from '../event/trust.js';
import type { Side } from '../lib/text/diff.js';
import { formatInteger } from '../lib/text/format.js';
import { textId } from '../lib/text/text-id.js';

/** What a finding is about. A closed set: nothing that a model invents becomes a key. */
export const CATEGORIES = [
  'correctness',
  'security',
  'data',
  'concurrency',
  'resource',
  'error-handling',
  'interface',
  'performance',
  'test',
  'docs',
  'other',
] as const;

export type Category = (typeof CATEGORIES)[number];

/** What happens because of the fault, worst first. */
export const EFFECTS = [
  'breach',
  'data-loss',
  'outage',
  'wrong-result',
  'failure',
  'degraded',
  'upkeep',
] as const;

export type FindingEffect = (typeof EFFECTS)[number];

/** How often it happens. */
export const REACHES = ['always', 'common', 'rare'] as const;

export type Reach = (typeof REACHES)[number];

/** How much it matters, worst first; computed from effect and reach. */
export const SEVERITIES = ['critical', 'major', 'minor', 'nit'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** How certain it is, most certain first; computed from evidence and verification. */
export const CONFIDENCES = ['confirmed', 'likely', 'unsure'] as const;

export type Confidence = (typeof CONFIDENCES)[number];

export interface Evidence {
  readonly path: string;
  /** Counts from 1, in the version after the change. */
  readonly line: number;
  /** The line as it was copied. */
  readonly code: string;
}

/** A test that shows a finding, as the record keeps it; its text is in our comment alone. */
export interface FindingTest {
  /** The fingerprint of its text. */
  readonly sha256: string;
  readonly path: string;
  readonly command: string;
  /** The value that it writes down with the fault, and without it. */
  readonly saw: readonly [withFault: string, withoutFault: string];
  /** The files of the fix that it was held against. */
  readonly fixed: readonly string[];
  /** The word of the run that wrote it. */
  readonly words: Word;
  /** The commit on which it showed the finding. */
  readonly head: string;
}

/** The result of a test after a push: it fails as before, it passes, or it says nothing. */
export type TestResult = 'fails' | 'passes' | 'unclear';

/** The state of a finding. */
export const FINDING_STATES = ['open', 'settled', 'dismissed'] as const;

/** Who brought a finding into its state. */
export const FINDING_ACTORS = ['model', 'person', 'program'] as const;

export type FindingActor = (typeof FINDING_ACTORS)[number];

/** The rules by which the program itself raises and ends findings, without a model. */
export const FINDING_RULES = ['hidden-line', 'hidden-name'] as const;

export type FindingRule = (typeof FINDING_RULES)[number];

/** Why a finding is in its state, in words. */
export const STATE_REASON_TEXTS = {
  fixed: 'the code fixes it',
  wrong: 'taken back',
  /** As the model read them. */
  words: 'in a person’s own words',
  suggestion: 'its suggestion was committed',
  left: 'its file is no longer part of the change',
  resolved: 'its conversation was resolved',
  'thumbs-down': '👎',
  phrase: 'in a reply',
  command: 'by a command',
  reverted: 'its line is back',
} as const;

export type StateReason = keyof typeof STATE_REASON_TEXTS;

/** The text of a test, and how it was run. */
export interface ShownTest {
  readonly text: string;
  /** Runs on the code as it is, and as many with the fix. */
  readonly times: number;
  /** The end of what it printed on the code as it is. */
  readonly output: string;
}

/**
 * Something a review has to say about a place in the change, from the call that raises it to
 * everything that shows it.
 */
export interface Finding {
  /** 16 hexadecimal digits, minted once. */
  readonly id: string;
  /** What people and models call it on its pull request: `F` and four letters or digits. */
  readonly handle: string;
  /** Whose it is. */
  readonly agent: string;
  /** The rule that raised it; left out: a model did. */
  readonly rule?: FindingRule;
  /** The fault in one line; the model's words, which nobody has cleaned yet. */
  readonly title: string;
  /** Markdown of the model's; nobody has cleaned it yet. Of an earlier run, its beginning. */
  readonly body: string;
  /** The input, state or order that brings the fault about; the model's words. */
  readonly trigger?: string;
  readonly category: Category;
  /** These two are known in the run that raises it. */
  readonly effect?: FindingEffect;
  readonly reach?: Reach;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly path: string;
  /** The last line it is about; counts from 1. */
  readonly line: number;
  /** The first line, where it is about several. */
  readonly startLine?: number;
  readonly side: Side;
  /** The text of `line`, where it is known. */
  readonly code?: string;
  /** Lines that prove it, each of which the model was shown. */
  readonly evidence: readonly Evidence[];
  /** What the lines should be replaced with; without a line break at the end. */
  readonly suggestion?: string;
  readonly test?: FindingTest;
  /** The test as it was run; known in the run that wrote it. */
  readonly shown?: ShownTest;
  readonly state: (typeof FINDING_STATES)[number];
  readonly by?: FindingActor;
  /** Of the person who decided. */
  readonly login?: string;
  readonly why?: StateReason;
  /** Why, in the model's words. */
  readonly reason?: string;
  /**
   * The pull request on which people dismissed the same: it is too bad to be held back for that.
   */
  readonly dismissedOn?: number;
}

/** Whether people still have to do something about a finding. */
export function isOpen({ state }: { readonly state: string }): boolean {
  return state === 'open';
}

/** A finding has ended, by a person, a model or the program. */
export function hasEnded({ state }: Pick<Finding, 'state'>): boolean {
  return state !== 'open';
}

/**
 * The id of a finding: minted when a run takes it, and never computed again. Neither its words nor
 * its place are in it, so that other words make no other finding of it. No secret hangs on it (see
 * {@link textId}).
 */
export function mintId(run: string, number: number): string {
  return textId(`finding ${run} ${number}`).slice(2);
}

const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789';

/**
 * A short form of an id. It needs no counter, so that two agents, two runs and a run without memory
 * never say the same one; where another finding of the pull request has it, more of the id decides.
 */
export function createHandle(id: string, isTaken: (handle: string) => boolean): string {
  for (let salt = 0; ; salt += 1) {
    const bits = Number.parseInt(textId(`handle ${id} ${salt}`).slice(-8), 16);
    const letters = [0, 5, 10, 15].map((shift) => LETTERS[(bits >>> shift) & 31]);
    const handle = `F${letters.join('')}`;
    // A digit distinguishes it from a word.
    if (/\d/.test(handle) && !isTaken(handle)) return handle;
  }
}

/**
 * The name of a finding as people write it, in the form of a handle; undefined for any other word.
 */
export function parseHandle(word: string): string | undefined {
  const [, handle] = /^[`"'(]*(F(?=[A-Z]*\d)[A-Z0-9]{4})[`"'),.:;]*$/i.exec(word.trim()) ?? [];
  return handle?.toUpperCase();
}

/** The severity that an agent's file sets for a category (`[review.severity]`). */
export type SeverityOverrides = Readonly<Partial<Record<Category, Severity>>>;

/** What a severity is computed from. @internal */
export interface SeverityFacts {
  readonly effect: FindingEffect;
  readonly reach: Reach;
  readonly category: Category;
  /** See `isSourceFile`. */
  readonly isInSource: boolean;
  readonly overrides: SeverityOverrides;
}

/**
 * The severity of a finding. The model answers two questions of fact, what happens and how often,
 * and never says how bad it is. Outside of source files nothing is worse than `minor`, unless the
 * agent's file says otherwise for the category.
 */
export function severityOf({
  effect,
  reach,
  category,
  isInSource,
  overrides,
}: SeverityFacts): Severity {
  const override = overrides[category];
  if (override !== undefined) return override;
  const severity = TABLE[effect][reach];
  return !isInSource && isAtLeast(severity, CAP) ? CAP : severity;
}

const TABLE: Readonly<Record<FindingEffect, Readonly<Record<Reach, Severity>>>> = {
  breach: { always: 'critical', common: 'critical', rare: 'major' },
  'data-loss': { always: 'critical', common: 'critical', rare: 'major' },
  outage: { always: 'critical', common: 'major', rare: 'minor' },
  'wrong-result': { always: 'major', common: 'major', rare: 'minor' },
  failure: { always: 'major', common: 'major', rare: 'minor' },
  degraded: { always: 'minor', common: 'minor', rare: 'nit' },
  upkeep: { always: 'minor', common: 'nit', rare: 'nit' },
};

const CAP: Severity = 'minor';

/** Whether a severity is as bad as another, or worse. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return compareSeverity(severity, least) <= 0;
}

/** Whether a finding is bad enough to block; what nobody is certain of blocks nothing. */
export function isBlocking(
  { severity, confidence }: { readonly severity: Severity; readonly confidence: Confidence },
  gate: Severity,
): boolean {
  return confidence !== 'unsure' && isAtLeast(severity, gate);
}

/** Sorts the worst first. */
export function compareSeverity(a: Severity, b: Severity): number {
  return SEVERITIES.indexOf(a) - SEVERITIES.indexOf(b);
}

/** The worse one of two. */
export function worseSeverity(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) < 0 ? a : b;
}

/**
 * Whether a file is neither a test nor documentation by its path; the diff says whether people read
 * it, and no program.
 */
export function isSourceFile(path: string, isReadByPeople: boolean): boolean {
  return isReadByPeople && ![...TESTS, ...DOCS].some((pattern) => pattern.test(path));
}

const TESTS: readonly RegExp[] = [
  /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|e2e|testdata|fixtures)\//i,
  /[._-](?:test|spec)\.\w+$/i,
  /(?:^|\/)(?:test_[^/]*|conftest)\.py$/,
  /[a-z0-9](?:Tests?|IT|Spec)\.(?:java|kt|kts|cs|scala|groovy|swift|php)$/,
];

const DOCS: readonly RegExp[] = [
  /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i,
  /(?:^|\/)docs?\/.*\.(?:txt|html?|svg)$/i,
  /(?:^|\/)(?:readme|changelog|changes|contributing|license|licence|copying|notice|authors)(?:\.txt)?$/i,
];

/** The open findings after a run, as every surface counts them. */
export interface OpenCount {
  readonly open: readonly { readonly severity: Severity }[];
  /** The number of them that no text has said before. */
  readonly fresh: number;
}

/**
 * The open findings in the same words wherever they are counted: `3 open: 1 critical, 2 major`.
 * `extent` is added to the number, with a space before it.
 */
export function formatOpenCount(open: OpenCount['open'], extent = ''): string {
  const severities = formatSeverityCounts(open.map(({ severity }) => severity));
  return `${formatInteger(open.length)} open${extent}: ${severities}`;
}

/** `1 is new.`; empty if all open findings are, as in a first review. */
export function formatFresh({ open, fresh }: OpenCount): string {
  if (fresh === open.length) return '';
  if (fresh === 0) return 'Nothing is new.';
  return `${formatInteger(fresh)} ${fresh === 1 ? 'is' : 'are'} new.`;
}

/** `3 open: 1 critical, 2 major. 1 is new.`; empty if nothing is open. */
export function formatOpenSentences(counted: OpenCount): string {
  if (counted.open.length === 0) return '';
  return `${formatOpenCount(counted.open)}. ${formatFresh(counted)}`.trimEnd();
}

/** How many there are of each severity, the worst first: `1 major, 2 minor`. */
export function formatSeverityCounts(severities: readonly Severity[]): string {
  return SEVERITIES.flatMap((severity) => {
    const number = severities.filter((one) => one === severity).length;
    return number === 0 ? [] : [`${number} ${severity}`];
  }).join(', ');
}
