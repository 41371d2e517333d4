import { MAX_RESULT_CODE_POINTS } from '../../core/defaults.js';
import type { ComposedEntry } from '../../core/memory/commands/compose.js';
import type { Fields } from '../../core/memory/commands/draft.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import type { CommandSession } from './command-session.js';

/** What a person should know of how an entry was written. */
export function entryNotes(
  { isCut }: ComposedEntry,
  { task, result }: Fields,
  { secrets }: CommandSession,
): readonly string[] {
  const text = `${task}\n${result}`;
  return [
    ...(isCut ? [`It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`] : []),
    ...(sanitize(text, 'memory', secrets) === text
      ? []
      : ['What looked like a secret was written as `***`.']),
  ];
}
