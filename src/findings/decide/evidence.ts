import type { DiffFile, DiffHunk, Side } from '../../lib/text/diff.js';
import { quoteLine } from '../../lib/text/format.js';
import { showName } from '../../safety/hidden.js';
import { distanceTo, findQuote, type Quote, readQuote } from '../change/quote.js';
import type { Evidence } from '../finding.js';

/** Lines that follow each other, as the model was shown them. */
export interface ShownLines {
  readonly path: string;
  readonly side: Side;
  /** The number of the first line, from 1. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

interface ShownFile {
  /** By their number. */
  readonly lines: Map<number, string>;
}

/**
 * The lines that a run has shown to the model, in which its evidence is looked up. The token budget
 * of a run bounds their number.
 */
export class ShownFiles {
  readonly #files = new Map<string, ShownFile>();

  constructor(shown: readonly ShownLines[] = []) {
    this.show(shown);
  }

  show(shown: readonly ShownLines[]): void {
    for (const { path, side, firstLine, lines } of shown) {
      const file: ShownFile = this.of(path, side) ?? { lines: new Map() };
      this.#files.set(`${side} ${path}`, file);
      for (const [index, line] of lines.entries()) file.lines.set(firstLine + index, line);
    }
  }

  /** The lines of one side of a file that were shown; undefined if there are none. */
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
 * Looks up evidence among the lines that the model was shown; returns a sentence for the model if
 * it does not count. The code can be on another line than the model named: the result has the right
 * number.
 */
export function checkEvidence(evidence: Evidence, shownFiles: ShownFiles): ShownEvidence | string {
  const { path, line, code } = evidence;
  const quote = readQuote(code);
  if (quote.length === 0)
    return `the evidence for line ${line} of ${quoteLine(path)} has no \`code\`. Copy the line unchanged, or leave it out.`;
  for (const candidate of pathsMeant(path)) {
    const proofs = SIDES.flatMap((side) => {
      const file = shownFiles.of(candidate, side);
      const proof = file && findProof(file, quote, line);
      return proof === undefined ? [] : [{ path: candidate, side, ...proof }];
    });
    const best = proofs.find((proof) => proof.line === line) ?? proofs[0];
    if (best !== undefined) return best;
  }
  return `line ${line} of ${quoteLine(path)} was not shown to you in this run with this \`code\`. Read it with \`github_file\`, or leave it out.`;
}

/** Lines before the change are evidence too: what was removed proves that it is missing. */
const SIDES: readonly Side[] = ['RIGHT', 'LEFT'];

/**
 * The first of the quoted lines: at the named number, or the nearest match. Text that occurs
 * everywhere (`}`) proves nothing on another line.
 */
function findProof({ lines }: ShownFile, quote: Quote, line: number) {
  const { spans, isTelling } = findQuote(lines, quote, { first: line, last: line });
  const [nearest] = spans.toSorted((a, b) => distanceTo(a, line) - distanceTo(b, line));
  const isProof = nearest !== undefined && (isTelling || distanceTo(nearest, line) === 0);
  return isProof ? { line: nearest.first, code: lines.get(nearest.first) ?? '' } : undefined;
}

/** The path as written, and without the prefixes (`./`, `a/`, `b/`) that models add. */
export function pathsMeant(path: string): ReadonlySet<string> {
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
