import { isOwnText, type MarkLane } from '../core/sanitize/mark.js';
import { cleanLine } from '../core/text/cut.js';
import type { Buffered, Repeated } from './buffered.js';
import { isTelling, normalizeCode } from './code.js';
import { severityMark, titleLine } from './comment-text.js';
import { type DiffLines, findFile, readDiffLines } from './diff-lines.js';
import { featuresOf } from './features.js';
import type { Ended, FindingFact } from './finding-facts.js';
import { lastCode, visibleWords } from './known.js';
import { sketchOf } from './likeness.js';
import type { FindingMarker } from './markers.js';
import type { Settlement, SettleWay } from './settle.js';
import type { ReviewFact } from './state-facts.js';
import { offeredLines } from './suggestion.js';
import type { Side } from './terms.js';

/** A conversation that an open finding of the agent began. */
export interface EarlierThread extends CommentedLine {
  readonly marker: FindingMarker;
  readonly first: { readonly body: string; readonly url: string };
  readonly replies: readonly { readonly isOurs: boolean; readonly body: string }[];
  readonly repliesTotal: number;
  /** Closed by somebody whose gesture does not count; left out: it is not. */
  readonly isResolved?: boolean;
}

/** What a run makes of the findings that the pull request had before. */
export interface EarlierFindings<Thread extends EarlierThread = EarlierThread> {
  /** Their lines are gone from the change, and nobody has answered. */
  readonly removed: readonly Thread[];
  /** Of these, those whose suggestion was committed: that is what fixed them. */
  readonly applied: ReadonlySet<Thread>;
  /** The model has ended them. */
  readonly settled: readonly SettledThread<Thread>[];
  /** The model says that they have ended, and is not the one to decide: they are open as well. */
  readonly claimed: readonly SettledThread<Thread>[];
  /** Ended before, or closed by somebody who cannot end it, and raised again. */
  readonly back: readonly Repeated[];
  /** They are open, and stay so. */
  readonly open: readonly Thread[];
}

/** A conversation with the end that the model asked for. */
export interface SettledThread<Thread extends EarlierThread = EarlierThread> {
  readonly settlement: Settlement;
  readonly thread: Thread;
}

/** A run changes no more conversations: each takes a request or two. */
const MAX_CHANGED = 30;

/** What a run has made of them. */
interface SortingParts {
  /** What was reviewed. */
  readonly commits: { readonly head: string; readonly diff: string };
  readonly buffered: Pick<Buffered, 'repeated' | 'settlements'>;
  /** `trusted`: nobody without write access wrote what the run has read, so the model's word may end a finding. */
  readonly lane: MarkLane;
}

/** Sorts the agent's findings on lines by what becomes of them; nothing is ended that this run did not look at. */
export function sortEarlier<Thread extends EarlierThread>(
  { commits, buffered, lane }: SortingParts,
  own: { readonly head: string; readonly threads: readonly Thread[] },
): EarlierFindings<Thread> {
  const lines = own.head === commits.head ? readDiffLines(commits.diff) : undefined;
  const raised = new Set(buffered.repeated.map(({ of }) => of.id));
  const requested = buffered.settlements
    .flatMap((settlement) => {
      const thread = own.threads.find(({ marker }) => marker.id === settlement.finding.id);
      return thread === undefined ? [] : [{ settlement, thread }];
    })
    .slice(0, MAX_CHANGED);
  const isRequested = (thread: Thread) => requested.some((one) => one.thread === thread);
  // Text in a fork's diff could ask the model to end a finding: there its word leaves it open.
  const [settled, claimed] = lane === 'trusted' ? [requested, []] : [[], requested];
  const removed = own.threads
    .filter(
      (thread) =>
        lines !== undefined &&
        !raised.has(thread.marker.id) &&
        !isRequested(thread) &&
        !isAnswered(thread) &&
        isLineRemoved(thread, lines),
    )
    .slice(0, MAX_CHANGED);
  const isApplied = ({ path, first }: Thread) =>
    lines !== undefined && isSuggestionApplied({ path, body: first.body }, lines);
  const hidden = new Set(own.threads.flatMap((one) => (one.isResolved === true ? [one.marker.id] : [])));
  const back = buffered.repeated.filter(({ of }) => of.isOwn && (of.state !== 'open' || hidden.has(of.id)));
  const isBack = ({ marker }: Thread) => back.some(({ of }) => of.id === marker.id);
  return {
    removed,
    applied: new Set(removed.filter(isApplied)),
    settled,
    claimed,
    back,
    open: own.threads.filter(
      (thread) =>
        !removed.includes(thread) && !isBack(thread) && !settled.some((one) => one.thread === thread),
    ),
  };
}

function isAnswered({ replies, repliesTotal }: EarlierThread): boolean {
  return repliesTotal > replies.length || replies.some(({ isOurs, body }) => !(isOurs && isOwnText(body)));
}

/** Where and when findings have ended. */
interface EndFactsParts {
  readonly pull: number;
  /** What is kept so far. */
  readonly facts: readonly ReviewFact[];
  readonly now: Date;
}

