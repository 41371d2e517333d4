import type { MemoryCommandResult, MemoryRefusal } from './command-session.js';

/** What a person is told of a command, in markdown that is not yet cleaned for where it goes. */
export function formatCommandResult(result: MemoryCommandResult): string {
  return result.kind === 'done' ? result.text : formatRefusal(result);
}

/** Why a command was not done, or not all of it, and what can be done about it. */
export function formatRefusal({ message, remedy, changed }: MemoryRefusal): string {
  // A list, or what was done anyway: what is told last stands apart from it.
  const isLong = message.includes('\n');
  const before = changed ? 'It was done, but ' : 'Nothing was done: ';
  const sentence = changed && isLong ? message : before + message;
  if (remedy === undefined) return isLong ? sentence : `${sentence}.`;
  return isLong ? `${sentence}\n\n${remedy}` : `${sentence}. ${remedy}`;
}
