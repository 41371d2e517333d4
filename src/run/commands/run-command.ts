import { closestWord } from '../../agent/suggest.js';
import { COMMENT_COMMANDS, formatCommandTable } from '../../event/comment-commands.js';
import { findMention } from '../../event/mention.js';
import type { CommentTrigger, Trigger } from '../../event/trigger.js';
import { classifyTrust, DEFAULT_ADMISSION_POLICY, weakerPermission } from '../../event/trust.js';
import { parseHandle } from '../../findings/finding.js';
import { isDismissalPhrase } from '../../findings/read/peoples-words.js';
import { AxeError } from '../../lib/errors.js';
import { cleanLine } from '../../lib/text/format.js';
import { isNotesPath } from '../../memory/paths.js';
import { isOwnText } from '../../safety/mark.js';
import { admitActor } from '../admit.js';
import type { Dependencies } from '../dependencies.js';
import {
  formatCommandResult,
  type MemoryCommand,
  type MemoryCommandResult,
  type MemoryRefusal,
  parseMemoryCommand,
  refusal,
} from '../memory-commands/command-session.js';
import { runMemoryCommand } from '../memory-commands/memory-command.js';
import { UNPUBLISHED } from '../publish.js';
import type { RunReport, RunRequest } from '../records.js';
import {
  type AgentMemory,
  type CommandAnswer,
  commandDone,
  DRY_RUN,
  type FindingCommand,
  type FixCommand,
  keepCommandFacts,
  openAgentMemory,
  READ_ONLY,
} from './command.js';
import { findToFix, fixRequest, isAboutFinding, runFindingCommand } from './findings.js';

type FixRun = { readonly kind: 'fix'; readonly request: RunRequest };

/**
 * Carries out the command of a comment that takes no model; what comes back of `/axe fix` is the
 * run to make. Undefined where there is no command. Throws an AxeError.
 */
export async function runCommentCommand(
  request: RunRequest,
  { acknowledgement, ...world }: Dependencies,
): Promise<RunReport | FixRun | undefined> {
  const { trigger, dryRun, admissionPolicy } = request;
  const deps: Dependencies = dryRun ? world : { ...world, acknowledgement };
  const command = readCommand(trigger, admissionPolicy.triggerPhrase);
  if (command === undefined || trigger.kind !== 'comment') return undefined;
  if ('isReply' in command && command.isReply === true && !(await isAboutFinding(command, deps)))
    return undefined;
  if (command.verb === 'help' || command.verb === 'mistyped')
    return await answerHelp(command, request, deps);
  // Only people with write access give commands.
  const trust = () => classifyTrust(trigger, { actor: 'write', author: 'write' });
  const opened = await openAgentMemory(request, DEFAULT_ADMISSION_POLICY, trust, deps);
  if (opened.kind === 'skipped') return opened;
  const agent = opened.agent.name;
  const answer =
    command.verb === 'fix'
      ? await findToFix(command, opened, deps)
      : await carryOut(command, opened, request, deps);
  if (!('result' in answer)) return { kind: 'fix', request: fixRequest(request, trigger, answer) };
  const { result, isSilent: isLeft = false, ...told } = answer;
  // A plain sentence requests nothing, so no failure is reported.
  const isUnasked =
    command.verb === 'dismiss' && command.isReply === true && result.kind !== 'done';
  const isSilent = isLeft || isUnasked;
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  if (!isSilent) deps.acknowledgement?.start();
  const reply = { trigger, agent, text: formatCommandResult(result), ...told };
  const published = isSilent || dryRun ? UNPUBLISHED : await deps.publisher.reply(reply);
  return { kind: 'memory-command', agent, command: command.verb, result, published };
}

async function carryOut(
  command: Exclude<ReadCommand, { verb: 'help' | 'mistyped' | 'fix' }>,
  opened: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<CommandAnswer> {
  if ('handle' in command) return await runFindingCommand(command, opened, request, deps);
  if ('words' in command) return await answerMemoryCommand(command, opened, request, deps);
  return { result: await pause(command.verb === 'pause', opened, request, deps) };
}

/** Stops the runs of a pull request, or lets them go on. */
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
  const trouble = await keepCommandFacts(opened, [fact], request, deps);
  if (trouble !== undefined) return trouble;
  const which = isPaused ? 'paused' : 'no longer paused';
  return commandDone(`Runs of \`${opened.agent.name}\` on this pull request are ${which}.`, true);
}

const MAX_SAID = 60;

/**
 * Answers `/axe help` and what is nearly a command, once for all agents that hear it, without an
 * agent, its memory or a model. Whoever may neither triage nor start a run gets no answer, so that
 * no stranger makes a repository talk.
 */
