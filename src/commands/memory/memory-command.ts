import { exportMemory, importMemory } from './carry-memory.js';
import { type CommandSession, type MemoryCommandResult, viewMemory } from './command-session.js';
import { editEntry } from './edit-memory.js';
import { forgetMemory } from './forget-memory.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { promoteEntry } from './promote-memory.js';
import { rememberText } from './remember-by-hand.js';
import { searchMemory, showMemory, verifyMemory } from './show-memory.js';
import { signMemory } from './sign-memory.js';
import { refuseUnknown, type UnknownAgent } from './unknown-agent.js';

/**
 * Does what a person wants with an agent's memory, in whatever store it lives, without a model. `unknown` is given for an
 * agent whose file is not here. Trouble with memory is a
 * value; nothing is written where the memory could not be read.
 */
export async function runMemoryCommand(
  command: MemoryCommand,
  hand: CommandSession,
  unknown?: UnknownAgent,
): Promise<MemoryCommandResult> {
  const view = await viewMemory(hand);
  if (view.kind === 'failed') return view;
  const refused = refuseUnknown(command, view, unknown);
  if (refused !== undefined) return refused;
  switch (command.kind) {
    case 'show':
      return showMemory(command, view, hand);
    case 'search':
      return searchMemory(command, view);
    case 'verify':
      return verifyMemory(view, hand);
    case 'forget':
      return await forgetMemory(command, view, hand);
    case 'edit':
      return await editEntry(command, view, hand);
    case 'remember':
      return await rememberText(command, view, hand);
    case 'promote':
      return await promoteEntry(command, view, hand);
    case 'sign':
      return await signMemory(command, view, hand);
    case 'export':
      return await exportMemory(command, view, hand);
    case 'import':
      return await importMemory(command, view, hand);
  }
}
