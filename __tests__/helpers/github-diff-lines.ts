import { splitDiff } from './unified-diff.js';

/** A side of a diff: before and after the change. */
export type Side = 'LEFT' | 'RIGHT';

/** The lines of one hunk that can carry a comment, by side and number, with their texts. */
export type HunkLines = Readonly<Record<Side, ReadonlyMap<number, string>>>;

/** The hunks of each file of a diff, by the file's path. */
export function diffLines(diff: string): ReadonlyMap<string, readonly HunkLines[]> {
  return new Map(splitDiff(diff).map(({ filename, patch }) => [filename, hunksOf(patch ?? '')]));
}

function hunksOf(patch: string): readonly HunkLines[] {
  return patch.split(/^(?=@@ )/m).map((hunk) => {
    const [header = '', ...lines] = hunk.split('\n');
    const [, left = '', right = ''] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
    const next = { LEFT: Number(left), RIGHT: Number(right) };
    const found = { LEFT: new Map<number, string>(), RIGHT: new Map<number, string>() };
    for (const line of lines) {
      if (line === '' || line.startsWith('\\')) continue;
      const sides: Side[] = line.startsWith('+')
        ? ['RIGHT']
        : line.startsWith('-')
          ? ['LEFT']
          : ['LEFT', 'RIGHT'];
      for (const side of sides) found[side].set(next[side]++, line.slice(1));
    }
    return found;
  });
}
