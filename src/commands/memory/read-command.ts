import { AxeError, ConfigError } from '../../core/errors.js';
import { isNotesPath } from '../../core/memory/notes/place.js';
import { type MemoryRefusal, refusal } from './command-session.js';
import type { MemoryCommandRequest } from './memory-request.js';
import { hasSeveralCommands } from './parse-comment.js';
import { isCommentCommand, type MemoryCommand, parseMemoryCommand } from './parse-memory-command.js';

/**
 * The command that a workflow or a comment asks for. A mistake in a comment is answered there, one in a workflow is
 * thrown as a ConfigError that says how the command is written.
 */
export function readCommand(request: MemoryCommandRequest): MemoryCommand | MemoryRefusal {
  return request.askedIn === 'comment' ? readComment(request) : readInput(request.words);
}

function readInput(words: readonly string[]): MemoryCommand {
  try {
    return parseMemoryCommand(words);
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const { message, remedy } = thrown;
    throw new ConfigError(`the input \`memory-command\`: ${message}`, {
      cause: thrown,
      ...(remedy === undefined ? {} : { remedy }),
    });
  }
}

function readComment({ words, trigger }: MemoryCommandRequest): MemoryCommand | MemoryRefusal {
  const [name = ''] = words;
  if (hasSeveralCommands(trigger)) {
    return refusal('refused', 'a comment can hold one command', 'Write each in a comment of its own.');
  }
  if (name !== 'forget' && name !== 'remember') return notInComment(name);
  const command = parsed(words);
  // A note is a whole file of everybody's, which one line of a comment is not to delete.
  if (command?.kind === 'forget' && isNotesPath(command.id)) return notInComment('forget <path of a note>');
  if (command !== undefined && isCommentCommand(command)) return command;
  if (command?.kind === 'forget') return notInComment('forget --purge');
  if (name === 'remember')
    return refusal('refused', 'there is nothing to remember', 'Write it after `/axe remember`.');
  return refusal('refused', '`/axe forget` takes one id', 'Write, for example, `/axe forget 01m8k2`.');
}

function notInComment(command: string): MemoryRefusal {
  const [name = ''] = command.split(' ');
  return refusal(
    'refused',
    `\`${command}\` cannot be asked for in a comment`,
    `Run a workflow with \`mode: memory\` and \`memory-command: ${name}\`, or \`axe-action memory ${name}\` on the command line. In a comment there are \`/axe forget <id>\` and \`/axe remember <text>\`; a question to the agent does not begin with \`/axe\`.`,
  );
}

function parsed(words: readonly string[]): MemoryCommand | undefined {
  try {
    return parseMemoryCommand(words);
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return undefined;
  }
}
