import { laneOf } from '../core/sanitize/mark.js';
import { cleanLine } from '../core/text/cut.js';
import {
  answerOf,
  isClosed,
  type OwnThread,
  type Permissions,
  type ThreadRemark,
  writersOf,
} from './answers.js';
import { codeId, normalizeCode } from './code.js';
import { featuresOf } from './features.js';
import { firstSentence } from './finding.js';
import {
  type Ended,
  type Ending,
  type EndReason,
  type FindingFact,
  type FindingLife,
  type LessonFact,
  livesOf,
  strengthOf,
} from './finding-facts.js';
import { sketchOf } from './likeness.js';
import { type EndMark, endMarkOf, type FindingMarker, parseFindingMarker } from './markers.js';
import { compareSeverity } from './severity.js';
import { postedIds, type ReviewFact } from './state-facts.js';
import type { Category, Severity, Side } from './terms.js';

/** A finding of ours that a pull request has from an earlier run, as this run knows it. */
export interface KnownFinding {
  readonly id: string;
  /** How the model names it in this run: `F1`, `F2`. */
  readonly handle: string;
  /** Whose it is; only an agent's own findings are its to settle. */
  readonly agent: string;
  readonly isOwn: boolean;
  readonly state: 'open' | Ending;
  readonly path: string;
  readonly side: Side;
  /** In the newest diff; undefined where the line has left it. */
  readonly line: number | undefined;
  /** In the diff that it was posted on. */
  readonly originalLine?: number | undefined;
  /** Its line of code as it was when the finding was posted. */
  readonly code: string;
  /** The part of the diff that it was posted on. */
  readonly hunk: string;
  /** In plain text. */
  readonly title: string;
  /** The model of this run may be told what it says: no stranger had a part in it, or in this run one has anyway. */
  readonly isShowable: boolean;
  /** What its comment says, and what our replies say of other findings on that line. */
  readonly text: string;
  /** Undefined for a finding of an older version. */
  readonly severity: Severity | undefined;
  readonly category: Category | undefined;
  /** GitHub says that its line has changed since. */
  readonly isChanged: boolean;
  /** Logins of people with write access who have written in its conversation. */
  readonly people: readonly string[];
  readonly thread: {
    readonly id: string;
    readonly commentId: number;
    readonly url: string;
    readonly body: string;
  };
}

/** What is known before the threads are read. */
export interface KnowingParts {
  readonly threads: readonly OwnThread[];
  /** Whose run it is. */
  readonly agent: string;
  readonly pull: number;
  readonly facts: readonly ReviewFact[];
  readonly permissions: Permissions;
  /** Ids that a person had forgotten: no answer dismisses these once more. */
  readonly forgotten: ReadonlySet<string>;
  readonly now: Date;
  /** The run reads strangers' words anyway; left out: it does not. */
  readonly isUntrusted?: boolean;
}

/** What the threads of a pull request say of its findings. */
interface Knowledge {
  readonly known: readonly KnownFinding[];
  /** What is new in them, of the agent's own findings that are kept. Only closed sets, logins and hashes are in it. */
  readonly facts: readonly FindingFact[];
}

/** Reads what became of the findings of a pull request: people's gestures count first, then what runs have decided. */
export function knowFindings(parts: KnowingParts): Knowledge {
  const lives = livesOf(parts.facts);
  const posted = postedIds(parts.facts);
  const read = parts.threads.map((own) => {
    const life = lives.get(`${own.marker.id}/${parts.pull}`) ?? { raised: undefined, ended: undefined };
    return { own, life, end: endOf(own, life, parts) };
  });
  return {
    known: read.map(({ own, end }, index) =>
      knownFinding(own, { end, handle: `F${index + 1}`, posted, ...parts }),
    ),
    facts: read.flatMap(({ own, life, end }) =>
      own.marker.agent === parts.agent ? newFacts(own, { life, end, ...parts }) : [],
    ),
  };
}

interface End {
  readonly how: Ending;
  readonly why: EndReason;
  readonly by: string;
}

/** How a finding has ended; undefined for one that is open. */
function endOf({ marker, thread }: OwnThread, { ended }: FindingLife, parts: KnowingParts): End | undefined {
  const answer = answerOf(thread, parts.permissions);
  if (answer !== undefined && !(answer.how === 'dismissed' && parts.forgotten.has(marker.id))) return answer;
  if (ended !== undefined && !isTakenBack(ended, thread, parts.permissions)) return ended;
  const mark = endMarkOf(thread.first.body);
  if (mark !== undefined) return { how: mark, why: REASON_OF[mark], by: '' };
  if (!isClosed(thread, parts.permissions)) return undefined;
  return { how: 'settled', why: 'closed', by: thread.resolvedBy ?? '' };
}

const REASON_OF: Readonly<Record<EndMark, EndReason>> = {
  outdated: 'gone',
  settled: 'fixed',
  withdrawn: 'wrong',
};

/**
 * A gesture that is no longer there ends nothing. What a run has ended it has resolved, or marked where it may not resolve:
 * a conversation that is neither was opened again by a person.
 */
