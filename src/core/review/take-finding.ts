import { shown } from '../text/shown.js';
import { type FindingAnswer, refused, sizeProblem, taken } from './answer.js';
import { describePlacement } from './describe-placement.js';
import { type DiffLines, type FileLines, findFile } from './diff-lines.js';
import { type Finding, normalizeCode, normalizeRule, type Side } from './finding.js';
import { type PlacedFinding, placeFinding } from './place.js';
import { type PublishRules, TEXT_LIMITS } from './publish-rules.js';
import { readSuggestion, withoutOffers } from './suggestion.js';

/** A comment as the model asks for it. */
export interface CommentRequest {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number | undefined;
  readonly side?: Side | undefined;
  readonly body: string;
  readonly rule?: string | undefined;
  readonly suggestion?: string | undefined;
  /** The text of `line` as the model read it; wins over the number. */
  readonly code?: string | undefined;
  /** Number of an earlier comment of this run that this one takes the place of; counts from 1. */
  readonly replaces?: number | undefined;
}

/** The findings of a run after one more was asked for. */
export interface TakenFinding {
  readonly answer: FindingAnswer;
  readonly findings: readonly PlacedFinding[];
  /** It was refused for the number of findings alone. */
  readonly isOneTooMany: boolean;
}

/**
 * Takes a comment among the findings of a run, or says why not. The same finding at the same place is taken once, with
 * its later words.
 */
export function takeFinding(
  request: CommentRequest,
  findings: readonly PlacedFinding[],
  { lines, rules }: { readonly lines: DiffLines; readonly rules: PublishRules },
): TakenFinding {
  const refuse = (text: string, isOneTooMany = false): TakenFinding => {
    return { answer: refused(`Not taken: ${text}.`), findings, isOneTooMany };
  };
  const problem = problemOf(request, findings);
  if (problem !== undefined) return refuse(problem);
  const followed = followCode(readFinding(request), lines);
  if (followed.kind === 'mismatch') return refuse(mismatch(request, followed.actual));
  const { placed, note } = withCheckedSuggestion(placeFinding(followed.finding, lines), lines);
  const at = slotOf(placed, findings, request.replaces);
  if (at === undefined && findings.length >= rules.maxFindings) return refuse(tooMany(rules), true);
  const next = at === undefined ? [...findings, placed] : findings.with(at, placed);
  const number = (at ?? findings.length) + 1;
  const replaced = at === undefined ? '' : ', in place of what it said before';
  const rank = rankOf(placed, { findings: next, number });
  const place =
    rank > rules.maxComments
      ? tooManyOnLines(rules)
      : `${describePlacement(placed, lines)}${note}${limitNote(rank, rules)}`;
  const text = `Comment ${number}${replaced}: ${place} Nothing is posted before the run ends.`;
  return { answer: taken(text), findings: next, isOneTooMany: false };
}

function problemOf(request: CommentRequest, findings: readonly PlacedFinding[]): string | undefined {
  const { path, body, suggestion = '', replaces } = request;
  if (replaces !== undefined && findings[replaces - 1] === undefined) {
    return findings.length === 0
      ? '`replaces` names a comment that does not exist; there is none yet'
      : `\`replaces\` names a comment that does not exist; there are 1 to ${findings.length}`;
  }
  const tooLong =
    sizeProblem('path', path, TEXT_LIMITS.pathBytes) ?? sizeProblem('body', body, TEXT_LIMITS.commentBytes);
  if (tooLong !== undefined || suggestion.trim() === '') return tooLong;
  return sizeProblem('suggestion', suggestion, TEXT_LIMITS.suggestionBytes);
}

function readFinding({
  path,
  line,
  startLine,
  side = 'RIGHT',
  body,
  rule,
  suggestion,
  code,
}: CommentRequest): Finding {
  const lines = readSuggestion(suggestion, path);
  return {
    path,
    line,
    side,
    body: withoutOffers(body).trim(),
    rule: normalizeRule(rule),
    ...(startLine === undefined ? {} : { startLine }),
    ...(lines === undefined ? {} : { suggestion: lines }),
    ...(code === undefined ? {} : { code }),
  };
}

function mismatch({ path, line }: CommentRequest, actual: string): string {
  return `line ${line} of ${shown(path)} reads ${shown(actual.trim())}, and no line of its diff reads as \`code\` does; send the line as it stands, or leave \`code\` out`;
}

function tooMany({ maxFindings }: PublishRules): string {
  return `a run may raise ${maxFindings} findings, and this would be one more; name what matters in \`submit_review\`, or give \`replaces\``;
}

function slotOf(
  { fingerprint, finding }: PlacedFinding,
  findings: readonly PlacedFinding[],
  replaces: number | undefined,
): number | undefined {
  if (replaces !== undefined) return replaces - 1;
  const same = findings.findIndex(
    (other) => other.fingerprint === fingerprint && other.finding.line === finding.line,
  );
  return same < 0 ? undefined : same;
}

