import type { Buffered } from './buffered.js';
import { type EndReason, FINDING_STATES, type Finding, isOpen } from './finding.js';
import type { Ledger } from './ledger.js';
import { whyHeldBack } from './lessons.js';
import type { News } from './news.js';
import { compareSeverity } from './severity.js';
import type { Category, Confidence, Evidence, FindingEffect, Reach, Severity, Side } from './terms.js';

/**
 * What has become of a finding, for other programs: its state, or why it was raised and not posted. `refuted`: a second look
 * found that it is wrong; `unclear`: it could not tell, and nothing bad would come of it.
 */
export const RECORD_STATES = [...FINDING_STATES, 'refuted', 'unclear', 'held-back'] as const;

/** A finding and its fate, as a run hands it to other programs. */
export interface FindingRecord {
  /** 16 hexadecimal digits, minted once. */
  readonly id: string;
  /** What people and models call it. */
  readonly handle: string;
  readonly state: (typeof RECORD_STATES)[number];
  /** This run raised it; left out: an earlier one did. */
  readonly isNew?: true;
  /** How it came into its state, in a word or a sentence. */
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

/**
 * Every finding that a run raised or knew of, each once and the worst first, with what has become of it. `url` is that of the
 * review, where one was posted.
 */
export function recordsOf(
  { ledger, news, buffered }: { readonly ledger: Ledger; readonly news: News; readonly buffered: Buffered },
  url?: string,
): readonly FindingRecord[] {
  const fresh = new Set(news.fresh.map(({ finding }) => finding.id));
  const claimed = new Set(news.claimed.map(({ finding }) => finding.id));
  const back = new Set(news.back.flatMap(({ id, by }) => (by === undefined ? [] : [id])));
  const known = ledger.findings.map((one) => {
    if (fresh.has(one.id)) {
      const why = one.dismissedOn === undefined ? undefined : `dismissed before on #${one.dismissedOn}`;
      const record = recordOf(one);
      return { ...record, isNew: true as const, why: why ?? record.why, url: url ?? record.url };
    }
    if (back.has(one.id)) return { ...recordOf(one), why: 'it came back' };
    return claimed.has(one.id)
      ? { ...recordOf(one), why: 'said to be over; a person has to resolve it' }
      : recordOf(one);
  });
  const refuted = buffered.refuted.map(({ finding, why, reason }) => {
    const state: FindingRecord['state'] = why === 'unclear' ? 'unclear' : 'refuted';
    return { ...recordOf(finding), state, why: reason };
  });
  // What was decided on this pull request is among the known ones.
  const lessons = news.heldBack.flatMap(({ finding, of }) => ('pull' in of ? [{ finding, of }] : []));
  const heldOnce = new Map(lessons.map((one) => [one.of.id, one])).values();
  const heldBack = [...heldOnce].map(({ finding, of }) => {
    const state: FindingRecord['state'] = 'held-back';
    return { ...recordOf(finding), id: of.id, handle: of.handle, state, why: whyHeldBack(of) };
  });
  const all = [...known, ...refuted, ...heldBack];
  return all.toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

function recordOf(finding: Finding): FindingRecord {
  const { state, why, reason, body, evidence } = finding;
  const end = why === undefined ? undefined : WHY[why];
  return {
    id: finding.id,
    handle: finding.handle,
    state,
    why: state === 'outdated' ? 'its file is no longer part of the change' : (reason ?? end),
    by: finding.login,
    title: finding.title,
    body: body === '' ? undefined : body,
    trigger: finding.trigger,
    path: finding.path,
    line: finding.line,
    startLine: finding.startLine,
    side: finding.side,
    severity: finding.severity,
    confidence: finding.confidence,
    category: finding.category,
    effect: finding.effect,
    reach: finding.reach,
    evidence: evidence.length === 0 ? undefined : evidence,
    suggestion: finding.suggestion,
    url: finding.said?.url,
    agent: finding.agent,
  };
}

/** How a finding came into its state, in words. */
const WHY: Readonly<Record<EndReason, string>> = {
  fixed: 'the code fixes it',
  wrong: 'taken back',
  words: 'in a person’s own words',
  suggestion: 'its suggestion was committed',
  resolved: 'its conversation was resolved',
  'thumbs-down': '👎',
  phrase: 'in a reply',
  command: 'by a command',
  reverted: 'what fixed it was taken back',
};

/** Why a file was not looked at. */
export const UNREAD_REASONS = ['paths', 'size', 'budget', 'failed', 'unlisted'] as const;

/** One of {@link UNREAD_REASONS}. */
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/** How much of a change was looked at. */
export const COVERAGE_KINDS = ['whole', 'part', 'none'] as const;

/** Which files of a change a review has looked at. */
export interface Coverage {
  readonly kind: (typeof COVERAGE_KINDS)[number];
  /** Files that the change has. */
  readonly files: number;
  readonly read: number;
  /** A file that GitHub counts and does not list has no path. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason }[];
  /** GitHub lists only the first files, and nobody knows how many there are; left out: it lists all. */
  readonly isListShort?: true;
  /** The run ended before it had looked at everything that it was shown; left out: it did not. */
  readonly isCutShort?: true;
}

/** The worst severity of the findings that are open; undefined if none is. */
export function worstOpen(records: readonly FindingRecord[]): Severity | undefined {
  return records
    .filter(isOpen)
    .map(({ severity }) => severity)
    .sort(compareSeverity)[0];
}
