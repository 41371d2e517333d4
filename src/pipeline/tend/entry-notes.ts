import { MAX_RESULT_CODE_POINTS } from '../../axe/defaults.js';
import type { ComposedEntry } from '../../axe/memory/commands/compose.js';
import type { Fields } from '../../axe/memory/commands/draft.js';
import { outbound } from '../../axe/outbound/outbound.js';
import type { MemoryHand } from './memory-hand.js';

/** What a person should know of how an entry was written. */
export function entryNotes(
  { isCut }: ComposedEntry,
  { task, result }: Fields,
  { secrets }: MemoryHand,
): readonly string[] {
  const text = `${task}\n${result}`;
  return [
    ...(isCut ? [`It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`] : []),
    ...(outbound(text, 'memory', secrets) === text
      ? []
      : ['What looked like a secret was written as `***`.']),
  ];
}
