import { MAX_COMMENT_CHARACTERS } from '../defaults.js';
import { CATEGORIES, type Category, SEVERITIES, type Severity, type Side } from '../findings/terms.js';
import { decodeField, encodeField } from '../memory/field.js';
import { cleanLine } from '../text/cut.js';
import { codeSpan } from './suggestion.js';

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

/** What the hidden first lines of a review of ours say. */
interface ReviewMarker {
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
  /** From 2 on, where the same commit was reviewed again and more was found; left out for the first review. */
  readonly part?: number;
  readonly findings: readonly TextFinding[];
}

/** What the hidden first line of a comment on a line says. */
export interface FindingMarker {
  readonly id: string;
  readonly agent: string;
  /** These are undefined for a finding of an older version. */
  readonly category?: Category;
  readonly severity?: Severity;
  /** Cleaned text. */
  readonly title?: string;
}

/**
 * The hidden line that a comment on a line begins with. It is written in front of text that went through outbound
 * cleaning, which leaves no such line in it, and read at the very beginning only: nobody's text can pass for it.
 */
export function findingMarker({ id, agent, category, severity, title }: FindingMarker): string {
  const fields = [
    ['agent', agent],
    ['cat', category],
    ['sev', severity],
    ['title', title],
  ].flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [` ${name}=${encodeField(value)}`],
  );
  return `<!-- axe-action:finding ${id}${fields.join('')} -->`;
}

/** What a comment that begins with {@link findingMarker} says about itself. */
export function parseFindingMarker(body: string): FindingMarker | undefined {
  const [, id, text = ''] = FINDING.exec(body) ?? [];
  const fields = new Map(
    text.split(' ').map((pair) => [pair.split('=', 1)[0], decodeField(pair.slice(pair.indexOf('=') + 1))]),
  );
  const agent = fields.get('agent');
  if (id === undefined || agent === undefined) return undefined;
  const category = CATEGORIES.find((one) => one === fields.get('cat'));
  const severity = SEVERITIES.find((one) => one === fields.get('sev'));
  const title = fields.get('title');
  return {
    id,
    agent,
    ...(category === undefined ? {} : { category }),
    ...(severity === undefined ? {} : { severity }),
    ...(title === undefined ? {} : { title }),
  };
}

const FINDING = /^<!-- axe-action:finding ([0-9a-f]{16})((?: [a-z]+=\S+)+) -->(?:\r?\n|$)/;

/** The agent of a review; one that was asked for in a comment bears the comment's number behind the agent's name. */
export function agentOf(reviewer: string): string {
  return reviewer.replace(/\/reply-\d+$/, '');
}

/** The hidden lines that a review begins with: whose it is, of which commit, and which findings its text holds. */
export function reviewMarker({ agent, head, part, findings }: ReviewMarker): string {
  const again = part === undefined ? '' : ` part=${part}`;
  const first = `<!-- axe-action:review agent=${encodeField(agent)} head=${encodeField(head)}${again} -->`;
  if (findings.length === 0) return first;
  return `${first}\n<!-- axe-action:findings ${findings.map(formatTextFinding).join(' ')} -->`;
}

/** A finding as {@link reviewMarker} writes it; for counting its length. */
export function formatTextFinding(finding: TextFinding): string {
  const { id, path, side, startLine, line, severity, sketch = '' } = finding;
  const place = `${id}:${side === 'LEFT' ? 'L' : 'R'}${startLine}-${line}:${encodeField(path).replaceAll(':', '%3A')}`;
  return severity === undefined ? place : `${place}:${severity}:${encodeField(sketch)}`;
}

/** What a review of ours says about itself; undefined for any other text. Its author has to be checked besides this. */
export function parseReviewMarker(body: string): ReviewMarker | undefined {
  const match = REVIEW.exec(body);
  if (match === null) return undefined;
  const [, agent = '', head = '', part, findings = ''] = match;
  return {
    agent: decodeField(agent),
    head: decodeField(head),
    ...(part === undefined ? {} : { part: Number(part) }),
    findings: findings.split(' ').flatMap(parseTextFinding),
  };
}

const REVIEW =
  /^<!-- axe-action:review agent=(\S+) head=(\S+)(?: part=(\d{1,6}))? -->(?:\r?\n<!-- axe-action:findings ([^\r\n]+) -->)?(?:\r?\n|$)/;

function parseTextFinding(entry: string): readonly TextFinding[] {
  const match = /^([0-9a-f]{16}):([LR])(\d{1,9})-(\d{1,9}):(\S*?)(?::([a-z]+):(\S*))?$/.exec(entry);
  if (match === null) return [];
  const [, id = '', side, startLine, line, path = '', word, sketch = ''] = match;
  const severity = SEVERITIES.find((one) => one === word);
  return [
    {
      id,
      path: decodeField(path),
      side: side === 'L' ? 'LEFT' : 'RIGHT',
      startLine: Number(startLine),
      line: Number(line),
      ...(severity === undefined ? {} : { severity, sketch: decodeField(sketch) }),
    },
  ];
}

/** A review of ours with other findings in its marker; any other text stays as it is. */
export function withTextFindings(
  body: string,
  change: (findings: readonly TextFinding[]) => readonly TextFinding[],
): string {
  const marker = parseReviewMarker(body);
  if (marker === undefined) return body;
  return body.replace(REVIEW, () => `${reviewMarker({ ...marker, findings: change(marker.findings) })}\n`);
}

/**
 * A review of ours of whose text some findings no longer hold: they leave the marker, and a line says so, where there is
 * room for it.
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
  const [lines = ''] = REVIEW.exec(left) ?? [];
  const withNote = `${lines}${note}${left.slice(lines.length)}`;
  return withNote.length > MAX_COMMENT_CHARACTERS ? left : withNote;
}

function isSame(one: TextFinding, other: TextFinding): boolean {
  return formatTextFinding(one) === formatTextFinding(other);
}

const MAX_PLACES = 10;
const MAX_PATH = 200;

/** Why a comment of ours no longer counts, where its conversation could not be resolved. */
export type EndMark = 'outdated' | 'settled' | 'withdrawn';

const END_MARK = /^<!-- axe-action:(outdated|settled|withdrawn) -->$/;

/** A comment of ours with a note on how it ended below its own marker; one that has such a note stays as it is. */
export function withEndNote(body: string, mark: EndMark, note: string): string {
  if (endMarkOf(body) !== undefined) return body;
  const [marker = '', ...rest] = body.split('\n');
  return [marker, `<!-- axe-action:${mark} -->`, `*${note}*`, '', ...rest].join('\n');
}

/** The same without the note: the finding is open again. */
export function withoutEndNote(body: string): string {
  if (endMarkOf(body) === undefined) return body;
  const [marker = '', , , , ...rest] = body.split('\n');
  return [marker, ...rest].join('\n');
}

/** How a comment that begins with {@link findingMarker} was marked by {@link withEndNote}. */
export function endMarkOf(body: string): EndMark | undefined {
  const [, mark] = END_MARK.exec(body.split(/\r?\n/, 2)[1] ?? '') ?? [];
  return END_MARKS.find((known) => known === mark);
}

const END_MARKS: readonly EndMark[] = ['outdated', 'settled', 'withdrawn'];

/** For people: the line of a finding has left the change. */
export function outdatedNote(head: string): string {
  return `Outdated: as of ${head.slice(0, SHORT_SHA)} this line is no longer part of the change.`;
}

const SHORT_SHA = 7;
