import type { Thread } from '../github/reading/conversation.js';
import type { Category, Evidence, Finding } from './finding.js';
import type { KeptFinding } from './kept-finding.js';

/** A finding that a person with write access has dismissed, on whichever pull request. */
export interface Lesson {
  readonly id: string;
  readonly handle: string;
  readonly pull: number;
  readonly path: string;
  readonly category: Category;
  /** The fingerprint of its line, see `lineFingerprint`. */
  readonly key: string;
  /** The model's words; empty where a stranger may have had a part in them. */
  readonly title: string;
  readonly why: KeptFinding['why'];
  readonly login: string;
  /** Milliseconds. */
  readonly at: number;
}

/** A finding with what this reading has found out about it. */
export interface KnownFinding
  extends Finding,
    Pick<KeptFinding, 'rev' | 'isMute' | 'gone' | 'head' | 'words' | 'saw' | 'decided'> {
  /** The fingerprint of its line as it was posted, see `lineFingerprint`. */
  readonly key: string;
  /** The last `rev` that a text of ours says; 0 for none. */
  readonly toldRev: number;
  /** Its line is nowhere in its file: the model is asked about it. */
  readonly isGone: boolean;
  /** The number of its line at the head, where the diff does not show that line. */
  readonly headLine?: number;
  readonly thread: Thread | undefined;
  /** As it was kept before this reading; undefined for a finding of this run. */
  readonly stored: KeptFinding | undefined;
}

/** A finding for a run that fixes it. */
export interface FindingToFix extends KnownFinding {
  /** The text of its test, which the fix has to pass; left out: it has none that can be read. */
  readonly testText?: string;
}

/** People know what was decided: a text of ours says it, or nobody needs to be told. */
export function isTold({ rev, isMute, toldRev }: KnownFinding): boolean {
  return isMute || toldRev >= rev;
}

/** A decision that no text of ours says, or one that this reading has found. */
export function isNews(finding: KnownFinding): boolean {
  return !isTold(finding) || (finding.isMute === true && !isOfRecord(finding));
}

/** It is as the record has it: nothing was decided since. */
export function isOfRecord({ rev, stored }: KnownFinding): boolean {
  return rev === stored?.rev;
}

/** No text of ours has ever said that it was raised. A comment that people deleted has. */
export function isUnsaid({ toldRev, thread, stored }: KnownFinding): boolean {
  return toldRev === 0 && thread === undefined && stored?.thread === undefined;
}

/** The model's own word on a finding being one that is known. */
export interface DuplicateClaim {
  /** The handle of a finding, of an earlier run or of this one. */
  readonly sameAs?: string;
  /** It was asked, and says that it is another one. */
  readonly isNew?: boolean;
  /**
   * Ids of the findings that it knew of; left out: all. It was not asked about any other: on the
   * line of one with a similar title, it means that one.
   */
  readonly knew?: ReadonlySet<string>;
}

/** The ways in which a model can end a finding. */
export const SETTLEMENT_KINDS = ['fixed', 'wrong', 'dismissed'] as const;

/** A test that passes ends its finding `alone`, or a second `look` decides. */
export type TestedEnd = 'alone' | 'look';

/** An end of a finding that was taken from the model; it is carried out when the run is over. */
export interface Settlement {
  readonly finding: KnownFinding;
  readonly how: (typeof SETTLEMENT_KINDS)[number];
  /** The model's words. */
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Login; empty unless a person dismissed it. */
  readonly by: string;
  /** A second look in a fresh context came to the same; left out: there was none. */
  readonly isAgreed?: boolean;
  /** The test that showed the finding passes, so the program says that it is over. */
  readonly byTest?: TestedEnd;
}
