import type { MemoryCommandResult, MemoryRefusal } from './command-session.js';

/** What a person is told of a command where nothing of memory may be shown, in markdown that is not yet cleaned. */
export function formatCommandResult(result: MemoryCommandResult): string {
  return result.kind === 'done' ? result.text : formatRefusal(result);
}

/** Why a command was not done, or not all of it, and what can be done about it. */
export function formatRefusal({ message, remedy, changed }: MemoryRefusal): string {
  const sentence = `${changed ? 'It was done, but ' : 'Nothing was done: '}${message}.`;
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}
