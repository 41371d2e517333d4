import { normalizeCode, TWO_LETTERS_OR_DIGITS } from '../../lib/text/code.js';
import type { DiffFile, DiffHunk, Side } from '../../lib/text/diff.js';
import { quoteLine } from '../../lib/text/format.js';
import { showName } from '../../safety/hidden.js';
import { isQuoted } from '../change/diff-lines.js';
import type { Evidence } from '../finding.js';

/** Lines that follow each other, as the model was shown them. */
export interface ShownLines {
  readonly path: string;
  readonly side: Side;
  /** The number of the first line, from 1; undefined for a search hit, which names none. */
  readonly firstLine: number | undefined;
  readonly lines: readonly string[];
}

interface ShownFile {
  /** By their number. */
  readonly lines: Map<number, string>;
  /** Runs of lines without a number. */
  readonly fragments: (readonly string[])[];
}

/**
 * What a run has shown to the model, kept so that its evidence can be looked up; the tokens of a
 * run are its limit.
 */
export class ShownFiles {
  readonly #files = new Map<string, ShownFile>();

  constructor(shown: readonly ShownLines[] = []) {
    this.show(shown);
  }

  show(shown: readonly ShownLines[]): void {
    for (const { path, side, firstLine, lines } of shown) {
      const file: ShownFile = this.of(path, side) ?? { lines: new Map(), fragments: [] };
      this.#files.set(`${side} ${path}`, file);
      if (firstLine === undefined) file.fragments.push(lines);
      else for (const [index, line] of lines.entries()) file.lines.set(firstLine + index, line);
    }
  }

  /** What was shown of a file on one side; undefined for nothing. */
  of(path: string, side: Side): ShownFile | undefined {
    return this.#files.get(`${side} ${path}`);
  }
}

export function linesOfDiff(
  files: readonly { readonly path: string; readonly hunks: readonly Pick<DiffHunk, 'lines'>[] }[],
): readonly ShownLines[] {
  return files.flatMap(({ path, hunks }) =>
    hunks
      .flatMap(({ lines }) => lines)
      .map((line) =>
        line.kind === 'removed'
          ? { path, side: 'LEFT', firstLine: line.oldLine, lines: [line.text] }
          : { path, side: 'RIGHT', firstLine: line.newLine, lines: [line.text] },
      ),
  );
}

export type ShownEvidence = Evidence & { readonly side: Side };

export const MAX_EVIDENCE = 5;

/**
 * Looks a piece of evidence up among what the run has shown to the model, or says why it is
 * refused. The text may be on another line than it was said to be; what is given back names the
 * right one.
 */
export function checkEvidence(evidence: Evidence, shownFiles: ShownFiles): ShownEvidence | string {
  const parts = linesOf(evidence.code);
  const { path, line } = evidence;
  if (parts.length === 0)
    return `Not accepted: the evidence for line ${line} of ${quoteLine(path)} has no \`code\`. Copy the line unchanged, or leave it out.`;
  for (const meant of pathsMeant(path)) {
    for (const find of [exactly, nearby]) {
      for (const side of SIDES) {
        const file = shownFiles.of(meant, side);
        const found = file === undefined ? undefined : find(file, parts, line);
        if (found !== undefined) return { path: meant, side, ...found };
      }
    }
  }
  return `Not accepted: line ${line} of ${quoteLine(path)} was not shown to you in this run with this \`code\`. Read it with \`github_file\`, or leave it out.`;
}

/** Lines before the change are evidence too: what was removed proves that it is missing. */
const SIDES: readonly Side[] = ['RIGHT', 'LEFT'];

interface Found {
  readonly line: number;
  /** The first line of it as it was shown. */
  readonly code: string;
}

function exactly({ lines }: ShownFile, parts: readonly string[], line: number): Found | undefined {
  const code = lines.get(line);
  return code !== undefined && isAt(lines, line, parts) ? { line, code } : undefined;
}

/**
 * The nearest line that has the text; a text that is found everywhere (`}`) proves nothing on
 * another line.
 */
