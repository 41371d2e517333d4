import type { Word } from '../event/trust.js';
import type { Side } from '../lib/text/diff.js';
import { formatInteger } from '../lib/text/format.js';
import { textId } from '../lib/text/text-id.js';

/** Subjects of findings. The set is closed, so that no word a model invents becomes a key. */
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

/** Consequences of a fault, worst first. */
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

/** Frequencies with which the effect occurs. */
export const REACHES = ['always', 'common', 'rare'] as const;

export type Reach = (typeof REACHES)[number];

/** Computed from effect and reach, worst first. */
export const SEVERITIES = ['critical', 'major', 'minor', 'nit'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Computed from evidence and verification, most certain first. */
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
  /** The files of the fix with which it passed. */
  readonly fixed: readonly string[];
  /** The word of the run that wrote it. */
  readonly words: Word;
  /** The commit on which it showed the finding. */
  readonly head: string;
}

/** The result of a test after a push: it fails as before, it passes, or it says nothing. */
export type TestResult = 'fails' | 'passes' | 'unclear';

export const FINDING_STATES = ['open', 'settled', 'dismissed'] as const;

/** Actors that can change the state of a finding. */
export const FINDING_ACTORS = ['model', 'person', 'program'] as const;

export type FindingActor = (typeof FINDING_ACTORS)[number];

/** The rules by which the program itself raises and ends findings, without a model. */
export const FINDING_RULES = ['hidden-line', 'hidden-name'] as const;

export type FindingRule = (typeof FINDING_RULES)[number];

/** Reasons for the state of a finding, as people read them. */
export const STATE_REASON_TEXTS = {
  fixed: 'the code fixes it',
  wrong: 'taken back',
  /** According to the model, which read what the person wrote. */
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

/** The text and the result of a test that this run executed. */
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
  /** Its name on its pull request, for people and models: `F` and four letters or digits. */
  readonly handle: string;
  /** The name of the agent that raised it. */
  readonly agent: string;
  /** The rule that raised it; left out: a model did. */
  readonly rule?: FindingRule;
  /** The fault in one line; the model's words, not sanitised yet. */
  readonly title: string;
  /**
   * The model's markdown, not sanitised yet. For a finding of an earlier run, only its beginning.
   */
  readonly body: string;
  /** The input, state or order that brings the fault about; the model's words. */
  readonly trigger?: string;
  readonly category: Category;
  /** Effect and reach are known only in the run that raises the finding. */
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
  /** Replacement for the lines; without a line break at the end. */
  readonly suggestion?: string;
  readonly test?: FindingTest;
  /** The test as it was run; known in the run that wrote it. */
  readonly shown?: ShownTest;
  readonly state: (typeof FINDING_STATES)[number];
  readonly by?: FindingActor;
  /** The person who decided. */
  readonly login?: string;
  readonly why?: StateReason;
  /** The reason for the state, in the model's words. */
  readonly reason?: string;
  /**
   * The pull request on which people dismissed the same finding; this one is too severe to be held
   * back for that.
   */
  readonly dismissedOn?: number;
}

/** Open: people still have to do something about the finding. */
export function isOpen({ state }: { readonly state: string }): boolean {
  return state === 'open';
}

/** A finding has ended, by a person, a model or the program. */
export function hasEnded({ state }: Pick<Finding, 'state'>): boolean {
  return state !== 'open';
}

/**
 * The id of a finding: minted when a run accepts it, and never computed again. It does not depend
 * on words or place, so that a reworded finding keeps its id. It protects no secret, see
 * {@link textId}.
 */
export function mintId(run: string, number: number): string {
  return textId(`finding ${run} ${number}`).slice(2);
}

const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ0123456789';

/**
 * A short form of an id. It needs no counter, so that two agents, two runs and a run without memory
 * do not normally use the same one. If another finding of the pull request has it, the id is hashed
 * again with another salt.
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

/** The input of `severityOf`. @internal */
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

/** As bad as the other severity, or worse. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return compareSeverity(severity, least) <= 0;
}

/** Bad enough to block. An unsure finding never blocks. */
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
 * True for a file whose path is neither that of a test nor of documentation. The caller knows from
 * the diff whether people read the file: nobody reads generated or vendored ones.
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

/** The number of findings of each severity, the worst first: `1 major, 2 minor`. */
export function formatSeverityCounts(severities: readonly Severity[]): string {
  return SEVERITIES.flatMap((severity) => {
    const number = severities.filter((candidate) => candidate === severity).length;
    return number === 0 ? [] : [`${number} ${severity}`];
  }).join(', ');
}
