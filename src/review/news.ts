import type { Repository } from '../event/trigger.js';
import type { Warning } from '../lib/errors.js';
import type { MarkLane } from '../safety/mark.js';
import type { Buffered, HeldBack } from './buffered.js';
import { END_WORDS, type Finding, hasEnded, isOpen, type Severity } from './finding.js';
import type { Ledger } from './ledger.js';
import type { FindingMark } from './marks.js';
import { type PlacedFinding, worstFirst } from './place.js';
import type { FindingRecord } from './record.js';
import { whyHeldBack } from './same.js';
import type { KnownFinding, Settlement } from './seen.js';
import { compareSeverity } from './severity.js';

/** What a run has made of the findings of its pull request, besides what the ledger says of them now. */
export interface News {
  /** Raised by this run. */
  readonly fresh: readonly PlacedFinding[];
  /** Raised by this run, and open already. */
  readonly kept: readonly KnownFinding[];
  readonly heldBack: readonly HeldBack[];
  /** Ended, and no text of ours says so yet. */
  readonly ended: readonly KnownFinding[];
  /** Open again, worse or on another line, and no text of ours says so yet. */
  readonly back: readonly KnownFinding[];
  /** The model says that they are over, and is not the one to decide. */
  readonly claimed: readonly Settlement[];
}

/**
 * Puts what a run wants to the ledger as it is now: between the reading at its beginning and this one people may have
 * answered, and another run may have posted. `knew` are the ids of the findings that the model was told of.
 */
export function applyActs(ledger: Ledger, buffered: Buffered, knew: ReadonlySet<string>): News {
  ledger.endCommitted();
  const kept = new Map<string, KnownFinding>();
  const heldBack = [...buffered.heldBack];
  const fresh: PlacedFinding[] = [];
  // The model also knows what it has raised itself.
  const known = new Set(knew);
  for (const { of, finding } of buffered.repeated) {
    const raising = ledger.raise(finding, { sameAs: of.handle });
    if (raising.kind === 'kept') kept.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding, of: raising.of });
  }
  for (const placed of buffered.findings) {
    const raising = ledger.raise(placed.finding, { isNew: true, knew: known });
    if (raising.kind === 'raised') {
      const { id, dismissedOn } = raising.finding;
      fresh.push({ ...placed, finding: { ...placed.finding, dismissedOn } });
      known.add(id);
    }
    if (raising.kind === 'kept') kept.set(raising.finding.id, raising.finding);
    if (raising.kind === 'held-back') heldBack.push({ finding: placed.finding, of: raising.of });
  }
  const claimed: Settlement[] = [];
  for (const settlement of buffered.settlements) {
    const isStill = ledger.open.some(({ id }) => id === settlement.finding.id);
    const end = ledger.end(settlement);
    if (typeof end === 'string' && isStill && !ledger.context.isTrusted) claimed.push(settlement);
  }
  const isFresh = new Set(fresh.map(({ finding }) => finding.id));
  const untold = ledger.findings.filter((one) => !one.isTold && !isFresh.has(one.id));
  return {
    fresh,
    kept: [...kept.values()],
    heldBack,
    ended: untold.filter(hasEnded),
    back: untold.filter(isOpen),
    claimed,
  };
}

/** How much a review has looked at: all there was, what the inputs or a budget left of it, or what it came to. */
export type ReviewExtent = 'whole' | 'part' | 'cut';

/** What a run has to say of the findings of a pull request, and all that its texts are made from. */
export interface ReviewPost {
  readonly place: { readonly repository: Repository; readonly number: number };
  /** Whose review it is; one that was asked for in a comment bears the comment's number behind the agent's name. */
  readonly agent: string;
  /** Sha of the commit that the findings were held against. */
  readonly head: string;
  /** Of what the run says; a run that read strangers' text resolves nothing. */
  readonly lane: MarkLane;
  readonly ledger: Ledger;
  readonly news: News;
  readonly buffered: Buffered;
  /** Ids of findings that are answered elsewhere; left out: none. */
  readonly answered?: ReadonlySet<string>;
  /** Sentences for people about how the review came about, cleaned. */
  readonly remarks: readonly string[];
  /** The run answers a question: what it says nothing of is not its subject. */
  readonly isQuestion?: boolean;
  /** The run completed, or a limit ended it, and it may write comments. */
  readonly isOver: boolean;
  readonly maxComments: number;
  readonly blockOn: Severity | undefined;
  /** Undefined where a review without findings says nothing by that. */
  readonly extent: ReviewExtent | undefined;
  /** The small line at the end, cleaned markdown; empty for none. */
  readonly footer: string;
  /** Of a comment on a line: who says so. */
  readonly signature: string;
  readonly now: Date;
  warn(warning: Warning): void;
  /** Outbound cleaning (D24): each text by others goes through it by itself, and has to close what it opens. */
  clean(markdown: string): string;
}

