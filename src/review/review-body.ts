import { MAX_COMMENT_CHARACTERS } from '../lib/defaults.js';
import { cleanLine, cutToBytes } from '../lib/text/cut.js';
import { codeSpan } from '../lib/text/markdown.js';
import { count } from '../lib/text/number.js';
import { formatMark, type Mark } from '../safety/mark.js';
import { findingInText, severityMark, titleLine } from './comment-text.js';
import { type FindingMark, reviewMark } from './marks.js';
import { notRepeated, type ReviewPost } from './news.js';
import type { PlacedFinding } from './place.js';
import { formatSeverities } from './severity.js';

/** What is in the text of a review besides what its run has to say. */
interface BodyParts {
  /** All findings of the review, worst first. */
  readonly listed: readonly PlacedFinding[];
  /** Findings that no line can carry. */
  readonly unplaced: readonly PlacedFinding[];
  /** Findings beyond the number of comments a review may have. */
  readonly overCap: readonly PlacedFinding[];
  readonly marks: readonly FindingMark[];
  /** Lines about earlier findings, cleaned markdown. */
  readonly earlier: readonly string[];
  /** From 2 on, where the commit was reviewed before. */
  readonly part: number | undefined;
}

/**
 * The text of a review: hidden marker, headline and summary, what became of earlier findings, a table of the new ones,
 * findings without a line, findings beyond the limit (folded), what was not repeated, and one small line. Never longer than
 * GitHub takes: findings for which there is no room are counted.
 */
export function formatReviewBody(posting: ReviewPost, parts: BodyParts) {
  const { footer, clean } = posting;
  const opening = [headlineOf(posting, parts), fitSummary(posting)].filter((text) => text !== '').join(' ');
  const table = formatTable(parts.listed, clean);
  const fixed = [opening, parts.earlier.slice(0, MAX_EARLIER).join('\n'), table];
  const all = [...parts.unplaced, ...parts.overCap];
  const used = fixed.reduce((sum, text) => sum + text.length, 0) + footer.length;
  const mark = markOf(posting, parts);
  const room = MAX_COMMENT_CHARACTERS - FRAME - formatMark(mark).length - used;
  const shown = fitFindings(all, room, clean);
  const isIn = (some: readonly PlacedFinding[]) => shown.filter(({ finding }) => some.includes(finding));
  const omitted = all.filter((finding) => !shown.some((one) => one.finding === finding));
  const sections = [
    ...fixed,
    formatUnplaced(isIn(parts.unplaced)),
    formatOverCap(isIn(parts.overCap), posting.maxComments),
    formatNotes(posting, omitted.length),
  ].filter((section) => section !== '');
  return {
    mark,
    body: [formatMark(mark), ...sections].join('\n\n'),
    inBody: shown.map(({ finding }) => finding),
    omitted,
  };
}

const MAX_EARLIER = 30;
const MAX_ROWS = 30;

/** `**3 findings: 1 major, 2 minor.**`, and where not everything was looked at, of how much that is said. */
function headlineOf({ news, buffered, extent }: ReviewPost, { listed, earlier }: BodyParts): string {
  const where = { whole: '', part: ' in the part that was reviewed', cut: ' so far' }[extent ?? 'whole'];
  if (listed.length > 0) {
    const severities = formatSeverities(listed.map(({ finding }) => finding.severity));
    return `**${count(listed.length, 'finding')}${where}: ${severities}.**`;
  }
  const summary = buffered.review?.summary ?? '';
  if (extent === undefined || news.back.length > 0 || SAYS_NOTHING_FOUND.test(summary)) return '';
  const none = earlier.length + news.kept.length > 0 ? 'Nothing new' : 'No findings';
  return `**${none}${where}.**`;
}

/** A model that begins with it needs no headline that says the same. */
const SAYS_NOTHING_FOUND = /^[\s*_]*(?:no (?:new )?(?:findings|issues|problems)|(?:i found )?nothing)\b/i;

/** One line a finding, worst first; a single one needs no table. */
function formatTable(listed: readonly PlacedFinding[], clean: ReviewPost['clean']): string {
  if (listed.length < 2) return '';
  const rows = listed.slice(0, MAX_ROWS).map(({ finding }) => {
    const { severity, title, path, line } = finding;
    const place = clean(codeSpan(`${cleanLine(path, MAX_PLACE)}:${line}`));
    return `| ${severityMark(severity)} | ${cell(titleLine(title, clean))} | ${cell(place)} |`;
  });
  return ['| | Finding | Where |', '|---|---|---|', ...rows].join('\n');
}

