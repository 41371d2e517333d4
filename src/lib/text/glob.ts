import { ConfigError } from '../errors.js';
import { compareBytes } from './bytes.js';

/** Folders that are left out unless a pattern names them: nobody means them by `**`. */
const LEFT_OUT = ['.git', 'node_modules'];

/** A pattern that can be held against paths and against folders on the way to them. */
export interface CompiledPattern {
  /** Whether a file matches; the path is `/`-separated and relative to the workdir. */
  matches(path: string): boolean;
  /** Whether a file below this folder could match, so that it is worth opening. */
  mayContain(folder: string): boolean;
  /** Whether the pattern has `**` in it; such a pattern does not go through linked folders, as in axe. */
  readonly isRecursive: boolean;
}

type Step = { readonly kind: 'any-depth' } | { readonly kind: 'segment'; readonly matches: SegmentMatcher };

/**
 * Compiles a context file pattern with axe's rules (axe-behaviour §7): `*`, `?`, `[a-z]`, `[^a]`, `\` in a segment, and
 * `**` as a whole segment for any number of folders. Takes time linear in the path for a given pattern. `.git` and
 * `node_modules` match only where the pattern names them (ours). Throws a ConfigError for a malformed pattern.
 */
export function compilePattern(pattern: string): (path: string) => boolean {
  return compileGlob(pattern).matches;
}

/** {@link compilePattern}, with what a walk through folders needs. */
export function compileGlob(pattern: string): CompiledPattern {
  const isRecursive = pattern.includes('**');
  const { names, isInside } = isRecursive
    ? { names: pattern.split('/'), isInside: true }
    : cleanSegments(pattern);
  const steps = names.map((name) => compileStep(name, pattern));
  const leftOut = new Set(LEFT_OUT.filter((name) => !names.includes(name)));
  const run = (path: string): ReadonlySet<number> => {
    const segments = path.split('/');
    if (!isInside || segments.some((segment) => leftOut.has(segment))) return new Set();
    return walkSteps(steps, segments);
  };
  return {
    isRecursive,
    matches: (path) => run(path).has(steps.length),
    mayContain: (folder) => [...run(folder)].some((state) => state < steps.length),
  };
}

/** The paths that match any of the patterns, each once, in byte order. Throws a ConfigError as compilePattern does. */
export function selectPaths(patterns: readonly string[], paths: Iterable<string>): readonly string[] {
  const compiled = patterns.map(compileGlob);
  const selected = new Set<string>();
  for (const path of paths) {
    if (compiled.some((pattern) => pattern.matches(path))) selected.add(path);
  }
  return [...selected].sort(compareBytes);
}

/**
 * The segments of a plain pattern with `.`, `..` and doubled slashes resolved and a leading slash ignored. A pattern that
 * leads out of the workdir, or to the workdir itself, matches nothing. Patterns with `**` are taken as they are: `./**`
 * matches nothing, as in axe.
 */
function cleanSegments(pattern: string): { readonly names: readonly string[]; readonly isInside: boolean } {
  const names: string[] = [];
  let isInside = true;
  for (const segment of pattern.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') names.push(segment);
    else if (names.pop() === undefined) isInside = false;
  }
  return { names, isInside: isInside && names.length > 0 };
}

export class PatternError extends ConfigError {}

function compileStep(name: string, pattern: string): Step {
  if (name === '**') return { kind: 'any-depth' };
  const matches = compileSegment(name);
  if (matches === undefined) {
    throw new PatternError(`invalid glob pattern ${JSON.stringify(pattern)}: syntax error in pattern`, {
      remedy: 'Close each `[` with `]`; put `\\\\` before a character of `*?[\\` that means itself.',
    });
  }
  return { kind: 'segment', matches };
}