function nearby(
  { lines, fragments }: ShownFile,
  parts: readonly string[],
  line: number,
): Found | undefined {
  if (!parts.some((part) => TWO_LETTERS_OR_DIGITS.test(part))) return undefined;
  let best: Found | undefined;
  for (const [at, code] of lines) {
    const isNearer = best === undefined || Math.abs(at - line) < Math.abs(best.line - line);
    if (isNearer && isAt(lines, at, parts)) best = { line: at, code };
  }
  if (best !== undefined) return best;
  for (const fragment of fragments) {
    const numbered = new Map(fragment.map((text, index) => [index, text]));
    const code = fragment.find((_, index) => isAt(numbered, index, parts));
    if (code !== undefined) return { line, code };
  }
  return undefined;
}

function isAt(lines: ReadonlyMap<number, string>, from: number, parts: readonly string[]): boolean {
  return parts.every((part, index) => isQuoted(lines.get(from + index) ?? '', part));
}

/** The lines of what was copied, without empty ones around them. */
function linesOf(code: string): readonly string[] {
  const lines = code.split('\n').map(normalizeCode);
  const first = lines.findIndex((line) => line !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1);
}

/** As it is written, or without what models put before it. */
function pathsMeant(path: string): ReadonlySet<string> {
  const clean = path.replace(/^(?:\.?\/)+/, '');
  return new Set([path, clean, clean.replace(/^[ab]\//, '')]);
}

/**
 * The added lines of a diff, as `path:line`, whose comment claims a check that nobody can see in
 * it: "already validated", "reviewed by security". Such comments talk reviewing models out of true
 * findings (ALIBI, arXiv 2607.24964).
 */
export function linesClaimingChecks(files: readonly DiffFile[]): readonly string[] {
  return files.flatMap(({ path, hunks }) =>
    hunks
      .flatMap(({ lines }) => lines)
      .flatMap((line) =>
        line.kind === 'added' && CLAIM.test(COMMENT.exec(line.text)?.groups?.['text'] ?? '')
          ? [`${showName(path, MAX_PATH)}:${line.newLine}`]
          : [],
      ),
  );
}

const MAX_PATH = 200;

/** From the mark that begins a comment, in the common languages, to the end of its line. */
const COMMENT = /(?:(?<!:)\/\/|\/\*|<!--|"""|'''|^\s*\*\s|(?:^|\s)(?:#|--|;+)\s)(?<text>.+)/;

const DONE =
  '(?:validated|saniti[sz]ed|escaped|verified|authenticated|authori[sz]ed|vetted|audited)';
const CLAIM = new RegExp(
  [
    `\\b(?:already|previously|just|pre-?)\\s*(?:been\\s+)?(?:${DONE}|checked)\\b`,
    `\\b${DONE}\\s+(?:above|before|earlier|upstream|elsewhere|by (?:the )?(?:caller|callers|framework|middleware|gateway|proxy|router|orm|security|appsec|schema))\\b`,
    '\\b(?:reviewed|approved|cleared|signed[ -]off) by (?:the |our )?(?:security|appsec|infosec|compliance|legal|audit|maintainers?)\\b',
    '\\b(?:no|not) (?:further |additional )?(?:validation|saniti[sz]ation|escaping|authori[sz]ation|permission check|check|checks) (?:is |are )?(?:needed|required|necessary)\\b',
    '\\b(?:no need|not necessary|unnecessary) to (?:validate|saniti[sz]e|escape|verify|check)\\b',
    '\\b(?:validation|saniti[sz]ation|escaping|authori[sz]ation) (?:is |was )?(?:done|handled|performed|enforced|happens) (?:above|before|earlier|upstream|elsewhere|by)\\b',
    '\\b(?:is|are) (?:therefore |always |known to be |guaranteed to be )?(?:safe|trusted)\\b',
    '\\btrusted (?:input|source|data)\\b|\\b(?:known|security) false positive\\b|\\bnot (?:exploitable|attacker[- ]controlled)\\b',
  ].join('|'),
  'i',
);
