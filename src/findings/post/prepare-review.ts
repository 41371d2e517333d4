import type { ReviewComment } from '../../github/posting/review.js';
import { MAX_COMMENT_CHARACTERS } from '../../lib/defaults.js';
import { cutToBytes } from '../../lib/text/bytes.js';
import { cleanLine, codeSpan, count, formatInteger, paragraphs } from '../../lib/text/format.js';
import { formatMark, type Mark } from '../../safety/mark.js';
import { hasNoLine, type PlacedFinding, sortWorstFirst } from '../change/diff-lines.js';
import { compareSeverity, type Finding, formatFresh, formatOpenCount } from '../finding.js';
import { copyOfRecord, formatSaid, type SaidRev } from '../kept-finding.js';
import { readReviewMark, submittedReviewsOf } from '../state-facts.js';
import { formatChecks } from './checks-text.js';
import {
  commentText,
  findingInText,
  formatNotRepeated,
  preexistingPlace,
  preexistingTitle,
  SEVERITY_ICONS,
  titleLine,
} from './comment-text.js';
import { mustRequestChanges, recordToKeep, requestsChanges, revMark } from './conversations.js';
import {
  countOpenOf,
  formatEarlierFindings,
  hasEarlierToSay,
  type ReviewToPost,
} from './finding-texts.js';

/** A review, ready to be posted. Each finding that was raised is in exactly one of the lists. */
export interface PreparedReview {
  /** Distinguishes this agent's review of this commit from all others; `body` begins with it. */
  readonly mark: Mark;
  /** Cleaned markdown. */
  readonly body: string;
  /** The last line, for below whatever is added to the body; empty for none. */
  readonly footer: string;
  /** Cleaned markdown behind their marks, the worst first. */
  readonly comments: readonly ReviewComment[];
  /** Findings in the review's text. */
  readonly inBody: readonly PlacedFinding[];
  /** Findings for which there was no room: for the job summary. */
  readonly omitted: readonly PlacedFinding[];
  /** Findings not from the change for which there was no room. */
  readonly omittedPreexisting: readonly Finding[];
}

/**
 * Makes the one review of a run: each of the worst findings gets a comment of its own on its line,
 * and all others are in the review's text.
 */
export function prepareReview(posting: ReviewToPost): PreparedReview {
  const listed = sortWorstFirst(posting.news.fresh);
  const onLines = listed.filter(({ placement }) => placement.kind === 'line');
  const unplaced = listed.filter(({ placement }) => placement.kind !== 'line');
  const commented = onLines.slice(0, posting.maxComments);
  const overCap = onLines.slice(commented.length);

  const comments = commented.flatMap((placed) => prepareComment(placed, posting));
  const text = formatBody(posting, { listed, commented, unplaced, overCap });
  const footer = posting.footer === '' ? '' : `<sub>${posting.footer}</sub>`;
  return { ...text, footer, comments };
}

function prepareComment(placed: PlacedFinding, posting: ReviewToPost): readonly ReviewComment[] {
  if (placed.placement.kind !== 'line') return [];
  const { path, side, line, startLine } = placed.placement;
  const mark = revMark(revOf(placed, posting), posting, 'finding');
  const text = commentText(placed, frameOf(posting));
  const inText = placedInText(placed, posting.clean);
  return [{ path, side, line, startLine, inText, body: `${formatMark(mark)}\n${text}` }];
}

/** The decision on a finding that a text says. */
function revOf({ finding: { id } }: PlacedFinding, { ledger }: ReviewToPost): SaidRev {
  return { id, rev: ledger.byId(id)?.rev ?? 1 };
}

function frameOf({ signature, clean, ledger, offersCommands }: ReviewToPost) {
  return { signature, clean, isFork: ledger.context.isFork, offersCommands };
}

/**
 * The text of a review: hidden marker, headline and summary, a list of new, open and ended findings,
 * findings without a line, findings beyond the limit (folded), what was not
 * repeated. Never longer than GitHub takes: findings for which there is no room are counted.
 */
