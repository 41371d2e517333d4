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

function parseSection(section: string): DiffFile {
  const hunkAt = section.search(/^@@ /m);
  const head = hunkAt < 0 ? section : section.slice(0, hunkAt);
  const patch = hunkAt < 0 ? undefined : section.slice(hunkAt).replace(/\n$/, '');
  const names = /^diff --git ("?)a\/(?:.*) "?b\/(.*?)\1$/m.exec(head);
  const renamedFrom = /^rename from (.*)$/m.exec(head)?.[1];
  return {
    filename: names?.[1] === '"' ? unquote(names[2] ?? '') : (names?.[2] ?? ''),
    previousFilename: renamedFrom,
    status: statusOf(head),
    additions: count(patch, /^\+/gm),
    deletions: count(patch, /^-/gm),
    patch,
  };
}

/** Git quotes names with line breaks as C does, which is JSON's way for what tests use, but for octal numbers. */
function unquote(name: string): string {
  const code = (_: string, digits: string) =>
    `\\u${Number.parseInt(digits, 8).toString(16).padStart(4, '0')}`;
  return JSON.parse(`"${name.replace(/\\([0-7]{3})/g, code)}"`) as string;
}

function statusOf(head: string): DiffFile['status'] {
  if (/^new file mode/m.test(head)) return 'added';
  if (/^deleted file mode/m.test(head)) return 'removed';
  if (/^rename from/m.test(head)) return 'renamed';
  return 'modified';
}

function count(text: string | undefined, pattern: RegExp): number {
  return text?.match(pattern)?.length ?? 0;
}
