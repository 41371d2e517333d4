import { formatCommandTable } from '../../event/comment-commands.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, weaker } from '../../event/permission.js';
import type { CommentTrigger } from '../../event/trigger.js';
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
import {
  type AgentMemory,
  type CommandAnswer,
  done,
  keepCommandFacts,
  openAgentMemory,
  PEOPLES_COMMAND,
} from './open-agent-memory.js';
import { type ReadCommand, readCommand } from './read-command.js';

/** Carries out the command of a comment that takes no model; undefined where there is none. Throws an AxeError. */
export async function runCommentCommand(
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const { trigger, dryRun, admissionPolicy } = request;
  const command = readCommand(trigger, admissionPolicy.triggerPhrase);
  if (command === undefined || trigger.kind !== 'comment') return undefined;
  if (command.kind === 'finding' && command.isReply === true && !(await isAboutFinding(command, deps)))
    return undefined;
  const { acknowledgement: _, ...silent } = deps;
  return await answerCommand(command, trigger, request, dryRun ? silent : deps);
}

async function answerCommand(
  command: ReadCommand,
  trigger: CommentTrigger,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  if (command.kind === 'help' || command.kind === 'mistyped') return await answerHelp(command, request, deps);
  const opened = await openAgentMemory(request, PEOPLES_COMMAND, deps);
  if (opened.kind === 'skipped') return opened;
  const agent = opened.agent.name;
  const answer = await carryOut(command, opened, request, deps);
  const { result, isAnothers = false, isSilent = false, ...told } = answer;
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  if (!isAnothers && !isSilent) deps.acknowledgement?.start();
  const reply = { trigger, agent, text: formatCommandResult(result), ...told };
  const published = isSilent || request.dryRun ? UNPUBLISHED : await deps.publisher.reply(reply);
  return { kind: 'memory-command', agent, command: nameOf(command), result, published };
}

type AgentCommand = Exclude<ReadCommand, { kind: 'help' } | { kind: 'mistyped' }>;

async function carryOut(
  command: AgentCommand,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  switch (command.kind) {
    case 'finding':
      return await runFindingCommand(command, opened, request, deps);
    case 'memory':
      return await answerMemoryCommand(command.words, opened, request, deps);
    default:
      return { result: await pause(command.kind === 'paused', opened, request, deps) };
  }
}

function nameOf(command: AgentCommand): string {
  switch (command.kind) {
    case 'finding':
      return command.verb;
    case 'memory':
      return command.words[0] ?? '';
    default:
      return command.kind === 'paused' ? 'pause' : 'resume';
  }
}

/** Stops the runs of a pull request, or lets them go on. */
async function pause(
  isPaused: boolean,
  opened: AgentMemory,
  { trigger, dryRun, isMemoryReadOnly }: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') {
    const message = 'only runs on a pull request can be paused';
    return refusal('refused', message, 'Write it below the pull request.');
  }
  const by = trigger.actor.login;
  const kind = isPaused ? 'paused' : 'resumed';
  const fact = { kind, pull: trigger.number, by, at: deps.clock.now().getTime() } as const;
  const trouble = await keepCommandFacts(opened, [fact], { dryRun, isMemoryReadOnly }, deps);
  if (trouble !== undefined) return trouble;
  const which = isPaused ? 'paused' : 'no longer paused';
  return done(`Runs of \`${opened.agent.name}\` on this pull request are ${which}.`, true);
}

/**
 * Answers `/axe help` and what is nearly a command, once for all agents that hear it, without an agent, its memory or a
 * model. Whoever may neither triage nor start a run gets no answer, so that no stranger makes a repository talk.
 */
async function answerHelp(
  command: Extract<ReadCommand, { kind: 'help' | 'mistyped' }>,
  { trigger, agent, dryRun, admissionPolicy }: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { minPermission, allowUsers } = admissionPolicy;
  // No bot is answered, whatever the workflow allows: two of them could go on for ever.
  const access = await admitActor(
    {
      trigger,
      policy: { ...DEFAULT_ADMISSION_POLICY, minPermission: weaker(minPermission, 'triage'), allowUsers },
    },
    deps,
  );
  if (access.kind === 'skipped') return access;
  deps.acknowledgement?.start();
  const result = command.kind === 'mistyped' ? mistyped(command.said, command.meant) : help(admissionPolicy);
  const text = formatCommandResult(result);
  const answer = { trigger, agent: undefined, text, among: 'unless-answered' } as const;
  return {
    kind: 'memory-command',
    agent,
    command: command.kind === 'mistyped' ? cleanLine(command.said, MAX_SAID) : 'help',
    result,
    published: dryRun ? UNPUBLISHED : await deps.publisher.reply(answer),
  };
}

function help({ triggerPhrase }: AdmissionPolicy): MemoryCommandResult {
  const question = triggerPhrase === '' ? '' : ` A question to the agent says \`${triggerPhrase}\`.`;
  const text = `A comment that begins with one of these is a command.${question}\n\n${formatCommandTable()}`;
  return done(text, false);
}

const MAX_SAID = 60;

function mistyped(said: string, meant: string): MemoryCommandResult {
  const [word, form] = [said, meant].map((text) => cleanLine(text, MAX_SAID).replaceAll('`', "'"));
  const remedy = `Did you mean \`${form}\`? \`/axe help\` lists the commands.`;
  return refusal('refused', `\`${word}\` is not a command`, remedy);
}