function formatBody(
  posting: ReviewToPost,
  {
    listed,
    commented,
    unplaced,
    overCap,
  }: Readonly<Record<'listed' | 'commented' | 'unplaced' | 'overCap', readonly PlacedFinding[]>>,
) {
  const { ledger, agent, head, footer, clean } = posting;
  const earlier = formatEarlierFindings(posting);
  const before = submittedReviewsOf(ledger, agent).filter(
    (review) => readReviewMark(review.body)?.head === head,
  ).length;
  // Nothing new is said a second time by the mark that it had the first time.
  const isDue = mustRequestChanges(posting) || hasEarlierToSay(posting);
  const isMore = before > 0 && (isDue || listed.length > 0);
  const inText = [...unplaced, ...overCap];
  // People can delete a comment before any run has read it: the review says what it had.
  const decisions = [
    ...earlier.map(({ finding }) => finding),
    ...[...commented, ...inText].map((placed) => revOf(placed, posting)),
  ];
  const part = isMore ? before + 1 : 1;
  const headline = headlineOf(posting, earlier.length > 0);
  const fixed = [
    [headline, fitSummary(posting)].filter((text) => text !== '').join(' '),
    formatList(listed, earlier, clean),
    formatCheckRows(posting),
  ];
  const used = fixed.reduce((sum, text) => sum + text.length, footer.length + FRAME);
  const most = markOf(posting, decisions.slice(0, MAX_SAID), {
    part,
    room: MAX_COMMENT_CHARACTERS - used,
  });
  const room = MAX_COMMENT_CHARACTERS - used - formatMark(most).length;
  const { shown, free } = fitTexts(inText, room, (placed) => placedInText(placed, clean));
  const textsOf = (some: readonly PlacedFinding[]) =>
    some.flatMap((placed) => shown.get(placed) ?? []);
  const omittedIds = new Set(
    inText.flatMap((placed) => (shown.has(placed) ? [] : [placed.finding.id])),
  );
  const says = decisions
    .slice(0, MAX_SAID)
    .filter(({ id }) => !omittedIds.has(id))
    .map(formatSaid);
  const mark = { ...most, says };
  const outside = textsOf(unplaced);
  const omitted = inText.filter((placed) => !shown.has(placed));
  const preexisting = formatPreexisting(posting, free);
  const body = paragraphs([
    formatMark(mark),
    ...fixed,
    outside.length === 0
      ? ''
      : `### ${count(outside.length, 'finding')} without a line in the diff`,
    ...outside,
    formatOverCap(textsOf(overCap), posting.maxComments),
    preexisting.text,
    formatNotes(posting, omitted.length),
  ]);
  const omittedPreexisting = preexisting.omitted;
  return { mark, body, inBody: [...shown.keys()], omitted, omittedPreexisting };
}

function formatCheckRows({ buffered, news, clean, offersCommands }: ReviewToPost): string {
  const isNew = news.hasNewAnswers !== false;
  return formatChecks(buffered.checks ?? [], { isNew, clean, offersCommands });
}

const MAX_EARLIER = 30;
const MAX_ENDED = 10;
const MAX_ROWS = 30;

/**
 * `**3 open: 1 critical, 2 major.** 1 is new.`, as check, job summary and outputs count them; and if
 * not everything was read, of how much.
 */
