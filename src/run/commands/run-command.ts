import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, weaker } from '../../event/admission-policy.js';
import { formatCommandTable } from '../../event/comment-commands.js';
import { cleanLine } from '../../lib/text/cut.js';
import {
  formatCommandResult,
  type MemoryCommandResult,
  refusal,
} from '../../memory/commands/command-session.js';
import { admitActor } from '../admit.js';
import type { Dependencies } from '../dependencies.js';
import { UNPUBLISHED } from '../publish.js';
import type { RunReport, RunRequest } from '../records.js';
import { answerMemoryCommand } from './answer-memory-command.js';
import { isAboutFinding, runFindingCommand } from './end-finding.js';
import { done } from './open-agent-memory.js';
import { runPauseCommand } from './pause.js';
import { type MistypedCommand, type ReadCommand, readCommand } from './read-command.js';

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
    case 'paused':
    case 'resumed':
      return await runPauseCommand(command, request, deps);
    case 'memory':
      return await answerMemoryCommand(command.words, request, deps);
  }
}

/**
 * Answers `/axe help` and what is nearly a command, once for all agents that hear it, without an agent, its memory or a
 * model. Whoever may neither triage nor start a run gets no answer, so that no stranger makes a repository talk.
 */
async function answerHelp(
  command: Extract<ReadCommand, { kind: 'help' | 'mistyped' }>,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger } = command;
  const policy = helpPolicy(request.admissionPolicy);
  const access = await admitActor({ trigger, policy }, deps);
  if (access.kind === 'skipped') return access;
  deps.acknowledgement?.start();
  const result = command.kind === 'help' ? help(request.admissionPolicy) : mistyped(command);
  return {
    kind: 'memory-command',
    agent: request.agent,
    command: command.kind === 'help' ? 'help' : cleanLine(command.said, MAX_SAID),
    result,
    published: request.dryRun
      ? UNPUBLISHED
      : await deps.publisher.reply({
          trigger,
          agent: undefined,
          text: formatCommandResult(result),
          among: 'unless-answered',
        }),
  };
}

/** No bot is answered, whatever the workflow allows: two of them could go on for ever. */
function helpPolicy({ minPermission, allowUsers }: AdmissionPolicy): AdmissionPolicy {
  return { ...DEFAULT_ADMISSION_POLICY, minPermission: weaker(minPermission, 'triage'), allowUsers };
}

function help({ triggerPhrase }: AdmissionPolicy): MemoryCommandResult {
  const question = triggerPhrase === '' ? '' : ` A question to the agent says \`${triggerPhrase}\`.`;
  const text = `A comment that begins with one of these is a command.${question}\n\n${formatCommandTable()}`;
  return done(text, false);
}

const MAX_SAID = 60;

function mistyped({ said, meant }: MistypedCommand): MemoryCommandResult {
  const word = cleanLine(said, MAX_SAID).replaceAll('`', "'");
  const form = cleanLine(meant, MAX_SAID).replaceAll('`', "'");
  const remedy = `Did you mean \`${form}\`? \`/axe help\` lists the commands.`;
  return refusal('refused', `\`${word}\` is not a command`, remedy);
}
