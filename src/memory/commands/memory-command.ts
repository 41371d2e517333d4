import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  viewMemory,
} from './command-session.js';
import { forgetMemory } from './forget-memory.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { promoteEntry, rememberText } from './remember-memory.js';
import { searchMemory, showMemory } from './show-memory.js';

/**
 * Does what a person wants with an agent's memory, in whatever store it lives, without a model. Trouble with memory is a
 * value; nothing is written where the memory could not be read.
 */
export async function runMemoryCommand(
  command: MemoryCommand,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const view = await viewMemory(session);
  if (view.kind === 'failed') return view;
  const result = await carryOut(command, view, session);
  return result.kind === 'done' ? { ...result, warnings: view.warnings } : result;
}

async function carryOut(
  command: MemoryCommand,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  switch (command.kind) {
    case 'show':
      return showMemory(command, view, session);
    case 'search':
      return searchMemory(command, view);
    case 'remember':
      return await rememberText(command, view, session);
    case 'forget':
      return await forgetMemory(command, view, session);
    case 'promote':
      return await promoteEntry(command, view, session);
  }
}
