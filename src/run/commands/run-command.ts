import { hasNotes } from '../../agent/built-in.js';
import { closestWord } from '../../agent/suggest.js';
import { COMMENT_COMMANDS, listForHelp } from '../../event/comment-commands.js';
import { findMention } from '../../event/mention.js';
import { type CommentTrigger, subjectNumber, type Trigger } from '../../event/trigger.js';
import { DEFAULT_ADMISSION_POLICY, weakerPermission } from '../../event/trust.js';
import { parseHandle } from '../../findings/finding.js';
import { isDismissalPhrase } from '../../findings/read/peoples-words.js';
import { CHECK_LIMITS } from '../../lib/defaults.js';
import { AxeError } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/format.js';
import { isNotesPath } from '../../memory/paths.js';
import { isOwnText } from '../../safety/mark.js';
import { admitActor } from '../admit.js';
import type { Dependencies } from '../dependencies.js';
import {
  type MemoryCommand,
  type MemoryCommandResult,
  type MemoryRefusal,
  parseMemoryCommand,
  refusal,
} from '../memory-commands/command-session.js';
import { formatCommandResult } from '../memory-commands/command-texts.js';
import { runMemoryCommand } from '../memory-commands/memory-command.js';
import { UNPUBLISHED } from '../publish.js';
import type { RunReport, RunRequest } from '../records.js';
import { runCheckCommand } from './check.js';
import {
  type AgentMemory,
  type CheckCommand,
  type CommandAnswer,
  commandDone,
  DRY_RUN,
  type FindingCommand,
  type FixCommand,
  keepCommandFacts,
  openAgentMemory,
  READ_ONLY,
  type TestCommand,
} from './command.js';
import { findToFix, fixRequest, isAboutFinding, runFindingCommand } from './findings.js';
import { formatHelpReply, formatPaused } from './reply-texts.js';
import { findToShow, showRequest } from './test-finding.js';

type StartedRun = { readonly kind: 'start'; readonly request: RunRequest };

/**
 * Carries out the command of a comment without a model; for `/axe fix` and `/axe test` it returns the
 * run to start. Undefined if there is no command. Throws an AxeError.
 */
export async function runCommentCommand(
  request: RunRequest,
  { acknowledgement, ...world }: Dependencies,
): Promise<RunReport | StartedRun | undefined> {
  const { trigger, dryRun, admissionPolicy } = request;
  const deps: Dependencies = dryRun ? world : { ...world, acknowledgement };
  const command = readCommand(trigger, admissionPolicy.triggerPhrase);
  if (command === undefined || trigger.kind !== 'comment') return undefined;
  if ('isReply' in command && command.isReply === true && !(await isAboutFinding(command, deps)))
    return undefined;
  if (command.verb === 'help' || command.verb === 'mistyped' || command.verb === 'ask')
    return await answerHelp(command, request, deps);

  // Only people with write access can give commands.
  const opened = await openAgentMemory(request, DEFAULT_ADMISSION_POLICY, deps);
  if (opened.kind === 'skipped') return opened;
  const agent = opened.agent.name;
  const answer =
    command.verb === 'fix' || command.verb === 'test'
      ? await startRun(command, opened, request, deps)
      : await carryOut(command, opened, request, deps);
  if ('kind' in answer) return answer;

  const { result, isSilent: isForOtherAgent = false, ...replyOptions } = answer;
  // A plain sentence is not an explicit command, so no failure is reported.
  const isFailedPhrase = 'isReply' in command && command.isReply === true && result.kind !== 'done';
  const isSilent = isForOtherAgent || isFailedPhrase;
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  if (!isSilent) deps.acknowledgement?.start();

  const reply = { trigger, agent, text: formatCommandResult(result), ...replyOptions };
  const published = isSilent || dryRun ? UNPUBLISHED : await deps.publisher.reply(reply);
  return { kind: 'memory-command', agent, command: command.verb, result, published };
}

/** The run of a command that asks a model, or the answer if there is none. */
async function startRun(
  command: FixCommand | TestCommand,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<StartedRun | CommandAnswer> {
  const { trigger } = command;
  if (command.verb === 'test') {
    const answer = await findToShow(command, opened, request, deps);
    return 'result' in answer
      ? answer
      : { kind: 'start', request: showRequest(request, trigger, answer) };
  }
  const answer = await findToFix(command, opened, deps);
  return 'result' in answer
    ? answer
    : { kind: 'start', request: fixRequest(request, trigger, answer) };
}

async function carryOut(
  command: Exclude<ReadCommand, HelpCommand | FixCommand | TestCommand>,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  if ('check' in command) return await runCheckCommand(command, opened, request, deps);
  if ('handle' in command) return await runFindingCommand(command, opened, request, deps);
  if ('words' in command) return await answerMemoryCommand(command, opened, request, deps);
  return { result: await pause(command.verb === 'pause', opened, request, deps) };
}

/** Pauses or resumes the runs on a pull request. */
async function pause(
  isPaused: boolean,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const { trigger } = request;
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') {
    const message = 'only runs on a pull request can be paused';
    return refusal('refused', message, 'Write it below the pull request.');
  }

  const by = trigger.actor.login;
  const kind = isPaused ? 'paused' : 'resumed';
  const fact = { kind, pull: trigger.number, by, at: deps.clock.now().getTime() } as const;
  const failure = await keepCommandFacts(opened, [fact], request, deps);
  if (failure !== undefined) return failure;

  return commandDone(formatPaused(opened.agent.name, isPaused), true);
}

