import { formatMark, laneOf, type Mark, type MarkLane, markOf, readMark } from '../core/sanitize/mark.js';
import { cleanLine } from '../core/text/cut.js';
import { codeSpan } from './suggestion.js';
import { CATEGORIES, type Category, SEVERITIES, type Severity, type Side } from './terms.js';

/** A finding that is in a review's own text: nobody can answer it there, so its place is kept next to it. */
export interface TextFinding {
  readonly id: string;
  readonly path: string;
  /** Lines of the commit that was reviewed, or of its base. */
  readonly side: Side;
  readonly startLine: number;
  readonly line: number;
  /** Undefined for a finding of an older version. */
  readonly severity?: Severity;
  /** Its hashed words, by which it is known again; empty or left out where there are none. */
  readonly sketch?: string;
}

/** What the mark of a review of ours says. */
interface ReviewMarker {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  /** From 2 on, where the same commit was reviewed again and more was found; left out for the first review. */
  readonly part?: number;
  readonly findings: readonly TextFinding[];
}

/** What the mark of a comment on a line says. */
export interface FindingMarker {
  readonly id: string;
  readonly agent: string;
  /** These are undefined for a finding of an older version. */
  readonly category?: Category;
  readonly severity?: Severity;
  /** Cleaned text. */
  readonly title?: string;
}

/** The mark of a comment on a line: read at the very beginning only. */
export function findingMark({ id, agent, category, severity, title }: FindingMarker, lane: MarkLane): Mark {
  return { kind: 'finding', agent, id, category, severity, title: title === '' ? undefined : title, lane };
}

/** What a comment that begins with {@link findingMark} says about itself. */
export function parseFindingMarker(body: string): FindingMarker | undefined {
  const { kind, id, agent, category: cat, severity: sev, title } = markOf(body);
  if (kind !== 'finding' || !isFindingId(id) || typeof agent !== 'string') return undefined;
  const category = CATEGORIES.find((one) => one === cat);
  const severity = SEVERITIES.find((one) => one === sev);
  return {
    id,
    agent,
    ...(category === undefined ? {} : { category }),
    ...(severity === undefined ? {} : { severity }),
    ...(typeof title === 'string' ? { title } : {}),
  };
}

function isFindingId(id: unknown): id is string {
  return typeof id === 'string' && /^[0-9a-f]{16}$/.test(id);
}

/** The agent of a review; one that was asked for in a comment bears the comment's number behind the agent's name. */
export function agentOf(reviewer: string): string {
  return reviewer.replace(/\/reply-\d+$/, '');
}

/** The mark of a review: whose it is, of which commit, and which findings its text holds. */
export function reviewMark({ agent, head, part = 1, findings }: ReviewMarker, lane: MarkLane): Mark {
  return { kind: 'review', agent, head, part, findings, lane };
}

/** What a review of ours says about itself; undefined for any other text. Its author has to be checked besides this. */
export function parseReviewMarker(body: string): ReviewMarker | undefined {
  const { kind, agent, head, part, findings } = markOf(body);
  if (kind !== 'review' || typeof agent !== 'string' || typeof head !== 'string') return undefined;
  return {
    agent,
    head,
    ...(typeof part === 'number' && part > 1 ? { part } : {}),
    findings: Array.isArray(findings) ? findings.flatMap(readTextFinding) : [],
  };
}

function readTextFinding(read: Partial<Record<keyof TextFinding, unknown>> | null): readonly TextFinding[] {
  const { id, path, side, startLine, line, severity: word, sketch } = read ?? {};
  if (!isFindingId(id) || typeof path !== 'string' || (side !== 'LEFT' && side !== 'RIGHT')) return [];
  if (typeof startLine !== 'number' || typeof line !== 'number') return [];
  const severity = SEVERITIES.find((one) => one === word);
  const known = severity === undefined ? {} : { severity, sketch: typeof sketch === 'string' ? sketch : '' };
  return [{ id, path, side, startLine, line, ...known }];
}

/** A review of ours with other findings in its mark; any other text stays as it is. */
export function withTextFindings(
  body: string,
  change: (findings: readonly TextFinding[]) => readonly TextFinding[],
): string {
  const marker = parseReviewMarker(body);
  if (marker === undefined) return body;
  const mark = reviewMark({ ...marker, findings: change(marker.findings) }, laneOf(body));
  return formatMark(mark) + body.slice(endOfLine(body));
}

function endOfLine(body: string): number {
  const at = body.indexOf('\n');
  return at < 0 ? body.length : at;
}

/**
 * A review of ours of whose text some findings no longer hold: they leave the mark, which makes more room than the line
 * takes that says so.
 */
export function withoutTextFindings(body: string, removed: readonly TextFinding[], head: string): string {
  const left = withTextFindings(body, (all) =>
    all.filter((one) => !removed.some((other) => isSame(one, other))),
  );
  const places = removed.map(({ path, line }) =>
    path === '' ? 'a place outside of the diff' : codeSpan(`${cleanLine(path, MAX_PATH)}:${line}`),
  );
  const more = places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : '';
  const listed = `${places.slice(0, MAX_PLACES).join(', ')}${more}`;
  const note = `\n*Outdated as of ${head.slice(0, SHORT_SHA)}: ${listed}.*\n`;
  const at = endOfLine(left) + 1;
  return `${left.slice(0, at)}${note}${left.slice(at)}`;
}

function isSame(one: TextFinding, other: TextFinding): boolean {
  const key = ({ id, path, side, startLine, line }: TextFinding) =>
    JSON.stringify([id, path, side, startLine, line]);
  return key(one) === key(other);
}

const MAX_PLACES = 10;
const MAX_PATH = 200;

/** Why a comment of ours no longer counts, where its conversation could not be resolved. */
export type EndMark = 'outdated' | 'settled' | 'withdrawn';

/** A comment of ours with a note on how it ended below its own marker; one that has such a note stays as it is. */
export function withEndNote(body: string, mark: EndMark, note: string): string {
  if (endMarkOf(body) !== undefined) return body;
  const [marker = '', ...rest] = body.split('\n');
  const ended = formatMark({ kind: 'end', how: mark, lane: laneOf(body) });
  return [marker, ended, `*${note}*`, '', ...rest].join('\n');
}

/** The same without the note: the finding is open again. */
export function withoutEndNote(body: string): string {
  if (endMarkOf(body) === undefined) return body;
  const [marker = '', , , , ...rest] = body.split('\n');
  return [marker, ...rest].join('\n');
}

/** How a comment that begins with {@link findingMark} was marked by {@link withEndNote}. */
export function endMarkOf(body: string): EndMark | undefined {
  const { kind, how } = readMark(body.split('\n', 2)[1]);
  return kind === 'end' ? END_MARKS.find((known) => known === how) : undefined;
}

const END_MARKS: readonly EndMark[] = ['outdated', 'settled', 'withdrawn'];

/** For people: the line of a finding has left the change. */
export function outdatedNote(head: string): string {
  return `Outdated: as of ${head.slice(0, SHORT_SHA)} this line is no longer part of the change.`;
}

const SHORT_SHA = 7;