async function answerHelp(
  command: Extract<ReadCommand, { verb: 'help' | 'mistyped' }>,
  { trigger, agent, dryRun, admissionPolicy }: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { minPermission, allowUsers, triggerPhrase } = admissionPolicy;
  // No bot is answered, whatever the workflow allows: two of them could go on for ever.
  const policy = {
    ...DEFAULT_ADMISSION_POLICY,
    minPermission: weakerPermission(minPermission, 'triage'),
    allowUsers,
  };
  const access = await admitActor({ trigger, policy }, deps);
  if (access.kind === 'skipped') return access;
  deps.acknowledgement?.start();
  let result: MemoryCommandResult;
  let name = 'help';
  if (command.verb === 'mistyped') {
    name = cleanLine(command.said, MAX_SAID);
    const [word, form] = [name, cleanLine(command.meant, MAX_SAID)].map((text) =>
      text.replaceAll('`', "'"),
    );
    const remedy = `Did you mean \`${form}\`? \`/axe help\` lists the commands.`;
    result = refusal('refused', `\`${word}\` is not a command`, remedy);
  } else {
    const question =
      triggerPhrase === '' ? '' : ` A question to the agent says \`${triggerPhrase}\`.`;
    const text = `A comment that begins with one of these is a command.${question}\n\n${formatCommandTable()}`;
    result = commandDone(text, false);
  }
  const text = formatCommandResult(result);
  const answer = { trigger, agent: undefined, text, among: 'unless-answered' } as const;
  const published = dryRun ? UNPUBLISHED : await deps.publisher.reply(answer);
  return { kind: 'memory-command', agent, command: name, result, published };
}

/**
 * Does what people who may write want with an agent's memory in a comment (`/axe forget …`), in the
 * store that its runs use. No word that memory says is in the answer.
 *
 * Several agents may hear a comment. What none of them can do, and what is not in an agent's
 * memory, is answered once; the agent whose entry it is has the last word. Each of them remembers.
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
  const isAnybodys =
    result.kind === 'failed' && (result.reason === 'not-found' || result.reason === 'refused');
  return { result, among: isAnybodys ? 'unless-answered' : 'for-all' };
}

async function runInMemory(
  { verb, words }: CommentMemoryCommand,
  { agent, memory }: AgentMemory,
  request: RunRequest,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const [id = ''] = words;
  // A note is a whole file of everybody's, which one line of a comment is not to delete, and no
  // comment shows any memory.
  const isForgetting = verb === 'forget' && !isNotesPath(id) && !words.includes('--purge');
  if (!isForgetting && verb !== 'promote' && verb !== 'remember') {
    const remedy = `Run \`axe-action memory ${verb} <agent> --repo <owner/name>\` on the command line. A question to the agent does not begin with \`/axe\`.`;
    const what = cleanLine([verb, ...words].join(' '), MAX_SAID).replaceAll('`', "'");
    return refusal('refused', `\`${what}\` cannot be asked for in a comment`, remedy);
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
  return await runMemoryCommand(command, {
    store,
    path: plan.path,
    clock: deps.clock,
    // The command is all that this run does, so it ends with it.
    signal: deps.deadline.signal,
    secrets: deps.secrets,
    readBase: agent.config.memory.notes ? deps.readBase : undefined,
    // No model had a part in it, and an event's commit is not what it is about.
    origin:
      provenance === undefined ? undefined : { ...provenance, model: undefined, sha: undefined },
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
  /**
   * What follows the verb: of `remember` one text, line breaks included, of the others the words of
   * the first line.
   */
  readonly words: readonly string[];
}

type ReadCommand =
  | { readonly verb: 'help' }
  | { readonly verb: 'pause' | 'resume' }
  | CommentMemoryCommand
  | FindingCommand
  | FixCommand
  /**
   * `said` is not a command; `meant` is the one that it most likely stands for, as it is written.
   */
  | { readonly verb: 'mistyped'; readonly said: string; readonly meant: string };

/**
 * The command that a comment begins with, `/axe help`, or that follows the `trigger-phrase` where
 * the comment says nothing else, `@axe help`; or a reply that dismisses a finding in a set phrase.
 * Undefined for what an agent is to answer: a question, and `/axe review`.
 */
