import { ToolError } from '../../lib/errors.js';
import { decodeBytes, encodeBytes, withoutCutEnd } from '../../lib/text/bytes.js';
import { quoteLine } from '../../lib/text/format.js';
import { hideInBytes, hideValues, MASK } from '../../safety/redact.js';
import type { Workspace } from './workspace.js';

/**
 * A folder whose files are seen without secrets, so that none is searched for, compared or cut
 * through. A masked line that is written back gets its secret again. `secrets` is read at each
 * call, because a run can learn of more.
 */
export function createMaskedWorkspace(workspace: Workspace, secrets: readonly string[]): Workspace {
  return {
    async list(path) {
      const entries = await workspace.list(path);
      return entries.map((entry) => ({ ...entry, name: hideValues(entry.name, secrets) }));
    },
    async read(path, maxBytes) {
      const { bytes, size } = await workspace.read(path, maxBytes);
      const seen = hideInBytes(bytes, secrets);
      const isCut = size > bytes.length;
      return {
        bytes: isCut ? encodeBytes(withoutCutEnd(decodeBytes(seen))) : seen,
        size: size - bytes.length + seen.length,
      };
    },
    readAhead: () => workspace.readAhead?.() ?? Promise.resolve(),
    change: (path, make) =>
      workspace.change(path, (old) => {
        const seen = old && hideInBytes(old, secrets);
        const made = make(seen);
        if (old === undefined || seen === undefined || seen === old) return made;
        return made && restoreLines(path, { old, seen, made });
      }),
  };
}

interface MaskedChange {
  readonly old: Uint8Array;
  /** The old file as the model saw it. It has the same lines. */
  readonly seen: Uint8Array;
  /** The new file as the model wrote it. */
  readonly made: Uint8Array;
}

/**
 * The new file with the secrets of its masked lines. Throws a ToolError for a masked line that the
 * old file did not have, or if some of several equal ones are missing: nobody knows which.
 */
function restoreLines(path: string, { old, seen, made }: MaskedChange): Uint8Array {
  const oldLines = linesOf(old);
  const hiddenBySeen = new Map<string, string[]>();
  for (const [index, line] of linesOf(seen).entries()) {
    if (!line.includes(MASK)) continue;
    hiddenBySeen.set(line, [...(hiddenBySeen.get(line) ?? []), oldLines[index] ?? line]);
  }

  const madeLines = decodeBytes(made).split('\n');
  const countByLine = new Map<string, number>();
  const restored = madeLines.map((madeLine) => {
    const line = withoutReturn(madeLine);
    if (!line.includes(MASK)) return madeLine;
    const count = countByLine.get(line) ?? 0;
    countByLine.set(line, count + 1);
    const hidden = hiddenBySeen.get(line)?.[count];
    if (hidden === undefined) throw notChanged(path, 'a line with a secret was changed or doubled');
    return `${hidden}${madeLine.slice(line.length)}`;
  });

  for (const [line, count] of countByLine) {
    const hidden = new Set(hiddenBySeen.get(line));
    if (hidden.size > 1 && count !== hiddenBySeen.get(line)?.length)
      throw notChanged(path, 'some of several lines that look the same were removed');
  }
  return encodeBytes(restored.join('\n'));
}

function linesOf(bytes: Uint8Array): readonly string[] {
  return decodeBytes(bytes).split('\n').map(withoutReturn);
}

function withoutReturn(line: string): string {
  return line.replace(/\r$/, '');
}

function notChanged(path: string, reason: string): ToolError {
  return new ToolError(
    `${quoteLine(path)} was not changed: ${reason}. You see secrets as \`${MASK}\`; leave their lines as they are.`,
  );
}
