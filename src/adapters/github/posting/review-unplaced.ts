import { MAX_COMMENT_CHARACTERS } from '../../../core/defaults.js';
import { type DiffLines, readDiffLines } from '../../../core/review/diff-lines.js';
import {
  type FindingMarker,
  parseFindingMarker,
  type TextFinding,
  withTextFindings,
} from '../../../core/review/markers.js';
import { formatMarkValue, type Mark } from '../../../core/sanitize/mark.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import {
  assembleDiff,
  fetchChangedFiles,
  type PatchedFile,
  type PullRequestPlace,
} from '../reading/changed-files.js';
import type { OwnReview } from '../reading/own-reviews.js';

/** Comments of which GitHub refused at least one. */
interface RefusedComments {
  readonly draft: Pick<ReviewPayload, 'repository' | 'number'>;
  readonly comments: readonly ReviewComment[];
  readonly error: GitHubError;
}

/**
 * The comments a refusal is about. GitHub does not name them, so they are the ranges where it speaks of their start
 * alone, and else those that lie outside the files' hunks as GitHub shows them; all of them, if that finds none.
 * Rejects only for an aborted signal.
 */
export async function findMisplaced(
  client: GitHubClient,
  { draft, comments, error }: RefusedComments,
  signal: AbortSignal,
): Promise<readonly ReviewComment[]> {
  const ranges = comments.filter(({ startLine }) => startLine !== undefined);
  const isAboutStart = /start[_ ]line/i.test(error.message) && !ANY_LINE.test(error.message);
  if (isAboutStart && ranges.length > 0) return ranges;
  const lines = readDiffLines(assembleDiff(await fetchFiles(client, draft, signal)));
  const outside = comments.filter((comment) => !mayStand(comment, lines));
  return outside.length > 0 ? outside : comments;
}

const ANY_LINE = /(?<!start )(?:line|path) could not be resolved|must be part of the diff/i;

/** None if they cannot be had, by which every comment is misplaced. */
async function fetchFiles(
  client: GitHubClient,
  { repository, number }: RefusedComments['draft'],
  signal: AbortSignal,
): Promise<readonly PatchedFile[]> {
  try {
    return await fetchChangedFiles(client, { repository, number }, signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return [];
    throw thrown;
  }
}

/** Whether a comment's line, and where it begins, lie in one hunk of its file. */
function mayStand({ path, line, side, startLine, startSide }: ReviewComment, lines: DiffLines): boolean {
  const file = lines.get(path);
  const end = file?.[side].get(line);
  if (end === undefined || startLine === undefined) return end !== undefined;
  return file?.[startSide ?? side].get(startLine)?.hunk === end.hunk;
}

/**
 * The body of a review with the comments that have no line below it, and their findings in its marker; never longer than
 * GitHub takes.
 */
export function withUnplaced(body: string, unplaced: readonly ReviewComment[]): string {
  if (unplaced.length === 0) return body;
  const parts = unplaced.map((comment) => ({ comment, finding: findingOf(comment) }));
  const markers = parts.reduce((sum, { finding }) => sum + markerLength(finding), MARKER_FRAME);
  let text = `${body.trimEnd()}\n\n${HEADING}`;
  const findings: TextFinding[] = [];
  for (const [index, { comment, finding }] of parts.entries()) {
    const longer = `${text}\n\n${placeOf(comment)}\n\n${comment.inText ?? withoutMarker(comment.body)}`;
    const left = unplaced.length - index;
    if (longer.length + markers + MAX_NOTE + MAX_FOOTER > MAX_COMMENT_CHARACTERS) {
      text = `${text}\n\n*${left} more ${left === 1 ? 'comment does' : 'comments do'} not fit here.*`;
      break;
    }
    text = longer;
    if (finding !== undefined) findings.push(finding);
  }
  return withTextFindings(text, (known) => [...known, ...findings]);
}

function findingOf({ path, side, line, startLine = line, body }: ReviewComment): TextFinding | undefined {
  const marker = parseFindingMarker(body);
  return marker === undefined ? undefined : textMarker(marker, { path, side, startLine, line });
}

function textMarker({ id, severity }: FindingMarker, place: Omit<TextFinding, 'id'>): TextFinding {
  return { id, ...place, ...(severity === undefined ? {} : { severity, sketch: '' }) };
}

function markerLength(finding: TextFinding | undefined): number {
  return finding === undefined ? 0 : formatMarkValue(finding).length + 1;
}

/** Characters of the line that holds the findings, beside them. */
const MARKER_FRAME = 40;

/** In a review's text the marker of a comment means nothing. */
function withoutMarker(body: string): string {
  const text = parseFindingMarker(body) === undefined ? body : body.slice(body.indexOf('\n') + 1);
  return text.trim();
}

const HEADING = '**Comments on lines that the diff does not show**';

/** Characters kept for the note on what does not fit. */
const MAX_NOTE = 60;

/** Characters kept for the last line. */
const MAX_FOOTER = 500;

/** In `<code>`, where a path's backticks and markdown mean nothing. */
function placeOf({ path, line, startLine }: ReviewComment): string {
  const lines = startLine === undefined || startLine === line ? `${line}` : `${startLine}-${line}`;
  const shown = path.replace(/[&<>"'`*_~@[\]\\|\p{Cc}]/gu, (char) => `&#${char.codePointAt(0)};`);
  return `<code>${shown}:${lines}</code>`;
}

/** A body with its last line, where there is room for it. */
export function withFooter(body: string, footer = ''): string {
  const whole = footer === '' ? body : `${body.trimEnd()}\n\n${footer}`;
  return whole.length > MAX_COMMENT_CHARACTERS ? body : whole;
}

/** What a review says about merging. Approving is not ours to do (D23). */
export type ReviewEvent = 'COMMENT' | 'REQUEST_CHANGES';

/** A comment on a line of the diff, or on several. Lines count from 1. */
export interface ReviewComment {
  readonly path: string;
  readonly line: number;
  /** Before (`LEFT`) or after the change. */
  readonly side: 'LEFT' | 'RIGHT';
  readonly startLine?: number;
  readonly startSide?: 'LEFT' | 'RIGHT';
  readonly body: string;
  /** The same for the text of the review, where GitHub takes no comment on the line; left out: `body`. */
  readonly inText?: string;
}

/** The review to post. All texts went through outbound cleaning (D24). */
export interface ReviewPayload extends PullRequestPlace {
  /** The commit that was reviewed. */
  readonly headSha: string;
  readonly event: ReviewEvent;
  readonly body: string;
  /** The last line of the body, below whatever is added to it; left out for none. */
  readonly footer?: string;
  readonly comments: readonly ReviewComment[];
  /** Tells this review of this head from all others. */
  readonly mark: Mark;
  /** Our reviews of this pull request, as they were read just before; left out: they are looked for. */
  readonly own?: readonly OwnReview[];
}