export function readCommand(trigger: Trigger, triggerPhrase: string): ReadCommand | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const slash = SLASH.exec(trigger.body.replaceAll(/\r\n?/g, '\n'));
  if (slash !== null) {
    const [, line = '', below = ''] = slash;
    if (line.trim() !== '') return readLine(line.trim(), below, trigger);
    // A question may follow on the next lines.
    return below.trim() === '' ? { verb: 'help' } : undefined;
  }
  const task = triggerPhrase === '' ? undefined : findMention(trigger.body, triggerPhrase);
  return task === undefined ? replyCommand(trigger) : readTask(task.trim(), trigger);
}

/** `/axe` on the first line that says something; four spaces before it would make it code. */
const SLASH = /^(?:[ \t]*\n)* {0,3}\/axe(?:[ \t]+(.*))?(?:\n([\s\S]*))?$/i;

/**
 * "Not a bug" in a conversation on a line dismisses what began it, as the next run would understand
 * it.
 */
function replyCommand(trigger: CommentTrigger): FindingCommand | undefined {
  const isReply = trigger.on === 'pull_request' && trigger.inReplyTo !== undefined;
  if (!isReply || isOwnText(trigger.body) || !isDismissalPhrase(trigger.body)) return undefined;
  return { verb: 'dismiss', handle: undefined, trigger, isReply: true };
}

/**
 * After the phrase a command is all that the comment says: `@axe help`, and not `@axe help me with
 * the cache`.
 */
function readTask(task: string, trigger: CommentTrigger): ReadCommand | undefined {
  if (FIX_THIS.test(task)) {
    // Elsewhere the agent is meant, and another thing.
    if (trigger.inReplyTo === undefined) return undefined;
    return { verb: 'fix', handle: undefined, isAll: false, trigger, isReply: true };
  }
  const [, second, ...more] = task.split(/\s+/);
  const isAlone =
    second === undefined || FIX_ALL.test(task) || (more.length === 0 && isName(second));
  const command = isAlone && !task.includes('\n') ? readLine(task, '', trigger) : undefined;
  // `@axe search config2` is a question.
  return command !== undefined && 'words' in command ? undefined : command;
}

const FIX_THIS = /^fix(?:[ \t]+(?:this|it))?[.!]*$/i;
const FIX_ALL = /^fix[ \t]+all[.!]*$/i;

function readLine(line: string, below: string, trigger: CommentTrigger): ReadCommand | undefined {
  const [first = '', ...rest] = line.split(/\s+/);
  const verb = first.toLowerCase();
  const handle = parseHandle(rest[0] ?? '');
  switch (verb) {
    case 'help':
      // What follows is a question to the agent.
      return rest.length === 0 ? { verb } : undefined;
    case 'pause':
    case 'resume':
      return { verb };
    case 'dismiss':
    case 'done':
    case 'reopen':
      return { verb, handle, trigger };
    case 'fix': {
      const isAll = FIX_ALL.test(line);
      const isAlone = rest.length === (handle === undefined ? 0 : 1);
      if (isAlone || isAll || FIX_THIS.test(line)) return { verb, handle, isAll, trigger };
      return handle === undefined
        ? undefined
        : { verb: 'mistyped', said: line, meant: `/axe fix ${handle}` };
    }
    case 'remember': {
      const said = `${line.slice(first.length)}\n${below}`.trim();
      // Without quotes that stand around all of it.
      const text = /^"[^"]*"$|^'[^']*'$/.test(said) ? said.slice(1, -1) : said;
      return { verb, words: text === '' ? [] : [text] };
    }
    // What a comment cannot do is a command anyway: nobody is to pay for a mistake.
    case 'forget':
    case 'promote':
    case 'show':
    case 'search':
      return { verb, words: rest.map((word) => word.replace(/^[`"']+|[`"']+$/g, '')) };
    default: {
      const meant = meantBy(verb, rest);
      return meant === undefined ? undefined : { verb: 'mistyped', said: line, meant };
    }
  }
}

/** Of a finding, or of an entry, which a digit distinguishes from a word such as `added`. */
function isName(word: string): boolean {
  return (
    parseHandle(word) !== undefined || /^[`"']?(?=[a-z-]*\d)[0-9a-z-]{6,40}[`"']?$/i.test(word)
  );
}

/** Shorter words are too near to too much. */
const MIN_MISTYPED = 4;

/** The command that a line most likely stands for; other words behind it make a question. */
function meantBy(verb: string, rest: readonly string[]): string | undefined {
  const [word] = rest;
  const isFit = word === undefined || isName(word) || /^(?:full|all)$/i.test(word);
  if (verb.length < MIN_MISTYPED || rest.length > 1 || !isFit) return undefined;
  const names = COMMENT_COMMANDS.map(({ name }) => name);
  const meant = closestWord(verb, names);
  return meant === undefined || meant === verb ? undefined : ['/axe', meant, ...rest].join(' ');
}