/** What a review came to, posted or not. */
export interface ReviewEnd {
  /** The open findings, worst first. */
  readonly open: readonly Finding[];
  /** It asks for changes, or an earlier one does still. */
  readonly isBlocking: boolean;
  /** Findings that could not be posted, or were not to be. */
  readonly unposted: readonly PlacedFinding[];
}

/** What was said of the findings of a pull request. */
export interface MarksOnPull {
  readonly pull: number;
  readonly marks: readonly FindingMark[];
}

export interface PostedReview {
  /** The review says what the run had to say: no other comment is needed. */
  readonly isReview: boolean;
  readonly line?: string | undefined;
  readonly url?: string;
  readonly marks?: readonly MarksOnPull[];
  /** Ids of texts of ours that memory did not know. */
  readonly posted?: readonly number[];
  /** Every finding with its fate; left out where the run reviewed nothing. */
  readonly records?: readonly FindingRecord[];
  readonly isReviewLost?: boolean;
  readonly failure?: string;
  /** Markdown for the job summary that nobody has cleaned yet. */
  readonly details?: string;
  /** Left out where the run wanted none. */
  readonly review?: ReviewEnd;
}

/** Of a finding that the model takes for over, and is not the one to decide. */
export const OVER = 'said to be over; a person has to resolve it';

/** What a run raised and its review does not say again; empty for nothing. */
export function notRepeated({ kept, heldBack }: News): string {
  const parts = [
    ...(kept.length === 0 ? [] : [`${kept.length} open`]),
    ...(heldBack.length === 0 ? [] : [`${heldBack.length} dismissed before`]),
  ];
  return parts.length === 0 ? '' : `Not repeated: ${parts.join(', ')}.`;
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
  const known = ledger.findings.map((one): FindingRecord => {
    const record = recordOf(one);
    if (back.has(one.id)) return { ...record, why: 'it came back' };
    if (claimed.has(one.id)) return { ...record, why: OVER };
    if (!fresh.has(one.id)) return record;
    const why = one.dismissedOn === undefined ? undefined : `dismissed before on #${one.dismissedOn}`;
    return { ...record, isNew: true, why, url };
  });
  // What was decided on this pull request is among the known ones.
  const lessons = news.heldBack.flatMap(({ finding, of }) => ('pull' in of ? [{ finding, of }] : []));
  const heldOnce = new Map(lessons.map((one) => [one.of.id, one])).values();
  const heldBack = [...heldOnce].map(({ finding, of }) => {
    const state: FindingRecord['state'] = 'held-back';
    return { ...recordOf(finding), id: of.id, handle: of.handle, state, why: whyHeldBack(of) };
  });
  const all = [...known, ...refutedRecords(buffered), ...heldBack];
  return all.toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

/** The same of a run that has no earlier findings and posts nothing. */
export function raisedRecords(buffered: Buffered): readonly FindingRecord[] {
  const raised = worstFirst(buffered.findings).map(({ finding }) => ({
    ...recordOf(finding),
    isNew: true as const,
  }));
  return [...raised, ...refutedRecords(buffered)];
}

function refutedRecords({ refuted }: Buffered): readonly FindingRecord[] {
  return refuted.map(({ finding, why, reason }) => {
    const state: FindingRecord['state'] = why === 'unclear' ? 'unclear' : 'refuted';
    return { ...recordOf(finding), state, why: reason };
  });
}

function recordOf(finding: Finding): FindingRecord {
  const { state, why, reason, body, evidence } = finding;
  const end = why === undefined ? undefined : END_WORDS[why];
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
