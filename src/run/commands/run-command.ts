import { formatCommandTable } from '../../event/comment-commands.js';
import { type AdmissionPolicy, DEFAULT_ADMISSION_POLICY, weaker } from '../../event/permission.js';
import type { CommentTrigger } from '../../event/trigger.js';
import { AxeError } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/cut.js';
import {
  formatCommandResult,
  type MemoryCommandResult,
  type MemoryRefusal,
  refusal,
} from '../../memory/commands/command-session.js';
import { MIN_PREFIX } from '../../memory/commands/entry.js';
import { runMemoryCommand } from '../../memory/commands/memory-command.js';
import {
  hasSeveralCommands,
  isCommentCommand,
  type MemoryCommand,
  parseMemoryCommand,
} from '../../memory/commands/parse-memory-command.js';
import { isNotesPath } from '../../memory/notes/place.js';
import { admitActor } from '../admit.js';
import type { Dependencies } from '../dependencies.js';
import { UNPUBLISHED } from '../publish.js';
import type { RunReport, RunRequest } from '../records.js';
import { isAboutFinding, runFindingCommand } from './end-finding.js';
import {
  type AgentMemory,
  type CommandAnswer,
  DRY_RUN,
  done,
  keepCommandFacts,
  openAgentMemory,
  PEOPLES_COMMAND,
  READ_ONLY,
} from './open-agent-memory.js';
import { type ReadCommand, readCommand } from './read-command.js';
import { findToFix, fixRequest } from './start-fix.js';

/**
 * Carries out the command of a comment that takes no model; what comes back of `/axe fix` is the run to make. Undefined where
 * there is no command. Throws an AxeError.
 */
export async function runCommentCommand(
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport | { readonly kind: 'fix'; readonly request: RunRequest } | undefined> {
  const { trigger, dryRun, admissionPolicy } = request;
  const command = readCommand(trigger, admissionPolicy.triggerPhrase);
  if (command === undefined || trigger.kind !== 'comment') return undefined;
  const isReply = 'isReply' in command && command.isReply === true;
  if (isReply && !(await isAboutFinding(command, deps))) return undefined;
  const { acknowledgement: _, ...silent } = deps;
  return await answerCommand(command, trigger, request, dryRun ? silent : deps);
}

async function answerCommand(
  command: ReadCommand,
  trigger: CommentTrigger,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport | { readonly kind: 'fix'; readonly request: RunRequest }> {
  if (command.kind === 'help' || command.kind === 'mistyped') return await answerHelp(command, request, deps);
  const opened = await openAgentMemory(request, PEOPLES_COMMAND, deps);
  if (opened.kind === 'skipped') return opened;
  const agent = opened.agent.name;
  const answer =
    command.kind === 'fix'
      ? await findToFix(command, opened, deps)
      : await carryOut(command, opened, request, deps);
  if (!('result' in answer)) return { kind: 'fix', request: fixRequest(request, trigger, answer) };
  const { result, isAnothers = false, isSilent = false, ...told } = answer;
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  if (!isAnothers && !isSilent) deps.acknowledgement?.start();
  const reply = { trigger, agent, text: formatCommandResult(result), ...told };
  const published = isSilent || request.dryRun ? UNPUBLISHED : await deps.publisher.reply(reply);
  return { kind: 'memory-command', agent, command: nameOf(command), result, published };
}

type AgentCommand = Exclude<ReadCommand, { kind: 'help' } | { kind: 'mistyped' }>;

async function carryOut(
  command: Exclude<AgentCommand, { kind: 'fix' }>,
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
    case 'fix':
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

/**
 * Does what people who may write want with an agent's memory in a comment (`/axe forget …`), in the store that its runs
 * use; `words` are the command and what belongs to it. No word that memory says is in the answer.
 *
 * Several agents may hear a comment. What none of them can do, and what is not in an agent's memory, is answered once; the
 * agent whose entry it is has the last word. Each of them remembers.
 */
async function answerMemoryCommand(
  words: readonly string[],
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const result = await runInMemory(words, opened, request, deps);
  if (result.kind === 'done') for (const warning of result.warnings ?? []) deps.reporter.warn(warning);
  if (words[0] === 'remember') return { result };
  const isAnybodys =
    result.kind === 'failed' && (result.reason === 'not-found' || result.reason === 'refused');
  return {
    result,
    among: isAnybodys ? 'unless-answered' : 'for-all',
    isAnothers: isForOthers(result),
  };
}

/** The entry may be another agent's. */
function isForOthers(result: MemoryCommandResult): result is MemoryRefusal {
  return result.kind === 'failed' && result.reason === 'not-found';
}

async function runInMemory(
  words: readonly string[],
  { agent, memory }: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const command = readComment(words, request);
  if (command.kind === 'failed') return command;
  if (memory === undefined) {
    const reason = command.kind === 'remember' ? 'refused' : 'not-found';
    const remedy = 'Set `enabled = true` in `[memory]` of the agent.';
    return refusal(reason, `the agent "${agent.name}" has no memory`, remedy);
  }
  if (request.dryRun) return DRY_RUN;
  if (request.isMemoryReadOnly) return READ_ONLY;
  const { store, plan } = memory;
  const { provenance } = plan;
  const result = await runMemoryCommand(command, {
    store,
    path: plan.path,
    clock: deps.clock,
    // The command is all that this run does, so it ends with it.
    signal: deps.deadline.signal,
    secrets: deps.secrets,
    readBase: agent.config.memory.notes ? deps.readBase : undefined,
    // No model had a part in it, and an event's commit is not what it is about.
    origin: provenance === undefined ? undefined : { ...provenance, model: undefined, sha: undefined },
  });
  // Nobody has an entry by the beginning of an id that is too short, so the sender is told, and by all.
  const isTooShort = command.kind !== 'remember' && 'id' in command && command.id.length < MIN_PREFIX;
  return isTooShort && isForOthers(result) ? { ...result, reason: 'refused' } : result;
}

function readComment(words: readonly string[], { trigger }: RunRequest): MemoryCommand | MemoryRefusal {
  const [name = '', id = ''] = words;
  if (hasSeveralCommands(trigger))
    return refusal('refused', 'a comment can hold one command', 'Write each in its own comment.');
  if (!isCommentCommand(name)) return notInComment(name);
  // A note is a whole file of everybody's, which one line of a comment is not to delete.
  if (name === 'forget' && isNotesPath(id)) return notInComment('forget <path of a note>');
  if (name === 'forget' && words.includes('--purge')) return notInComment('forget --purge');
  try {
    return parseMemoryCommand(words, { prefix: '/axe' });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return refusal('refused', thrown.message, thrown.remedy);
  }
}

function notInComment(command: string): MemoryRefusal {
  const [name = ''] = command.split(' ');
  return refusal(
    'refused',
    `\`${command}\` cannot be asked for in a comment`,
    `Run \`axe-action memory ${name} <agent> --repo <owner/name>\` on the command line. In a comment there are \`/axe remember <text>\`, \`/axe forget <id>\` and \`/axe promote <id>\`; a question to the agent does not begin with \`/axe\`.`,
  );
}
