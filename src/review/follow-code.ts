import { normalizeCode } from './code.js';
import { type DiffLines, type FileLines, findFile } from './diff-lines.js';
import type { Finding } from './finding.js';
import type { Side } from './terms.js';

/** A finding whose line number was held against the code it quotes. */
type Followed =
  | { readonly kind: 'followed'; readonly finding: Finding }
  /** The diff has other code on that line, and nowhere the code that is quoted. */
  | { readonly kind: 'mismatch'; readonly actual: string };

/**
 * Models miscount lines in a diff, but copy a line correctly: where the number and the quoted code
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

/** The line a comment is under is the last of its range. */
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
  const { startLine } = finding;
  const moved = startLine === undefined ? undefined : Math.max(1, startLine + line - finding.line);
  return { ...finding, side, line, startLine: moved };
}
