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
  /**
   * Whether the pattern has `**` in it; such a pattern does not go through linked folders, as in
   * axe.
   */
  readonly isRecursive: boolean;
}

/** A segment's names, or `**`. */
type Step = RegExp | 'any-depth';

/**
 * Compiles a context file pattern with axe's rules (axe-behaviour §7): `*`, `?`, `[a-z]`, `[^a]`,
 * `\` in a segment, and `**` as a whole segment for any number of folders. Takes time linear in the
 * path for a given pattern. `.git` and `node_modules` match only where the pattern names them
 * (ours). Throws a ConfigError for a malformed pattern.
 */
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

/**
 * The paths that match any of the patterns, each once, in byte order. Throws a ConfigError as
 * {@link compileGlob} does.
 */
export function selectPaths(
  patterns: readonly string[],
  paths: Iterable<string>,
): readonly string[] {
  const compiled = patterns.map(compileGlob);
  const selected = [...paths].filter((path) => compiled.some((pattern) => pattern.matches(path)));
  return [...new Set(selected)].sort(compareBytes);
}

/**
 * The segments of a plain pattern with `.`, `..` and doubled slashes resolved and a leading slash
 * ignored. A pattern that leads out of the workdir, or to the workdir itself, matches nothing.
 * Patterns with `**` are taken as they are: `./**` matches nothing, as in axe.
 */
function cleanSegments(pattern: string): {
  readonly names: readonly string[];
  readonly isInside: boolean;
} {
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
  if (name === '**') return 'any-depth';
  const segment = compileSegment(name);
  if (segment === undefined) {
    throw new PatternError(
      `invalid glob pattern ${JSON.stringify(pattern)}: syntax error in pattern`,
      {
        remedy:
          'Close each `[` with `]`; put `\\\\` before a character of `*?[\\` that means itself.',
      },
    );
  }
  return segment;
}

/**
 * The steps that can come next after the segments: all ways through the pattern at once, so none is
 * tried twice.
 */
function walkSteps(steps: readonly Step[], segments: readonly string[]): ReadonlySet<number> {
  let states = withSkips(steps, [0]);
  for (const segment of segments) {
    const next: number[] = [];
    for (const state of states) {
      const step = steps[state];
      if (step === 'any-depth') next.push(state);
      else if (step?.test(segment)) next.push(state + 1);
    }
    states = withSkips(steps, next);
    if (states.size === 0) return states;
  }
  return states;
}

/** The states and those behind a `**`, which may stand for nothing. */
function withSkips(steps: readonly Step[], states: readonly number[]): ReadonlySet<number> {
  const all = new Set(states);
  for (const state of all) if (steps[state] === 'any-depth') all.add(state + 1);
  return all;
}

/** A character of a class, in which `-` and `]` have to be escaped. */
const MEMBER = String.raw`(?:\\.|[^\\\]-])`;
const RANGE = new RegExp(`(${MEMBER})(?:-(${MEMBER}))?`, 'gsu');
/** A class needs a member, so `[]` and `[^]` are malformed. */
const TOKEN = new RegExp(
  String.raw`\*+|\?|\[(\^|(?!\^))((?:${MEMBER}(?:-${MEMBER})?)+)\]|\\.|[^*?[\\]`,
  'gsuy',
);

/**
 * One segment of a pattern by the rules of Go's `path/filepath.Match`
 * (https://pkg.go.dev/path/filepath#Match); undefined if it is malformed.
 */
function compileSegment(segment: string): RegExp | undefined {
  const parts: string[] = [];
  let part = '';
  let end = 0;
  for (const [token, negation, members] of segment.matchAll(TOKEN)) {
    end += token.length;
    if (token.startsWith('*')) {
      parts.push(part);
      part = '';
    } else if (token === '?') part += '.';
    else if (members === undefined) part += escaped(token);
    else part += `[${negation}${rangesOf(members)}]`;
  }
  if (end < segment.length) return undefined;
  if (parts.length === 0) return new RegExp(`^${part}$`, 'su');
  const [first = '', ...between] = parts;
  // What is between two stars is taken where it first comes, and no other place is tried: the group
  // makes it atomic.
  const middle = between.map((one, index) => `(?=(.*?${one}))\\${index + 1}`).join('');
  return new RegExp(`^${first}${middle}.*${part}$`, 'su');
}

/** A range that ends before it begins holds nothing. */
function rangesOf(members: string): string {
  const ranges = Array.from(members.matchAll(RANGE), ([, from = '', to = from]) =>
    codePointOf(from) > codePointOf(to) ? '' : `${escaped(from)}-${escaped(to)}`,
  );
  return ranges.join('');
}

/** A character, which may have a backslash before it, in an expression. */
function escaped(character: string): string {
  return `\\u{${codePointOf(character).toString(16)}}`;
}

function codePointOf(character: string): number {
  return Array.from(character).at(-1)?.codePointAt(0) ?? 0;
}

/** `a` and `a/b` of `a/b/c.md` and of `a/b/`. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}
