import type { Warning } from '../warning.js';
import type { Locator } from './locate.js';
import type { UnknownKey } from './match-keys.js';
import { AGENT_SCHEMA } from './schema.js';
import { showKey } from './show-key.js';
import { nearest } from './suggest.js';

/** A file that is no agent at all has many unknown keys; more than this are only counted. */
const MAX_WARNINGS = 20;

/** One warning for each key nobody reads, at its place, with the key that may have been meant (D3). */
export function unknownKeyWarnings(
  unknown: readonly UnknownKey[],
  file: string,
  locator: Locator,
): readonly Warning[] {
  const shown = unknown.slice(0, MAX_WARNINGS).map(
    (key): Warning => ({
      code: 'agent-unknown-key',
      message: `unknown key \`${showKey(key.path)}\` is ignored. ${advice(key)}`,
      at: { file, ...locator.findNearest(key.path) },
    }),
  );
  const left = unknown.length - shown.length;
  if (left === 0) return shown;
  const message = `${left} more unknown keys are ignored. Is this an agent file?`;
  return [...shown, { code: 'agent-unknown-key', message, at: { file } }];
}

function advice({ path, known }: UnknownKey): string {
  const written = String(path.at(-1));
  const meant = nearest(written, known);
  if (meant !== undefined) return `Did you mean \`${showKey([...path.slice(0, -1), meant])}\`?`;
  if (path.length > 1 && Object.hasOwn(AGENT_SCHEMA.entries, written.toLowerCase())) {
    return `\`${written}\` belongs above the first \`[table]\` of the file.`;
  }
  return 'Remove it, or check its name.';
}
