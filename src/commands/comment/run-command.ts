import type { Dependencies } from '../../core/dependencies.js';
import type { RunReport, RunRequest } from '../../run/request.js';
import { answerMemoryCommand } from '../memory/answer-command.js';
import { runPauseCommand } from '../pause.js';
import { answerHelp } from './answer-help.js';
import { isAboutFinding, runFindingCommand } from './end-finding.js';
import { type ReadCommand, readCommand } from './read-command.js';

/** Carries out the command of a comment that takes no model; undefined where there is none. Throws an AxeError. */
export async function runCommentCommand(
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const command = readCommand(request.trigger, request.admissionPolicy.triggerPhrase);
  if (command === undefined) return undefined;
  const { acknowledgement: _, ...silent } = deps;
  return await carryOut(command, request, request.dryRun ? silent : deps);
}

async function carryOut(
  command: ReadCommand,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  switch (command.kind) {
    case 'help':
    case 'mistyped':
      return await answerHelp(command, request, deps);
    case 'finding':
      if (command.isReply === true && !(await isAboutFinding(command, deps))) return undefined;
      return await runFindingCommand(command, request, deps);
    case 'pause':
      return await runPauseCommand(command.command, request, deps);
    case 'memory':
      return await answerMemoryCommand({ ...request, words: command.words, requestedIn: 'comment' }, deps);
  }
}