/** The steps that can come next after the segments: all ways through the pattern at once, so none is tried twice. */
function walkSteps(steps: readonly Step[], segments: readonly string[]): ReadonlySet<number> {
  let states = withSkips(steps, [0]);
  for (const segment of segments) {
    const next: number[] = [];
    for (const state of states) {
      const step = steps[state];
      if (step?.kind === 'any-depth') next.push(state);
      else if (step?.matches(segment) === true) next.push(state + 1);
    }
    states = withSkips(steps, next);
    if (states.size === 0) return states;
  }
  return states;
}

/** The states and those behind a `**`, which may stand for nothing. */
function withSkips(steps: readonly Step[], states: readonly number[]): ReadonlySet<number> {
  const all = new Set(states);
  for (const state of all) if (steps[state]?.kind === 'any-depth') all.add(state + 1);
  return all;
}

/** Whether a name, without slashes, matches a segment of a pattern. */
type SegmentMatcher = (name: string) => boolean;

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'literal'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [from: number, to: number];

/**
 * Compiles one segment of a pattern by the rules of Go's `path/filepath.Match` (https://pkg.go.dev/path/filepath#Match);
 * undefined if it is malformed.
 */
function compileSegment(segment: string): SegmentMatcher | undefined {
  const tokens = tokenize([...segment]);
  if (tokens === undefined) return undefined;
  return (name) => matchTokens(tokens, codePoints(name));
}

function tokenize(characters: readonly string[]): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < characters.length) {
    const character = characters[at];
    if (character === '[') {
      const parsed = parseClass(characters, at + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else if (character === '*') {
      // Several stars in a row are one.
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
      at += 1;
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
      at += 1;
    } else {
      const escaped = parseCharacter(characters, at);
      if (escaped === undefined) return undefined;
      tokens.push({ kind: 'literal', codePoint: escaped.codePoint });
      at = escaped.end;
    }
  }
  return tokens;
}

/** Reads a class behind its `[`; it needs at least one member, so `[]` is malformed. */
function parseClass(
  characters: readonly string[],
  start: number,
): { readonly token: Token; readonly end: number } | undefined {
  const isNegated = characters[start] === '^';
  const ranges: Range[] = [];
  let at = isNegated ? start + 1 : start;
  while (characters[at] !== ']' || ranges.length === 0) {
    const from = parseMember(characters, at);
    if (from === undefined) return undefined;
    at = from.end;
    if (characters[at] === '-') {
      const to = parseMember(characters, at + 1);
      if (to === undefined) return undefined;
      ranges.push([from.codePoint, to.codePoint]);
      at = to.end;
    } else ranges.push([from.codePoint, from.codePoint]);
  }
  return { token: { kind: 'class', isNegated, ranges }, end: at + 1 };
}

interface ParsedCharacter {
  readonly codePoint: number;
  readonly end: number;
}

/** A character of a class: `-` and `]` have to be escaped there. */
function parseMember(characters: readonly string[], at: number): ParsedCharacter | undefined {
  return characters[at] === '-' || characters[at] === ']' ? undefined : parseCharacter(characters, at);
}

/** One character, which may have a backslash before it; undefined at the end. */
function parseCharacter(characters: readonly string[], at: number): ParsedCharacter | undefined {
  const position = characters[at] === '\\' ? at + 1 : at;
  const codePoint = characters[position]?.codePointAt(0);
  return codePoint === undefined ? undefined : { codePoint, end: position + 1 };
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** Goes through the name once; after a mismatch only the last star is tried one character longer. */
function matchTokens(tokens: readonly Token[], name: readonly number[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starEnd = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token;
      starEnd = at;
      token += 1;
    } else if (current !== undefined && matchesOne(current, name[at] ?? 0)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      starEnd += 1;
      at = starEnd;
      token = star + 1;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}

function matchesOne(token: Token, codePoint: number): boolean {
  switch (token.kind) {
    case 'star':
      return false;
    case 'any':
      return true;
    case 'literal':
      return token.codePoint === codePoint;
    case 'class':
      return token.ranges.some(([from, to]) => from <= codePoint && codePoint <= to) !== token.isNegated;
  }
}