const MAX_QUOTED = 60;

/**
 * Answers `/axe help`, `/axe ask` without a question and mistyped commands, once for all agents that
 * hear the comment, without an agent, its memory or a model. People who can neither triage nor start
 * a run get no answer, so that strangers cannot make a repository post comments.
 */
async function answerHelp(
  command: HelpCommand,
  { trigger, agent, dryRun, admissionPolicy }: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { minPermission, allowUsers, triggerPhrase } = admissionPolicy;
  // Bots get no answer, whatever the workflow allows: two of them could answer each other for ever.
  const policy = {
    ...DEFAULT_ADMISSION_POLICY,
    minPermission: weakerPermission(minPermission, 'triage'),
    allowUsers,
  };
  const access = await admitActor({ trigger, policy }, deps);
  if (access.kind === 'skipped') return access;
  deps.acknowledgement?.start();

  const name = command.verb === 'mistyped' ? cleanLine(command.said, MAX_QUOTED) : command.verb;
  const allowsChanges = deps.changes !== undefined;
  const result = answerTo(command, { triggerPhrase, allowsChanges });
  const text = formatCommandResult(result);
  const answer = { trigger, agent: undefined, text, among: 'unless-answered' } as const;
  const published = dryRun ? UNPUBLISHED : await deps.publisher.reply(answer);
  return { kind: 'memory-command', agent, command: name, result, published };
}

/** The workflow, as far as it decides what people can ask for. */
interface HeardHere {
  readonly triggerPhrase: string;
  readonly allowsChanges: boolean;
}

function answerTo(command: HelpCommand, workflow: HeardHere): MemoryCommandResult {
  switch (command.verb) {
    case 'ask':
      return refusal('refused', '`/axe ask` has no question', 'Write the question after it.');
    case 'mistyped':
      return suggestCommand(command);
    case 'help':
      return listCommands(workflow);
  }
}

function suggestCommand({
  said,
  meant,
}: Extract<ReadCommand, { verb: 'mistyped' }>): MemoryCommandResult {
  const quote = (text: string) => `\`${cleanLine(text, MAX_QUOTED).replaceAll('`', "'")}\``;
  const remedy = `Did you mean ${quote(meant)}? \`/axe help\` lists the commands.`;
  return refusal('refused', `${quote(said)} is not a command`, remedy);
}

function listCommands({ triggerPhrase, allowsChanges }: HeardHere): MemoryCommandResult {
  const hasOwnPhrase = triggerPhrase !== '' && triggerPhrase.toLowerCase() !== '/axe';
  const ownPhrase = hasOwnPhrase ? triggerPhrase : '';
  return commandDone(formatHelpReply(listForHelp(allowsChanges), ownPhrase), false);
}

/**
 * Carries out a command over an agent's memory (`/axe forget …`) for people with write access, in
 * the store that the agent's runs use. The answer never quotes the memory.
 *
 * Several agents can hear a comment. A command that no agent can carry out, or whose entry an agent
 * does not have, is answered once; the agent that has the entry decides the answer. `remember`
 * applies to each of them.
 */
async function answerMemoryCommand(
  command: CommentMemoryCommand,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  const result = await runInMemory(command, opened, request, deps);
  if (result.kind === 'done')
    for (const warning of result.warnings ?? []) deps.reporter.warn(warning);
  if (command.verb === 'remember') return { result };

  const canAnyAgentAnswer =
    result.kind === 'failed' && (result.reason === 'not-found' || result.reason === 'refused');
  return { result, among: canAnyAgentAnswer ? 'unless-answered' : 'for-all' };
}

