import { textId } from '../memory/units.js';
import { isTelling, normalizeCode } from './code.js';

/**
 * What a place in a file is found by again after lines have moved, without a word of the code: a state file may be read
 * by people who may not read the code.
 */
export interface Anchor {
  /** Of the line itself; empty where the line was not known. */
  readonly code: string;
  /** Of the lines around it; empty where they were not in the diff. */
  readonly before: string;
  readonly after: string;
  /** Of what git names behind the `@@` of the hunk, mostly the function; empty for nothing. */
  readonly header: string;
}

/** Lines of a file by their number: those of a diff's hunks on one side, or all. */
export type NumberedLines = ReadonlyMap<number, { readonly text: string }>;

/** The anchor of a line; `heading` is what stands behind the `@@` of its hunk. */
export function anchorOf(lines: NumberedLines, line: number, heading = ''): Anchor {
  return {
    code: lineId(lines.get(line)?.text),
    before: contextId(lines.get(line - 1)?.text),
    after: contextId(lines.get(line + 1)?.text),
    header: contextId(heading === '' ? undefined : heading),
  };
}

/** Where a line is now. */
export type Carried =
  | { readonly kind: 'stands'; readonly line: number; readonly text: string }
  /** Not among the lines; `line` is where it was, if that can be told from the line above or below. */
  | { readonly kind: 'gone'; readonly line: number | undefined };

/** What earlier places are looked for in; see {@link carryTarget}. */
export interface CarryTarget {
  readonly lines: NumberedLines;
  readonly headingOf: (line: number) => string;
  /** The lines that have an id, in full or as context. */
  readonly byId: ReadonlyMap<string, readonly number[]>;
}

/** The lines as they are now, hashed once for all that is looked for; `headingOf` tells the heading of a line's hunk. */
export function carryTarget(
  lines: NumberedLines,
  headingOf: (line: number) => string = () => '',
): CarryTarget {
  const byId = new Map<string, number[]>();
  for (const [line, { text }] of lines) {
    const id = lineId(text);
    for (const key of [id, contextOf(id)]) {
      const known = byId.get(key);
      if (known === undefined) byId.set(key, [line]);
      else known.push(line);
    }
  }
  return { lines, headingOf, byId };
}

/**
 * Carries an earlier place to the lines as they are now: to the line with the same code, of several to the one with the
 * same surroundings, then to the nearest. A line that says nothing (`}`) needs surroundings that do.
 */
export function carry(anchor: Anchor, from: number, target: CarryTarget): Carried {
  const { lines, headingOf, byId } = target;
  let best: Candidate | undefined;
  for (const line of byId.get(anchor.code) ?? []) {
    const text = lines.get(line)?.text ?? '';
    const around = surroundings(anchor, line, lines);
    if (!isTelling(text) && !around.isTelling) continue;
    const isSameHunk = anchor.header !== '' && contextId(headingOf(line)) === anchor.header;
    const score = 2 * around.matches + (isSameHunk ? 1 : 0);
    const candidate = { line, text, score, distance: Math.abs(line - from) };
    if (best === undefined || isBetter(candidate, best)) best = candidate;
  }
  if (best !== undefined) return { kind: 'stands', line: best.line, text: best.text };
  return { kind: 'gone', line: formerLine(anchor, from, target) };
}

interface Candidate {
  readonly line: number;
  readonly text: string;
  readonly score: number;
  readonly distance: number;
}

function isBetter(one: Candidate, other: Candidate): boolean {
  return one.score === other.score ? one.distance < other.distance : one.score > other.score;
}

interface Surroundings {
  readonly matches: number;
  /** Both lines around it are the same, or one that says which line it is. */
  readonly isTelling: boolean;
}

function surroundings({ before, after }: Anchor, line: number, lines: NumberedLines): Surroundings {
  const pairs = [
    { id: before, text: lines.get(line - 1)?.text },
    { id: after, text: lines.get(line + 1)?.text },
  ];
  const same = pairs.filter(({ id, text }) => id !== '' && contextId(text) === id);
  return {
    matches: same.length,
    isTelling: same.length === 2 || same.some(({ text = '' }) => isTelling(text)),
  };
}

/** Next to the line that was above it or below it, where there is exactly one such line that says which it is. */
function formerLine({ before, after }: Anchor, from: number, target: CarryTarget): number | undefined {
  const above = onlyLine(before, target);
  const below = onlyLine(after, target);
  const places = [
    ...(above === undefined ? [] : [above + 1]),
    ...(below === undefined ? [] : [Math.max(1, below - 1)]),
  ];
  return places.sort((a, b) => Math.abs(a - from) - Math.abs(b - from))[0];
}

function onlyLine(id: string, { lines, byId }: CarryTarget): number | undefined {
  const found = (byId.get(id) ?? []).filter((line) => isTelling(lines.get(line)?.text ?? ''));
  return found.length === 1 ? found[0] : undefined;
}

/** As `codeId`, for any line: what says nothing alone may say something together with its surroundings. */
function lineId(line: string | undefined): string {
  return line === undefined ? '' : textId(normalizeCode(line)).slice(2);
}

/** Half as long: it only has to tell a few lines from each other. */
function contextId(line: string | undefined): string {
  return contextOf(lineId(line));
}

function contextOf(id: string): string {
  return id.slice(0, 8);
}

/** An anchor in one word for a state file; {@link parseAnchor} reads it. */
export function formatAnchor({ code, before, after, header }: Anchor): string {
  return [code, before, after, header].join('.');
}

/** The anchor that a word names; undefined for a word that names none. */
export function parseAnchor(word: string): Anchor | undefined {
  if (!/^(?:[0-9a-f]{16})?(?:\.(?:[0-9a-f]{8})?){3}$/.test(word)) return undefined;
  const [code = '', before = '', after = '', header = ''] = word.split('.');
  return { code, before, after, header };
}
