import { ConfigError } from '../errors.js';
import { compareBytes } from './bytes.js';

/** Folders that match only if a pattern names them: nobody means them by `**`. */
const LEFT_OUT = ['.git', 'node_modules'];

/** A pattern that tests the paths of files, and the folders above them. */
export interface CompiledPattern {
  /** The path is `/`-separated and relative to the workdir. */
  matches(path: string): boolean;
  /** False if no file below this folder can match, so it need not be opened. */
  mayContain(folder: string): boolean;
  /** The pattern contains `**`. As in axe, it then does not go through linked folders. */
  readonly isRecursive: boolean;
}

/** A segment of a pattern. `**` matches any number of names; every other segment matches one. */
interface Step {
  readonly isAnyDepth: boolean;
  matches(name: string): boolean;
}

/** True for a name that no wildcard matches: a pattern has to write its dot. */
type DotNameTest = (name: string) => boolean;

/**
 * Compiles a pattern of context files with axe's rules: `*`, `?`, `[a-z]`, `[^a]`, `\` in a
 * segment, and `**` as a whole segment for any number of folders. Matching takes time linear in the
 * path. Unlike in axe, `.git` and `node_modules` match only if the pattern names them. Throws a
 * ConfigError for a malformed pattern.
 */
export function compileGlob(pattern: string): CompiledPattern {
  return compile(pattern, () => false);
}

/**
 * {@link compileGlob} with a rule of the shells: no wildcard matches a name that begins with a dot,
 * so a pattern has to name it, as `.config/**` and `src/.*` do.
 */
export function compileShellGlob(pattern: string, isDotName: DotNameTest): CompiledPattern {
  return compile(pattern, isDotName);
}

function compile(pattern: string, isDotName: DotNameTest): CompiledPattern {
  const isRecursive = pattern.includes('**');
  const { names, isInside } = isRecursive
    ? { names: pattern.split('/'), isInside: true }
    : cleanSegments(pattern);
  const steps = names.map((name) => compileStep(name, pattern, isDotName));
  const leftOut = new Set(LEFT_OUT.filter((name) => !names.includes(name)));

  const statesAfter = (path: string): ReadonlySet<number> => {
    const segments = path.split('/');
    if (!isInside || segments.some((segment) => leftOut.has(segment))) return new Set();
    return walkSteps(steps, segments);
  };
  return {
    isRecursive,
    matches: (path) => statesAfter(path).has(steps.length),
    mayContain: (folder) => [...statesAfter(folder)].some((state) => state < steps.length),
  };
}

/** A pattern in a list of people: `docs/` is every file in the folder, a leading `./` or `/` nothing. */
export function listedPattern(pattern: string): string {
  return pattern.replace(/\/$/, '/**').replace(/^(!?)\.?\/+/, '$1');
}

/** The comma in `*.{ts,tsx}` splits it into two patterns of a list that would match no file at all. */
export function hasHalfBrace(pattern: string): boolean {
  return pattern.split('{').length !== pattern.split('}').length;
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
 * Patterns with `**` are used as written: `./**` matches nothing, as in axe.
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

function compileStep(name: string, pattern: string, isDotName: DotNameTest): Step {
  if (name === '**') return { isAnyDepth: true, matches: (text) => !isDotName(text) };
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
  const writesDot = /^\\?\./.test(name);
  return {
    isAnyDepth: false,
    matches: (text) => (writesDot || !isDotName(text)) && segment.test(text),
  };
}

/**
 * The steps that can come next after the segments. All ways through the pattern are followed at
 * once, so none is tried twice.
 */
function walkSteps(steps: readonly Step[], segments: readonly string[]): ReadonlySet<number> {
  let states = withSkips(steps, [0]);
  for (const segment of segments) {
    const next: number[] = [];
    for (const state of states) {
      const step = steps[state];
      if (step?.matches(segment) === true) next.push(step.isAnyDepth ? state : state + 1);
    }
    states = withSkips(steps, next);
    if (states.size === 0) return states;
  }
  return states;
}

/** Adds the states behind a `**`, which can match no folder at all. */
function withSkips(steps: readonly Step[], states: readonly number[]): ReadonlySet<number> {
  const all = new Set(states);
  for (const state of all) if (steps[state]?.isAnyDepth === true) all.add(state + 1);
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
  // A part between two stars matches at its first occurrence, and no other place is tried: the
  // group makes the match atomic.
  const middle = between.map((source, index) => `(?=(.*?${source}))\\${index + 1}`).join('');
  return new RegExp(`^${first}${middle}.*${part}$`, 'su');
}

/** A range whose end comes before its start is empty. */
function rangesOf(members: string): string {
  const ranges = Array.from(members.matchAll(RANGE), ([, from = '', to = from]) =>
    codePointOf(from) > codePointOf(to) ? '' : `${escaped(from)}-${escaped(to)}`,
  );
  return ranges.join('');
}

/** Escapes a character, with or without a backslash before it, for a regular expression. */
function escaped(character: string): string {
  return `\\u{${codePointOf(character).toString(16)}}`;
}

function codePointOf(character: string): number {
  return Array.from(character).at(-1)?.codePointAt(0) ?? 0;
}

/** `a` and `a/b` of `a/b/c.md` and of `a/b/`. */
export function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** A pattern with more alternatives than this stays as it is. */
const MAX_ALTERNATIVES = 100;

/** Braces without braces in them. */
const INNERMOST = /^(.*?)\{([^{}]*)\}(.*)$/s;

/** The patterns that a pattern with braces means: `*.{ts,tsx}` is `*.ts` and `*.tsx`. */
export function expandBraces(pattern: string): readonly string[] {
  let patterns: readonly string[] = [pattern];
  while (patterns.some((text) => INNERMOST.test(text))) {
    patterns = patterns.flatMap((text) => {
      const [, before = '', choices, after = ''] = INNERMOST.exec(text) ?? [];
      return choices?.split(',').map((choice) => `${before}${choice}${after}`) ?? [text];
    });
    if (patterns.length > MAX_ALTERNATIVES) return [pattern];
  }
  return patterns;
}