function headlineOf(posting: ReviewToPost, hasEarlier: boolean): string {
  const { news, buffered, extent } = posting;
  const extentPhrase = { whole: '', part: ' in the part that was reviewed', cut: ' so far' }[
    extent ?? 'whole'
  ];
  const counted = countOpenOf(posting);
  const { open, fresh } = counted;
  if (open.length > 0 && (fresh > 0 || extent !== undefined))
    return `**${formatOpenCount(open, extentPhrase)}.** ${formatFresh(counted)}`.trimEnd();
  if (extent === undefined || news.back.length > 0) return '';
  const { review, refusedFindings, preexisting } = buffered;
  const isAllSaid = refusedFindings.length + preexisting.length === 0;
  if (isAllSaid && SAYS_NOTHING_FOUND.test(review?.summary ?? '')) return '';
  if (extent === 'cut') return '**Review not finished.**';
  const none = hasEarlier || news.kept.length > 0 ? 'Nothing new' : 'No findings';
  return `**${none}${limitOf(buffered)}${extentPhrase}.**`;
}

/** The limit of what a review without findings says: not all that the model raised was taken. */
function limitOf({ refusedFindings, preexisting }: ReviewToPost['buffered']): string {
  const least = refusedFindings.flatMap((refused) => refused.least ?? []);
  if (least.length < refusedFindings.length) return ' accepted';
  const [worst] = least.toSorted(compareSeverity);
  if (worst !== undefined) return ` of \`${worst}\` or worse`;
  return preexisting.length > 0 ? ' in this change' : '';
}

/** A model that begins with it needs no headline that says the same. */
const SAYS_NOTHING_FOUND =
  /^[\s*_]*(?:no (?:new )?(?:findings|issues|problems)|(?:i found )?nothing)\b/i;

/**
 * A line for each finding: what is new, what is open still, what is over. A single new finding needs
 * no list.
 */
function formatList(
  listed: readonly PlacedFinding[],
  earlier: ReturnType<typeof formatEarlierFindings>,
  clean: ReviewToPost['clean'],
): string {
  if (listed.length < 2 && earlier.length === 0) return '';
  const fresh = listed.slice(0, MAX_ROWS).map(({ finding, placement }) => {
    const { severity, title, path, line } = finding;
    const number = hasNoLine(placement) ? '' : `:${line}`;
    const place = clean(codeSpan(`${cleanLine(path, MAX_PLACE)}${number}`));
    return `- ${SEVERITY_ICONS[severity]} ${titleLine(title, clean)} · ${place} — **new**`;
  });
  const open = earlier.filter(({ isOver }) => !isOver).map(({ line }) => line);
  const ended = earlier.filter(({ isOver }) => isOver).map(({ line }) => line);
  const shown = [...fresh, ...open.slice(0, MAX_EARLIER), ...ended.slice(0, MAX_ENDED)];
  const rest = listed.length + earlier.length - shown.length;
  const more = rest === 0 ? [] : [`- and ${formatInteger(rest)} more in the job summary`];
  return [...shown, ...more].join('\n');
}

/** The agent, the commit, the decisions that the review says, and the record of findings. */
function markOf(
  posting: ReviewToPost,
  decisions: readonly SaidRev[],
  { part, room }: { readonly part: number; readonly room: number },
): Mark {
  const { agent, head } = posting;
  const asks = requestsChanges(posting) || undefined;
  const named = { kind: 'review', agent: agent.slice(0, MAX_NAME), head, part, asks } as const;
  const record = copyOfRecord(recordToKeep(posting), room - MAX_NAMED - SAID * decisions.length);
  return { ...named, says: decisions.map(formatSaid), record };
}

const MAX_NAME = 100;

/** Decisions that one review says; UTF-16 units of one, and of the other fields. */
const MAX_SAID = 150;
const SAID = 24;
const MAX_NAMED = 1200;

/** UTF-16 units of a remark, of which there are few. */
const MAX_REMARK = 1000;
/**
 * Room for headings, notes and the blank lines between, in UTF-16 units; they have fixed texts with
 * numbers in them.
 */
const FRAME = 5000;
const MAX_SUMMARY = 12_000;
const CUT = '\n\n*The summary is too long to show here.*';