function isTakenBack({ why, by }: Ended, thread: OwnThread['thread'], permissions: Permissions): boolean {
  const { isResolved, resolvedBy = '', first, thumbsDown } = thread;
  switch (why) {
    case 'thumbs-down':
      // Older versions did not always keep who it was; the 👎 of strangers decides nothing.
      return !thumbsDown.some((login) => by === '' || login.toLowerCase() === by.toLowerCase());
    case 'reply':
    case 'command':
      return false;
    case 'closed':
      return !isResolved || (resolvedBy !== by && !isClosed(thread, permissions));
    case 'words':
    case 'fixed':
    case 'suggestion':
    case 'wrong':
    case 'gone':
      return !isResolved && endMarkOf(first.body) === undefined;
  }
}

interface FactParts extends KnowingParts {
  readonly life: FindingLife;
  readonly end: End | undefined;
}

function newFacts(
  { marker, thread }: OwnThread,
  { life, end, pull, facts, now }: FactParts,
): readonly FindingFact[] {
  const { raised, ended } = life;
  // Of a run that is not trusted nothing is kept, so that no stranger decides what is held back elsewhere.
  if (raised === undefined) return [];
  const place = { id: marker.id, pull, path: raised.path, category: raised.category, at: now };
  if (end === undefined) return ended === undefined ? [] : [{ ...raised, at: now }];
  if (ended?.how === end.how) {
    // An older version kept a dismissal without what it teaches.
    const isTaught = facts.some((fact) => fact.kind === 'lesson' && fact.id === marker.id);
    const teaches = ended.how === 'dismissed' && ended.why !== 'words' && !isTaught;
    return teaches ? [lessonFrom(ended, thread)] : [];
  }
  const fact: Ended = { kind: 'ended', ...place, how: end.how, why: end.why, by: end.by };
  if (end.how === 'dismissed') return [fact, lessonFrom(fact, thread)];
  if (end.why !== 'fixed') return [fact];
  const sketch = sketchOf(featuresOf(visibleWords(thread.first.body)));
  return [fact, { kind: 'accepted', ...place, sketch }];
}

/** What a dismissal teaches. */
function lessonFrom(
  { how: _, why, kind: __, ...place }: Ended,
  { hunk, first }: OwnThread['thread'],
): LessonFact {
  const code = lastCode(hunk);
  return {
    kind: 'lesson',
    ...place,
    strength: strengthOf(why),
    sketch: sketchOf(featuresOf(visibleWords(first.body))),
    code: codeId(code),
  };
}

function knownFinding(
  { marker, thread }: OwnThread,
  {
    end,
    handle,
    agent,
    permissions,
    posted,
    isUntrusted = false,
  }: Pick<KnowingParts, 'agent' | 'permissions' | 'isUntrusted'> & {
    readonly end: End | undefined;
    readonly handle: string;
    readonly posted: ReadonlySet<number>;
  },
): KnownFinding {
  const { id, path, side, line, originalLine, hunk, isOutdated, first } = thread;
  const { text, severity, said } = foundIn(marker, thread);
  const isPosted = ({ id: one }: Said) =>
    posted.has(one) || (one === first.id && posted.has(thread.reviewId ?? 0));
  return {
    id: marker.id,
    handle,
    agent: marker.agent,
    isOwn: marker.agent === agent,
    state: end?.how ?? 'open',
    path,
    side,
    line,
    originalLine,
    code: lastCode(hunk),
    hunk,
    title: cleanLine(marker.title ?? firstSentence(visibleWords(first.body)), MAX_TITLE),
    text,
    isShowable: isUntrusted || said.every((one) => isPosted(one) && laneOf(one.body) === 'trusted'),
    severity,
    category: marker.category,
    isChanged: isOutdated,
    people: writersOf(thread, permissions),
    thread: { id, commentId: first.id, url: first.url, body: first.body },
  };
}

const MAX_TITLE = 100;

/**
 * All that the findings of one conversation say, and the worst of their severities: on a line that has a conversation,
 * another finding is a reply, and what is found at the same time is in the same comment.
 */
export function foundIn(
  marker: FindingMarker,
  { first, replies }: { readonly first: Said; readonly replies: readonly Said[] },
): { readonly text: string; readonly severity: Severity | undefined; readonly said: readonly Said[] } {
  const more = replies.flatMap((one) => {
    const reply = one.isOurs && !one.isEditedByOther ? parseFindingMarker(one.body) : undefined;
    return reply === undefined ? [] : [{ ...one, severity: reply.severity }];
  });
  const severities = [marker, ...more].map(({ severity }) => severity);
  const known = severities.filter((severity) => severity !== undefined);
  const [worst] = known.toSorted(compareSeverity);
  return {
    text: [first, ...more].map(({ body }) => visibleWords(body)).join('\n\n'),
    // One whose severity nobody knows may be the worst.
    severity: known.length < severities.length ? undefined : worst,
    said: [first, ...more],
  };
}

type Said = Pick<ThreadRemark, 'id' | 'body' | 'isOurs' | 'isEditedByOther'>;

/** The words of a comment of ours: without what is hidden, and without the folds that tell how to answer. */
export function visibleWords(body: string): string {
  return body
    .replace(/<!--.*?-->/gs, '')
    .replace(/<details>.*?(?:<\/details>|$)/gs, '')
    .trim();
}

/** The last line of a part of a diff, without its mark: a comment is about that one. */
export function lastCode(hunk: string): string {
  const last = hunk.split(/\r?\n/).findLast((line) => !line.startsWith('\\')) ?? '';
  return normalizeCode(last.slice(1));
}