async function runInMemory(
  { verb, words }: CommentMemoryCommand,
  { agent, memory }: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const [id = ''] = words;
  // A note is a whole file that all agents share, which one line of a comment must not delete.
  // Comments never show memory.
  const isForgetting = verb === 'forget' && !isNotesPath(id) && !words.includes('--purge');
  if (!isForgetting && verb !== 'promote' && verb !== 'remember') {
    const remedy = `Run \`axe-action memory ${verb} <agent> --repo <owner/name>\` on the command line. A question to the agent does not begin with \`/axe\`.`;
    const line = cleanLine([verb, ...words].join(' '), MAX_QUOTED).replaceAll('`', "'");
    return refusal('refused', `\`${line}\` cannot be asked for in a comment`, remedy);
  }

  const command = readWords(verb, words);
  if (command.kind === 'failed') return command;
  if (memory === undefined) {
    const remedy = 'Set `enabled = true` in `[memory]` of the agent.';
    const reason = verb === 'remember' ? 'refused' : 'not-found';
    return refusal(reason, `the agent "${agent.name}" has no memory`, remedy);
  }
  if (request.dryRun) return DRY_RUN;
  if (request.isMemoryReadOnly) return READ_ONLY;

  const { store, plan } = memory;
  const { provenance } = plan;
  const number = subjectNumber(request.trigger);
  return await runMemoryCommand(command, {
    store,
    path: plan.path,
    clock: deps.clock,
    // The run does nothing but this command, so the run's signal ends it.
    signal: deps.deadline.signal,
    secrets: deps.secrets.values,
    readBase: hasNotes(agent) ? deps.readBase : undefined,
    // No model took part, and the command is not about the event's commit.
    origin: provenance && {
      ...provenance,
      model: undefined,
      sha: undefined,
      on: number === undefined ? undefined : `#${number}`,
    },
  });
}

function readWords(verb: string, words: readonly string[]): MemoryCommand | MemoryRefusal {
  try {
    return parseMemoryCommand([verb, ...words], { prefix: '/axe' });
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return refusal('refused', thrown.message, thrown.remedy);
  }
}

interface CommentMemoryCommand {
  readonly verb: 'remember' | 'forget' | 'promote' | 'show' | 'search';
  /** The words after the verb on the first line; for `remember` one text with its line breaks. */
  readonly words: readonly string[];
}

/** Commands that every agent answers in the same way. */
type HelpCommand =
  | { readonly verb: 'help' }
  /** Without a question. */
  | { readonly verb: 'ask' }
  /** `said` is not a command; `meant` is the most likely one, in its correct form. */
  | { readonly verb: 'mistyped'; readonly said: string; readonly meant: string };

type ReadCommand =
  | HelpCommand
  | { readonly verb: 'pause' | 'resume' }
  | CommentMemoryCommand
  | FindingCommand
  | CheckCommand
  | FixCommand
  | TestCommand;

/**
 * Reads a command at the beginning of a comment (`/axe help`), a command after the `trigger-phrase`
 * without other words (`@axe help`), or a reply that dismisses a finding in a set phrase. Undefined
 * for comments that an agent answers: a question, `/axe ask why`, and `/axe review`.
 * @internal
 */
export function readCommand(trigger: Trigger, triggerPhrase: string): ReadCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const slash = SLASH.exec(trigger.body.replaceAll(/\r\n?/g, '\n'));
  if (slash !== null) {
    const [, line = '', below = ''] = slash;
    if (line.trim() !== '') return readLine(line.trim(), below, trigger);
    // The next lines can contain a question.
    return below.trim() === '' ? { verb: 'help' } : undefined;
  }
  const task = triggerPhrase === '' ? undefined : findMention(trigger.body, triggerPhrase);
  return task === undefined ? replyCommand(trigger) : readTask(task.trim(), trigger);
}

/** `/axe` on the first line with a text; four spaces before it would make it code. */
const SLASH = /^(?:[ \t]*\n)* {0,3}\/axe(?:[ \t]+(.*))?(?:\n([\s\S]*))?$/i;

/** "Not a bug" in a thread dismisses its finding, as the next run would understand it. */
function replyCommand(trigger: CommentTrigger): FindingCommand | undefined {
  const isReply = trigger.on === 'pull_request' && trigger.inReplyTo !== undefined;
  if (!isReply || isOwnText(trigger.body) || !isDismissalPhrase(trigger.body)) return undefined;
  return { verb: 'dismiss', handle: undefined, trigger, isReply: true };
}

/**
 * After the phrase a command has no other words: `@axe help`, but not `@axe help me with the
 * cache`.
 */
function readTask(task: string, trigger: CommentTrigger): ReadCommand | undefined {
  if (FIX_THIS.test(task)) {
    // Outside of a thread these words ask the agent for something else.
    if (trigger.inReplyTo === undefined) return undefined;
    return { verb: 'fix', handle: undefined, isAll: false, trigger, isReply: true };
  }

  const [, second, ...more] = task.split(/\s+/);
  const isAlone =
    second === undefined || FIX_ALL.test(task) || (more.length === 0 && isName(second));
  const command = isAlone && !task.includes('\n') ? readLine(task, '', trigger) : undefined;
  // `@axe search config2` is a question, and so is `@axe test` outside of a thread.
  const isNoCommand = command !== undefined && ('words' in command || isTestOfNothing(command));
  return isNoCommand ? undefined : command;
}

