import type { Buffered } from '../../review/buffered.js';
import type { EarlierFindings, EarlierThread } from '../../review/earlier.js';
import type { KnownFinding } from '../../review/known.js';
import type { PlacedFinding } from '../../review/place.js';
import type { FindingRecord, FindingState } from '../../review/record.js';
import { compareSeverity } from '../../review/severity.js';
import type { RequestedReview } from './requested.js';

/** Where a finding is, for records that say so. */
interface Posting {
  readonly state: FindingState;
  readonly why?: string;
  readonly by?: string;
  readonly url?: string;
}

/** What is posted of a run's own findings. */
interface RecordParts {
  /** Undefined where the pull request could not be asked. */
  readonly earlier: EarlierFindings | undefined;
  /** Address of the review, where one was posted. */
  readonly url: string | undefined;
  /** Findings of the run that are open on the pull request already. */
  readonly alreadyOpen: readonly PlacedFinding[];
}

/** Every finding that a run raised or knew of, each once and the worst first, with what has become of it. */
export function recordsOf(requested: RequestedReview, parts: RecordParts): readonly FindingRecord[] {
  const { buffered, agent, known } = requested;
  const { earlier, url, alreadyOpen } = parts;
  const fresh = buffered.findings.map((placed) =>
    recordOf(placed, {
      agent,
      state: alreadyOpen.includes(placed) ? 'held-back' : 'new',
      ...(alreadyOpen.includes(placed) ? { why: 'open already, posted by another run' } : {}),
      ...(url === undefined || alreadyOpen.includes(placed) ? {} : { url }),
    }),
  );
  const held = new Set(buffered.heldBack.map(({ of }) => of?.id));
  const others = known.filter(({ id }) => !held.has(id));
  const all = [
    ...fresh,
    ...refutedRecords(buffered, agent),
    ...heldBackRecords(buffered, agent),
    ...earlierRecords(others, earlier),
  ];
  return all.toSorted((a, b) => compareSeverity(a.severity, b.severity));
}

function recordOf(
  { id, finding, placement }: PlacedFinding,
  posting: Posting & { readonly agent: string },
): FindingRecord {
  const { effect, reach, evidence, title, body, trigger, category, severity, confidence } = finding;
  const place = placement.kind === 'line' ? placement : finding;
  const { path, line, startLine, side } = place;
  return {
    id,
    ...posting,
    title,
    body,
    ...(trigger === undefined ? {} : { trigger }),
    path,
    line,
    ...(startLine === undefined ? {} : { startLine }),
    side,
    severity,
    confidence,
    category,
    effect,
    reach,
    evidence,
    ...(finding.suggestion === undefined ? {} : { suggestion: finding.suggestion }),
  };
}

/** What a second look has taken out, with its reason. */
function refutedRecords({ refuted }: Buffered, agent: string): readonly FindingRecord[] {
  return refuted.map(({ id, finding, reason }) => {
    const placement = { kind: 'body', reason: 'no-lines' } as const;
    return recordOf({ id, finding, placement }, { agent, state: 'refuted', why: reason });
  });
}

function heldBackRecords({ heldBack }: Buffered, agent: string): readonly FindingRecord[] {
  return heldBack.map(({ id, finding, why, of, pull }) => {
    const where = pull === undefined ? '' : ` on #${pull}`;
    const said =
      why === 'dismissed' ? `dismissed before${where}` : `like findings that were dismissed${where}`;
    const placement = { kind: 'body', reason: 'no-lines' } as const;
    const known = of === undefined ? {} : { url: of.thread.url };
    return recordOf(
      { id: of?.id ?? id, finding, placement },
      { agent: of?.agent ?? agent, state: 'held-back', why: said, ...known },
    );
  });
}

/** What the pull request had before: an older version kept neither kind nor severity of a finding. */
function earlierRecords(
  known: readonly KnownFinding[],
  earlier: EarlierFindings | undefined,
): readonly FindingRecord[] {
  if (earlier === undefined) return known.map((one) => knownRecord(one, { state: one.state }));
  const isOf = (id: string) => (thread: EarlierThread) => thread.marker.id === id;
  return known.map((one) => {
    const ended = earlier.settled.find(({ settlement }) => settlement.finding.id === one.id)?.settlement;
    if (ended !== undefined) {
      const state = ({ fixed: 'settled', wrong: 'withdrawn', dismissed: 'dismissed' } as const)[ended.how];
      const by = ended.by === '' ? {} : { by: ended.by };
      return knownRecord(one, { state, why: ended.reason, ...by });
    }
    if ([...earlier.applied].some(isOf(one.id))) {
      return knownRecord(one, { state: 'settled', why: 'its suggestion was committed' });
    }
    if (earlier.removed.some(isOf(one.id))) {
      return knownRecord(one, { state: 'outdated', why: 'its line is no longer part of the change' });
    }
    if (earlier.claimed.some(({ settlement }) => settlement.finding.id === one.id)) {
      return knownRecord(one, { state: one.state, why: 'said to be over; a person has to resolve it' });
    }
    const isBack = earlier.back.some(({ of }) => of.id === one.id);
    return knownRecord(one, isBack ? { state: 'open', why: 'it came back' } : { state: one.state });
  });
}

function knownRecord(known: KnownFinding, posting: Posting): FindingRecord {
  const { id, agent, title, path, line, originalLine, side, thread } = known;
  const { severity = 'minor', category = 'other' } = known;
  const place = { path, line: line ?? originalLine ?? 1, side };
  return {
    id,
    agent,
    title,
    ...place,
    severity,
    category,
    confidence: 'likely',
    url: thread.url,
    ...posting,
  };
}
