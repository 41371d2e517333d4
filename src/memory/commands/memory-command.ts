import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  viewMemory,
} from './command-session.js';
import { forgetMemory } from './forget-memory.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { promoteEntry, rememberText } from './remember-memory.js';
import { refuseUnknown, searchMemory, showMemory, type UnknownAgent } from './show-memory.js';

/**
 * Does what a person wants with an agent's memory, in whatever store it lives, without a model. `unknown` is given for an
 * agent whose file is not here. Trouble with memory is a value; nothing is written where the memory could not be read.
 */
export async function runMemoryCommand(
  command: MemoryCommand,
  session: CommandSession,
  unknown?: UnknownAgent,
): Promise<MemoryCommandResult> {
  const view = await viewMemory(session);
  if (view.kind === 'failed') return view;
  const result = await carryOut(command, view, session, unknown);
  return result.kind === 'done' ? { ...result, warnings: view.warnings } : result;
}

async function carryOut(
  command: MemoryCommand,
  view: MemoryView,
  session: CommandSession,
  unknown: UnknownAgent | undefined,
): Promise<MemoryCommandResult> {
  switch (command.kind) {
    case 'show':
      return refuseUnknown(view, unknown) ?? showMemory(command, view, session);
    case 'search':
      return refuseUnknown(view, unknown) ?? searchMemory(command, view);
    case 'remember':
      return await rememberText(command, view, session);
    case 'forget':
      return await forgetMemory(command, view, session);
    case 'promote':
      return await promoteEntry(command, view, session);
  }
}