function cell(markdown: string): string {
  return markdown.replaceAll('|', '\\|');
}

/** As many marks as there is room for; those of comments on lines are in these too. */
function markOf({ agent, head, lane }: ReviewPost, { part, marks }: BodyParts): Mark {
  const named = { agent: agent.slice(0, MAX_NAME), head: head.slice(0, MAX_NAME), part, lane };
  let kept = marks;
  while (kept.length > 0 && formatMark(reviewMark({ ...named, marks: kept })).length > MAX_MARKS)
    kept = kept.slice(0, -1);
  return reviewMark({ ...named, marks: kept });
}

/** UTF-16 units. */
const MAX_MARKS = 24_000;
const MAX_NAME = 100;
/** Code points of a remark, of which there are few. */
const MAX_REMARK = 1000;
/** Room for headings, notes and the blank lines between, in UTF-16 units; they have fixed texts with numbers in them. */
const FRAME = 3500;
const MAX_SUMMARY = 24_000;
const CUT = '\n\n*The summary is too long to show here.*';

function fitSummary({ buffered, clean }: ReviewPost): string {
  const summary = buffered.review?.summary ?? '';
  const whole = clean(summary).trim();
  if (whole.length <= MAX_SUMMARY) return whole;
  for (let bytes = MAX_SUMMARY; bytes > 0; bytes = Math.floor(bytes / 2)) {
    const part = clean(cutToBytes(summary, bytes).text.trimEnd()).trim();
    if (part.length + CUT.length <= MAX_SUMMARY) return part + CUT;
  }
  return CUT.trim();
}

interface Shown {
  readonly finding: PlacedFinding;
  readonly text: string;
}

/** The findings that fit into a room of UTF-16 units, a later one where an earlier one does not. */
function fitFindings(
  findings: readonly PlacedFinding[],
  room: number,
  clean: ReviewPost['clean'],
): readonly Shown[] {
  let free = room;
  return findings.flatMap((finding) => {
    const text = `${clean(placeOf(finding))}\n\n${findingInText(finding, clean)}`;
    // With a blank line behind it.
    const cost = text.length + 2;
    if (cost > free) return [];
    free -= cost;
    return [{ finding, text }];
  });
}

const MAX_PLACE = 200;

/** With the handle: nobody can answer it below a comment of its own. */
function placeOf({ finding, placement }: PlacedFinding): string {
  const { path, line, startLine, side, handle } = finding;
  // A binary or empty file has no line of that number.
  if (placement.kind === 'body' && placement.reason === 'no-lines')
    return `**${codeSpan(cleanLine(path, MAX_PLACE))}** · ${handle}`;
  const range = startLine === undefined ? `${line}` : `${startLine}-${line}`;
  return `**${codeSpan(`${cleanLine(path, MAX_PLACE)}:${range}`)}**${side === 'LEFT' ? ' (old version)' : ''} · ${handle}`;
}

function formatUnplaced(shown: readonly Shown[]): string {
  if (shown.length === 0) return '';
  return [`### ${count(shown.length, 'finding')} outside of the diff`, ...shown.map(({ text }) => text)].join(
    '\n\n',
  );
}

function formatOverCap(shown: readonly Shown[], maxComments: number): string {
  if (shown.length === 0) return '';
  const title = `${count(shown.length, 'more finding')}: a review has at most ${count(maxComments, 'comment')}`;
  const open = `<details>\n<summary>${title}</summary>`;
  return [open, ...shown.map(({ text }) => text), '</details>'].join('\n\n');
}

function formatNotes({ news, buffered, remarks }: ReviewPost, omitted: number): string {
  const refused = buffered.refusedFindings;
  const notes = [
    ...remarks.map((remark) => cleanLine(remark, MAX_REMARK)),
    notRepeated(news),
    omitted === 0 ? '' : `No room here for ${count(omitted, 'more finding')}: see the job summary.`,
    refused === 0 ? '' : `Not accepted: ${count(refused, 'finding')} beyond the number a run may raise.`,
  ].filter((note) => note !== '');
  return notes.length === 0 ? '' : `*${notes.join(' ')}*`;
}