function isTestOfNothing(command: ReadCommand): boolean {
  if (command.verb !== 'test') return false;
  return command.handle === undefined && command.trigger.inReplyTo === undefined;
}

const FIX_THIS = /^fix(?:[ \t]+(?:this|it))?[.!]*$/i;
const FIX_ALL = /^fix[ \t]+all[.!]*$/i;

function readLine(line: string, below: string, trigger: CommentTrigger): ReadCommand | undefined {
  const [first = '', ...rest] = line.split(/\s+/);
  const verb = first.toLowerCase();
  const handle = parseHandle(rest[0] ?? '');
  switch (verb) {
    case 'help':
      // With more words it is a question to the agent.
      return rest.length === 0 ? { verb } : undefined;
    case 'ask':
      return rest.length === 0 && below.trim() === '' ? { verb } : undefined;
    case 'pause':
    case 'resume':
      return { verb };
    case 'dismiss':
    case 'done':
    case 'reopen':
      return checkCommand(line, trigger) ?? { verb, handle, trigger };
    case 'fix': {
      const isAll = FIX_ALL.test(line);
      const isAlone = rest.length === (handle === undefined ? 0 : 1);
      if (isAlone || isAll || FIX_THIS.test(line)) return { verb, handle, isAll, trigger };
      return handle === undefined
        ? undefined
        : { verb: 'mistyped', said: line, meant: `/axe fix ${handle}` };
    }
    case 'test':
      if (rest.length === (handle === undefined ? 0 : 1)) return { verb, handle, trigger };
      return handle === undefined
        ? undefined
        : { verb: 'mistyped', said: line, meant: `/axe test ${handle}` };
    case 'remember': {
      const quoted = `${line.slice(first.length)}\n${below}`.trim();
      // Quotes around the whole text are removed.
      const text = /^"[^"]*"$|^'[^']*'$/.test(quoted) ? quoted.slice(1, -1) : quoted;
      return { verb, words: text === '' ? [] : [text] };
    }
    // Comments cannot do all of these, but they are commands anyway, so a mistake costs no model.
    case 'forget':
    case 'promote':
    case 'show':
    case 'search':
      return { verb, words: rest.map((word) => word.replace(/^[`"']+|[`"']+$/g, '')) };
    default: {
      const likelyCommand = findLikelyCommand(verb, rest);
      return likelyCommand === undefined
        ? undefined
        : { verb: 'mistyped', said: line, meant: likelyCommand };
    }
  }
}

/** Below a pull request, a name in quotes is that of a check; in a thread it is a reason. */
function checkCommand(line: string, trigger: CommentTrigger): CheckCommand | undefined {
  const [, verb = '', check = '', reason = ''] = NAMED_CHECK.exec(line) ?? [];
  const isCheck = check.trim() !== '' && parseHandle(check) === undefined;
  if (!isCheck || trigger.inReplyTo !== undefined) return undefined;
  return {
    verb: verb.toLowerCase() === 'reopen' ? 'reopen' : 'dismiss',
    check: cleanLine(check, CHECK_LIMITS.nameCharacters),
    why: cleanLine(reason, MAX_CHECK_WHY),
    trigger,
  };
}

const NAMED_CHECK = /^(dismiss|reopen)\s+["“”„]([^"“”]+)["“”]\s*(.*)$/i;
const MAX_CHECK_WHY = 160;

/**
 * The name of a finding, or the id of an entry, which has a digit unlike a word such as `added`.
 */
function isName(word: string): boolean {
  return (
    parseHandle(word) !== undefined || /^[`"']?(?=[a-z-]*\d)[0-9a-z-]{6,40}[`"']?$/i.test(word)
  );
}

/** Shorter words are similar to too many others. */
const MIN_MISTYPED = 4;

/** The most likely command for a mistyped line; other words after it make it a question. */
function findLikelyCommand(verb: string, rest: readonly string[]): string | undefined {
  const [word] = rest;
  const isArgument = word === undefined || isName(word) || /^(?:full|all)$/i.test(word);
  if (verb.length < MIN_MISTYPED || rest.length > 1 || !isArgument) return undefined;

  const names = COMMENT_COMMANDS.map(({ name }) => name);
  const closest = closestWord(verb, names);
  const isCorrection = closest !== undefined && closest !== verb;
  return isCorrection ? ['/axe', closest, ...rest].join(' ') : undefined;
}
