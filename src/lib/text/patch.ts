/** Lines around a change that are shown with it. */
const CONTEXT = 3;

/** A change of a text file as `git apply` takes it: its bytes before and after, undefined where there is none. */
export function formatPatch(
  path: string,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const head = [`diff --git a/${path} b/${path}`];
  if (before === undefined) head.push('new file mode 100644');
  if (after === undefined) head.push('deleted file mode 100644');
  const hunks = hunksOf(compareLines(old, now));
  if (hunks.length > 0) {
    head.push(before === undefined ? '--- /dev/null' : `--- a/${path}`);
    head.push(after === undefined ? '+++ /dev/null' : `+++ b/${path}`);
  }
  return `${head.join('\n')}\n${hunks.join('')}`;
}

/** Each with its line break; the last one may have none. */
function linesOf(bytes: Uint8Array | undefined): readonly string[] {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line of a patch: on both sides, only before, or only after. */
interface PatchLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** What is compared line by line, in cells of a table; more than that is replaced as one piece. */
const MAX_CELLS = 4_000_000;

function compareLines(old: readonly string[], now: readonly string[]): readonly PatchLine[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const same = (text: string): PatchLine => ({ sign: ' ', text });
  const [oldRest, nowRest] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return [
    ...old.slice(0, start).map(same),
    ...compareMiddle(oldRest, nowRest),
    ...old.slice(old.length - end).map(same),
  ];
}

/** By the longest run of lines that both have in this order. */
function compareMiddle(old: readonly string[], now: readonly string[]): readonly PatchLine[] {
  const width = now.length + 1;
  const isSmall = old.length * now.length <= MAX_CELLS;
  // How many lines are common from a place on, by both places.
  const common = new Uint32Array(isSmall ? (old.length + 1) * width : 0);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; isSmall && i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: PatchLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (isSmall && before !== undefined && before === after) {
      lines.push({ sign: ' ', text: before });
      [i, j] = [i + 1, j + 1];
    } else if (before !== undefined && (after === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: before });
      i += 1;
    } else {
      lines.push({ sign: '+', text: after ?? '' });
      j += 1;
    }
  }
  return lines;
}

/** The changed stretches with the lines around them. */
function hunksOf(lines: readonly PatchLine[]): readonly string[] {
  const changed = lines.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]));
  const hunks: string[] = [];
  for (let first = 0; first < changed.length; ) {
    let last = first;
    while ((changed[last + 1] ?? Number.POSITIVE_INFINITY) - (changed[last] ?? 0) <= 2 * CONTEXT + 1)
      last += 1;
    const from = Math.max(0, (changed[first] ?? 0) - CONTEXT);
    hunks.push(formatHunk(lines, from, (changed[last] ?? 0) + CONTEXT + 1));
    first = last + 1;
  }
  return hunks;
}

function formatHunk(lines: readonly PatchLine[], from: number, to: number): string {
  const shown = lines.slice(from, to);
  const range = (sign: '-' | '+') => {
    const isOn = (line: PatchLine) => line.sign === ' ' || line.sign === sign;
    const length = shown.filter(isOn).length;
    const before = lines.slice(0, from).filter(isOn).length;
    return `${sign}${length === 0 ? before : before + 1},${length}`;
  };
  const body = shown.map(({ sign, text }) =>
    text.endsWith('\n') ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`,
  );
  return `@@ ${range('-')} ${range('+')} @@\n${body.join('')}`;
}
