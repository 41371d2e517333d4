/** A side of a diff: before and after the change. */
export type Side = 'LEFT' | 'RIGHT';

/** One file of a unified diff as `git diff` writes it. */
export interface DiffFile {
  readonly filename: string;
  readonly previousFilename: string | undefined;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly additions: number;
  readonly deletions: number;
  /** From the first hunk on; undefined for binary files and mere renames. */
  readonly patch: string | undefined;
}

/** Splits the output of `git diff` by file. */
export function splitDiff(diff: string): readonly DiffFile[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((section) => section.startsWith('diff --git '))
    .map(parseSection);
}

/** The lines of one hunk that can carry a comment, by side and number, with their texts. */
export type HunkLines = Readonly<Record<Side, ReadonlyMap<number, string>>>;

/** The hunks of each file of a diff, by the file's path. */
export function diffLines(diff: string): ReadonlyMap<string, readonly HunkLines[]> {
  return new Map(splitDiff(diff).map(({ filename, patch }) => [filename, hunksOf(patch ?? '')]));
}

/** The text of a line of a diff; undefined if the diff does not show it. */
export function textAt(
  diff: string,
  place: { path: string; side: Side; line: number },
): string | undefined {
  const hunks = diffLines(diff).get(place.path) ?? [];
  return hunks.map((hunk) => hunk[place.side].get(place.line)).find((text) => text !== undefined);
}

function parseSection(section: string): DiffFile {
  const hunkAt = section.search(/^@@ /m);
  const head = hunkAt < 0 ? section : section.slice(0, hunkAt);
  const patch = hunkAt < 0 ? undefined : section.slice(hunkAt).replace(/\n$/, '');
  const names = /^diff --git ("?)a\/(?:.*) "?b\/(.*?)\1$/m.exec(head);
  const count = (pattern: RegExp) => patch?.match(pattern)?.length ?? 0;
  return {
    filename: names?.[1] === '"' ? unquote(names[2] ?? '') : (names?.[2] ?? ''),
    previousFilename: /^rename from (.*)$/m.exec(head)?.[1],
    status: statusOf(head),
    additions: count(/^\+/gm),
    deletions: count(/^-/gm),
    patch,
  };
}

/**
 * Git quotes names with line breaks as C does, which is JSON's way for what tests use, but for
 * octal numbers.
 */
function unquote(name: string): string {
  const code = (_: string, digits: string) =>
    `\\u${Number.parseInt(digits, 8).toString(16).padStart(4, '0')}`;
  return JSON.parse(`"${name.replace(/\\([0-7]{3})/g, code)}"`) as string;
}

function statusOf(head: string): DiffFile['status'] {
  if (/^new file mode/m.test(head)) return 'added';
  if (/^deleted file mode/m.test(head)) return 'removed';
  return /^rename from/m.test(head) ? 'renamed' : 'modified';
}

function hunksOf(patch: string): readonly HunkLines[] {
  return patch.split(/^(?=@@ )/m).map((hunk) => {
    const [header = '', ...lines] = hunk.split('\n');
    const [, left = '', right = ''] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
    const next = { LEFT: Number(left), RIGHT: Number(right) };
    const found = { LEFT: new Map<number, string>(), RIGHT: new Map<number, string>() };
    for (const line of lines) {
      if (line === '' || line.startsWith('\\')) continue;
      if (!line.startsWith('+')) found.LEFT.set(next.LEFT++, line.slice(1));
      if (!line.startsWith('-')) found.RIGHT.set(next.RIGHT++, line.slice(1));
    }
    return found;
  });
}

/** Lines around a change that a hunk shows. */
const CONTEXT = 3;

/** The section of one file as `git diff` writes it; undefined is no file. */
export function fileDiff(
  path: string,
  before: string | undefined,
  after: string | undefined,
): string {
  const head = [`diff --git a/${path} b/${path}`];
  if (before === undefined) head.push('new file mode 100644');
  if (after === undefined) head.push('deleted file mode 100644');
  head.push(`--- ${before === undefined ? '/dev/null' : `a/${path}`}`);
  head.push(`+++ ${after === undefined ? '/dev/null' : `b/${path}`}`);
  return `${[...head, ...hunks(editScript(linesOf(before), linesOf(after)))].join('\n')}\n`;
}

interface EditedLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

function linesOf(text = ''): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** By the longest common subsequence: test files are short. */
function editScript(before: readonly string[], after: readonly string[]): readonly EditedLine[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));

  const script: EditedLine[] = [];
  for (let [row, column] = [0, 0]; row < before.length || column < after.length; ) {
    const [old, fresh] = [before[row], after[column]];
    if (old !== undefined && old === fresh) {
      script.push({ sign: ' ', text: old });
      row += 1;
      column += 1;
    } else if (old !== undefined && at(row + 1, column) >= at(row, column + 1)) {
      script.push({ sign: '-', text: old });
      row += 1;
    } else {
      script.push({ sign: '+', text: fresh ?? '' });
      column += 1;
    }
  }
  return script;
}

function hunks(script: readonly EditedLine[]): readonly string[] {
  const isShown = script.map((_, index) =>
    script
      .slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
      .some(({ sign }) => sign !== ' '),
  );
  const next = { old: 1, fresh: 1 };
  const written: string[] = [];
  for (let index = 0; index < script.length; ) {
    const start = { ...next };
    const lines: string[] = [];
    for (; index < script.length && isShown[index]; index += 1) {
      const { sign, text } = script[index] as EditedLine;
      lines.push(sign + text);
      if (sign !== '+') next.old += 1;
      if (sign !== '-') next.fresh += 1;
    }
    if (lines.length === 0) {
      next.old += 1;
      next.fresh += 1;
      index += 1;
      continue;
    }
    const range = (from: number, to: number) => `${to === from ? from - 1 : from},${to - from}`;
    written.push(
      `@@ -${range(start.old, next.old)} +${range(start.fresh, next.fresh)} @@`,
      ...lines,
    );
  }
  return written;
}
