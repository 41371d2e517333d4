import type { CommandSession, MemoryCommandResult } from './command-session.js';
import { viewMemory } from './command-session.js';
import { forgetMemory } from './forget-memory.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { promoteEntry } from './promote-memory.js';
import { rememberText } from './remember-memory.js';
import { searchMemory, showMemory } from './show-memory.js';
import { refuseUnknown, type UnknownAgent } from './unknown-agent.js';

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