interface Checked {
  readonly placed: PlacedFinding;
  /** For the model. */
  readonly note: string;
}

/** Only lines that were meant exactly, in the new version, can be offered to be replaced. */
function withCheckedSuggestion(placed: PlacedFinding, lines: DiffLines): Checked {
  const { finding, placement } = placed;
  if (finding.suggestion === undefined) return { placed, note: '' };
  if (placement.kind !== 'line' || !placement.isExact || placement.side === 'LEFT') {
    const note =
      ' Its suggestion will be shown as plain code: only lines of the new version that are in the diff can be offered to be replaced.';
    return { placed, note };
  }
  const file = findFile(lines, finding.path);
  if (file === undefined || currentCode(file, placement) !== finding.suggestion) return { placed, note: '' };
  const { suggestion: _, ...rest } = finding;
  return {
    placed: { ...placed, finding: rest },
    note: ' Its suggestion was left out: it is what stands there already.',
  };
}

function currentCode(
  { RIGHT }: FileLines,
  { line, startLine = line }: { readonly line: number; readonly startLine: number | undefined },
): string {
  const lines: string[] = [];
  for (let at = startLine; at <= line; at += 1) lines.push(RIGHT.get(at)?.text.replace(/\r$/, '') ?? '');
  return lines.join('\n');
}

interface Count {
  readonly findings: readonly PlacedFinding[];
  readonly number: number;
}

/** The how many-th comment on a line it is; 0 for one that stands in the text. */
function rankOf({ placement }: PlacedFinding, { findings, number }: Count): number {
  if (placement.kind !== 'line') return 0;
  return findings.slice(0, number).filter((one) => one.placement.kind === 'line').length;
}

function tooManyOnLines({ maxComments }: PublishRules): string {
  return `a review has at most ${maxComments} comments on lines, and this is one more: it will stand in the review's text. Leave out what harms nobody.`;
}

function limitNote(rank: number, { maxComments }: PublishRules): string {
  return rank > 0 && rank >= maxComments * 0.75
    ? ` ${rank} of ${maxComments} comments on lines are used.`
    : '';
}

/** A finding whose line number was held against the code it quotes. */
type Followed =
  | { readonly kind: 'followed'; readonly finding: Finding }
  /** The diff has other code on that line, and nowhere the code that is quoted. */
  | { readonly kind: 'mismatch'; readonly actual: string };

/**
 * Whoever counts lines in a diff miscounts, and who copies a line does not: where the number and the quoted code
 * disagree, the code wins, at the nearest line that has it. A range moves as a whole.
 */
export function followCode(finding: Finding, lines: DiffLines): Followed {
  const file = findFile(lines, finding.path);
  const quoted = lastLine(finding.code ?? '');
  if (file === undefined || quoted === '') return { kind: 'followed', finding };
  const here = file[finding.side].get(finding.line);
  if (here !== undefined && isQuoted(here.text, quoted)) return { kind: 'followed', finding };
  const found = findCode(file, quoted, finding);
  if (found !== undefined) return { kind: 'followed', finding: move(finding, found) };
  return here === undefined ? { kind: 'followed', finding } : { kind: 'mismatch', actual: here.text };
}

/** The line a comment stands under is the last of its range. */
function lastLine(code: string): string {
  return (
    code
      .split(/\r?\n/)
      .map(normalizeCode)
      .findLast((line) => line !== '') ?? ''
  );
}

/** So long a part of a line says which line it is. */
const MIN_PART = 10;

function isQuoted(text: string, quoted: string): boolean {
  const line = normalizeCode(text);
  // Copied with the diff's own mark.
  const unmarked = /^[+-]/.test(quoted) ? normalizeCode(quoted.slice(1)) : quoted;
  return [quoted, unmarked].some((part) => line === part || (part.length >= MIN_PART && line.includes(part)));
}

interface Spot {
  readonly side: Side;
  readonly line: number;
}

function findCode(file: FileLines, quoted: string, { side, line }: Spot): Spot | undefined {
  const sides: readonly Side[] = side === 'RIGHT' ? ['RIGHT', 'LEFT'] : ['LEFT', 'RIGHT'];
  for (const one of sides) {
    const [nearest] = [...file[one]]
      .flatMap(([number, { text }]) => (isQuoted(text, quoted) ? [number] : []))
      .sort((a, b) => Math.abs(a - line) - Math.abs(b - line) || a - b);
    if (nearest !== undefined) return { side: one, line: nearest };
  }
  return undefined;
}

function move(finding: Finding, { side, line }: Spot): Finding {
  const { startLine, ...rest } = finding;
  if (startLine === undefined) return { ...rest, side, line };
  return { ...rest, side, line, startLine: Math.max(1, startLine + line - finding.line) };
}
