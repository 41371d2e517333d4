/** Old and new path of a file in a diff; undefined where it does not exist. */
export interface PathPair {
  readonly oldPath: string | undefined;
  readonly newPath: string | undefined;
}

/** A path as it stands behind `---`, `+++`, `rename from` and the like; undefined for `/dev/null`. */
export function readPath(
  written: string,
  { hasPrefix }: { readonly hasPrefix: boolean },
): string | undefined {
  const path = written.startsWith('"') ? unquote(written) : withoutTimestamp(written);
  if (path === '/dev/null') return undefined;
  return hasPrefix ? path.replace(PREFIX, '') : path;
}

/**
 * The paths of a `diff --git` line. Unquoted paths hold no end mark, but both are the same file's, unless it was
 * renamed, and then the lines below say so: the line splits where both halves are equal (git-diff, "generate patch").
 */
export function readGitLine(line: string): PathPair {
  const rest = line.slice('diff --git '.length).replace(/\r$/, '');
  const [before, after] = splitPair(rest);
  return {
    oldPath: readPath(before, { hasPrefix: true }),
    newPath: readPath(after, { hasPrefix: true }),
  };
}

/** What git puts before paths: `a/`, `b/`, or by `diff.mnemonicPrefix` the index, the work tree, a commit, an object. */
const PREFIX = /^[abciwo]\//;

function splitPair(rest: string): readonly [string, string] {
  if (rest.startsWith('"')) {
    const end = endOfQuoted(rest);
    return [rest.slice(0, end), rest.slice(end + 1)];
  }
  const middle = (rest.length - 1) / 2;
  const before = rest.slice(0, middle);
  const after = rest.slice(middle + 1);
  if (rest[middle] === ' ' && before.replace(PREFIX, '') === after.replace(PREFIX, ''))
    return [before, after];
  const quoted = rest.indexOf(' "');
  if (quoted > 0) return [rest.slice(0, quoted), rest.slice(quoted + 1)];
  const split = rest.lastIndexOf(' b/');
  return split > 0 ? [rest.slice(0, split), rest.slice(split + 1)] : [rest, rest];
}

/** Where a quoted path ends, behind its closing quote. */
function endOfQuoted(text: string): number {
  return /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0].length ?? text.length;
}

/** git ends a path that holds a space with a tab, other programs write the time behind one. */
function withoutTimestamp(written: string): string {
  const tab = written.indexOf('\t');
  return (tab < 0 ? written : written.slice(0, tab)).replace(/\r$/, '');
}

/** A path in git's quotes: backslash escapes as in C, bytes outside ASCII in octal, together UTF-8. */
function unquote(written: string): string {
  const inner = written.slice(1, endOfQuoted(written)).replace(/"$/, '');
  const bytes: number[] = [];
  for (const [part, octal, letter] of inner.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else
      bytes.push(...new TextEncoder().encode(letter === undefined ? part : (ESCAPES.get(letter) ?? letter)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