/** What is kept of the ends (D36): closed sets and logins alone. */
export function endFacts(
  { removed, applied, settled, back }: EarlierFindings,
  { pull, facts, now }: EndFactsParts,
): readonly FindingFact[] {
  const raisedAs = (id: string) =>
    facts.find((fact) => fact.kind === 'finding' && fact.id === id && fact.pull === pull);
  const end = (id: string, how: Ended['how'], parts: Pick<Ended, 'why' | 'by'>): readonly FindingFact[] => {
    const raised = raisedAs(id);
    if (raised?.kind !== 'finding') return [];
    const { path, category } = raised;
    return [{ kind: 'ended', id, pull, path, category, how, ...parts, at: now }];
  };
  /** What was acted on is wanted: findings like it are not held back for a few dismissals. */
  const accept = ({ marker: { id }, first }: EarlierThread): readonly FindingFact[] => {
    const raised = raisedAs(id);
    if (raised?.kind !== 'finding') return [];
    const { path, category } = raised;
    const sketch = sketchOf(featuresOf(visibleWords(first.body)));
    return [{ kind: 'accepted', id, pull, path, category, sketch, at: now }];
  };
  return [
    ...removed.flatMap((thread) => {
      const { id } = thread.marker;
      return applied.has(thread)
        ? [...end(id, 'settled', { why: 'suggestion', by: '' }), ...accept(thread)]
        : end(id, 'outdated', { why: 'gone', by: '' });
    }),
    ...settled.flatMap(({ settlement: { how, by }, thread }) => [
      ...end(thread.marker.id, END_OF[how].how, { why: END_OF[how].why, by }),
      ...(how === 'fixed' ? accept(thread) : []),
    ]),
    ...back.flatMap(({ of }) => {
      const raised = raisedAs(of.id);
      return raised?.kind === 'finding' ? [{ ...raised, at: now }] : [];
    }),
  ];
}

const END_OF: Readonly<Record<SettleWay, Pick<Ended, 'how' | 'why'>>> = {
  fixed: { how: 'settled', why: 'fixed' },
  wrong: { how: 'withdrawn', why: 'wrong' },
  dismissed: { how: 'dismissed', why: 'words' },
};

const MAX_PATH = 200;
const SHORT_SHA = 7;

/** What the lines about earlier findings are made with. */
interface EarlierFrame extends Pick<SortingParts, 'commits'> {
  /** Outbound cleaning (D24). */
  clean(markdown: string): string;
}

/** One line for each earlier finding that this review has to tell of, as markdown; empty where nothing happened to any. */
export function formatEarlier(
  { removed, applied, settled, back, open }: EarlierFindings,
  { commits, clean }: EarlierFrame,
): readonly string[] {
  const head = commits.head.slice(0, SHORT_SHA);
  const lines = [
    ...settled.map(({ settlement: { finding, how } }) => {
      const what = how === 'fixed' ? `settled by \`${head}\`` : how === 'wrong' ? 'taken back' : 'dismissed';
      return `- ✅ ${titleLine(finding.title, clean)} — ${what}`;
    }),
    ...removed.map((thread) => {
      const { marker, path } = thread;
      const title = titleLine(marker.title ?? cleanLine(path, MAX_PATH), clean);
      return `- ✅ ${title} — ${applied.has(thread) ? 'its suggestion was committed' : 'its line is gone'}`;
    }),
    ...back.map(({ of }) => `- ↩️ ${titleLine(of.title, clean)} — back since \`${head}\``),
  ];
  if (lines.length === 0) return [];
  const still = open.map(({ marker, path, first }) => {
    const title = titleLine(marker.title ?? cleanLine(path, MAX_PATH), clean);
    return `- ${severityMark(marker.severity ?? 'minor')} [${title.replace(/[[\]]/g, '')}](${first.url}) — still open`;
  });
  return [...lines, ...still];
}

/** A comment on a line, as far as it shows whether the line is still there. */
export interface CommentedLine {
  readonly path: string;
  readonly side: Side;
  /** GitHub no longer finds the line in the diff. */
  readonly isOutdated: boolean;
  /** The part of the diff that the comment was made on; it ends with the line. */
  readonly hunk: string;
}

/**
 * Whether the line of a comment is no longer part of the change. GitHub calls one outdated that was only moved, so the
 * diff is searched for its code as well. Code that says nothing (`}`) is found nearly everywhere, so it counts as present.
 *
 * A file that the pull request adds and a later push moves has no trace of its old path in the diff: then its code is
 * searched for in every added line, because a moved fault is still a fault.
 */
export function isLineRemoved({ path, side, isOutdated, hunk }: CommentedLine, lines: DiffLines): boolean {
  if (!isOutdated) return false;
  const code = lastCode(hunk);
  const file = findFile(lines, path);
  if (file === undefined) return !(isTelling(code) && isAddedSomewhere(code, lines));
  if (code === '') return false;
  // GitHub shows nothing of a large file: its lines may all be there.
  if (file.LEFT.size + file.RIGHT.size === 0) return false;
  return ![...file[side].values()].some(({ text }) => normalizeCode(text) === code);
}

function isAddedSomewhere(code: string, lines: DiffLines): boolean {
  return [...lines.values()].some(({ RIGHT }) =>
    [...RIGHT.values()].some(({ text, other }) => other === undefined && normalizeCode(text) === code),
  );
}

/** Whether the lines that a comment offered to commit are in the change now, one after the other. */
function isSuggestionApplied(
  { path, body }: { readonly path: string; readonly body: string },
  lines: DiffLines,
): boolean {
  const offered = offeredLines(body)?.map(normalizeCode);
  const file = findFile(lines, path);
  if (offered === undefined || file === undefined || offered.every((line) => line === '')) return false;
  const isAt = (first: number) =>
    offered.every((line, index) => {
      const there = file.RIGHT.get(first + index);
      return there !== undefined && normalizeCode(there.text) === line;
    });
  return [...file.RIGHT.keys()].some(isAt);
}