function fitSummary({ buffered, clean }: ReviewToPost): string {
  const summary = buffered.review?.summary ?? '';
  const whole = clean(summary).trim();
  if (whole.length <= MAX_SUMMARY) return whole;
  const part = clean(cutToBytes(summary, MAX_SUMMARY / 2).text.trimEnd()).trim();
  return part.length + CUT.length <= MAX_SUMMARY ? part + CUT : CUT.trim();
}

/**
 * The texts of the items that fit into a room of UTF-16 units, a later one where an earlier one does
 * not, and the room that they leave.
 */
function fitTexts<Item>(
  items: readonly Item[],
  room: number,
  textOf: (item: Item) => string,
): { readonly shown: ReadonlyMap<Item, string>; readonly free: number } {
  const shown = new Map<Item, string>();
  let free = room;
  for (const item of items) {
    const text = textOf(item);
    // With a blank line behind it.
    const cost = text.length + 2;
    if (cost > free) continue;
    free -= cost;
    shown.set(item, text);
  }
  return { shown, free };
}

const MAX_PLACE = 200;

function placedInText(placed: PlacedFinding, clean: ReviewToPost['clean']): string {
  return `${clean(placeOf(placed))}\n\n${findingInText(placed.finding, clean)}`;
}

/** With the handle: nobody can answer it below a comment of its own. */
function placeOf({ finding, placement }: PlacedFinding): string {
  const { path, line, startLine, side, handle } = finding;
  if (hasNoLine(placement)) return `**${codeSpan(cleanLine(path, MAX_PLACE))}** · ${handle}`;
  const range = startLine === undefined ? `${line}` : `${startLine}-${line}`;
  return `**${codeSpan(`${cleanLine(path, MAX_PLACE)}:${range}`)}**${side === 'LEFT' ? ' (old version)' : ''} · ${handle}`;
}

/** Faults that the change did not bring, folded, without a handle and without code to commit. */
function formatPreexisting(
  { buffered: { preexisting }, clean }: ReviewToPost,
  room: number,
): { readonly text: string; readonly omitted: readonly Finding[] } {
  const sorted = preexisting.toSorted((a, b) => compareSeverity(a.severity, b.severity));
  const { shown } = fitTexts(sorted.slice(0, MAX_PREEXISTING), room, (finding) => {
    const place = clean(`**${codeSpan(preexistingPlace(finding))}**`);
    return `${place}\n\n${findingInText(finding, clean)}`;
  });
  const omitted = sorted.filter((finding) => !shown.has(finding));
  if (preexisting.length === 0) return { text: '', omitted };

  const more =
    omitted.length === 0 ? [] : [`*The job summary has ${formatInteger(omitted.length)} more.*`];
  const title = preexistingTitle(preexisting.length);
  return { text: foldedTexts(title, [...shown.values(), ...more]), omitted };
}

const MAX_PREEXISTING = 5;

function formatOverCap(texts: readonly string[], maxComments: number): string {
  if (texts.length === 0) return '';
  const title = `${count(texts.length, 'more finding')}: a review has at most ${count(maxComments, 'comment')}`;
  return foldedTexts(title, texts);
}

function foldedTexts(title: string, texts: readonly string[]): string {
  return [`<details>\n<summary>${title}</summary>`, ...texts, '</details>'].join('\n\n');
}

function formatNotes({ news, buffered, remarks, clean }: ReviewToPost, omitted: number): string {
  const refused = buffered.refusedFindings.filter(({ code }) => code !== 'too-mild').length;
  const notes = [
    ...remarks.map((remark) => titleLine(remark, clean, MAX_REMARK)),
    formatNotRepeated({ kept: news.kept.length, heldBack: news.heldBack.length }),
    omitted === 0 ? '' : `No room here for ${count(omitted, 'more finding')}: see the job summary.`,
    refused === 0 ? '' : `Not accepted: ${count(refused, 'finding')}; the job summary says why.`,
  ].filter((note) => note !== '');
  return notes.length === 0 ? '' : `*${notes.join(' ')}*`;
}
