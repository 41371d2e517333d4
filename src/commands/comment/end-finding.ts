import type { Dependencies, Reply } from '../../core/dependencies.js';
import { cleanLine } from '../../core/text/cut.js';
import {
  formatCommandResult,
  type MemoryCommandResult,
  type MemoryRefusal,
  refusal,
} from '../../memory/commands/command-session.js';
import { dismissedText } from '../../review/acknowledge.js';
import { endFinding, type FindingThread, knownIds, reopenFinding } from '../../review/end-finding.js';
import { UNPUBLISHED } from '../../run/publish.js';
import type { RunReport, RunRequest } from '../../run/request.js';
import {
  type AgentMemory,
  type AgentState,
  openAgentMemory,
  openAgentState,
  PEOPLES_COMMAND,
  rewriteState,
} from '../open-agent-memory.js';
import type { FindingCommand } from './read-command.js';

/**
 * Carries out `/axe dismiss`, `/axe done` and `/axe reopen` for people who can write: notes it in the state of the agent
 * whose finding it is, and answers. Throws a ConfigError for an agent that is missing.
 */
export async function runFindingCommand(
  command: FindingCommand,
  request: RunRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger, verb } = command;
  const opened = await openAgentMemory({ ...request, trigger }, PEOPLES_COMMAND, deps);
  if (opened.kind === 'skipped') return opened;
  const { agent } = opened;
  const ended = await carryOut(command, { opened, request }, deps);
  const { result, isOthers = false, ...answer } = ended;
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  // A plain sentence requests nothing, so no failure is reported.
  const isSilent = isOthers || (command.isReply === true && result.kind !== 'done');
  if (!isSilent) deps.acknowledgement?.start();
  const isAnswered = !isSilent && !request.dryRun;
  const reply = { trigger, agent: agent.name, text: formatCommandResult(result), ...answer };
  return {
    kind: 'memory-command',
    agent: agent.name,
    command: verb,
    result,
    published: isAnswered ? await deps.publisher.reply(reply) : UNPUBLISHED,
  };
}

/** Whether a reply is in the conversation of a finding of ours: people say "not a bug" to each other, too. */
export async function isAboutFinding(
  { trigger }: FindingCommand,
  { github, deadline }: Dependencies,
): Promise<boolean> {
  const answer = await github?.findingThreads(trigger.number, deadline.signal);
  return answer?.kind === 'read' && answer.threads.some(({ commentId }) => commentId === trigger.inReplyTo);
}

interface Ended extends Pick<Reply, 'among' | 'conversation'> {
  readonly result: MemoryCommandResult;
  /** Another agent's finding: its own run answers. */
  readonly isOthers?: boolean;
}

async function carryOut(
  command: FindingCommand,
  parts: { readonly opened: AgentMemory; readonly request: RunRequest },
  deps: Dependencies,
): Promise<Ended> {
  const { opened, request } = parts;
  const { agent } = opened;
  const { trigger } = command;
  if (trigger.on !== 'pull_request') {
    const remedy = 'Write it below the pull request.';
    return forAll(refusal('refused', 'findings are on pull requests', remedy));
  }
  const state = openAgentState(opened, request);
  if (state.kind === 'failed') return { result: state };
  const found = await findConversation(command, agent.name, deps);
  if ('result' in found) return found;
  if (request.dryRun) return { result: done('Dry run: nothing was changed.', false) };
  return await keep(command, { ...found, agent: agent.name, state }, deps);
}

/** One answer is enough, of whichever agent. */
function forAll(result: MemoryRefusal): Ended {
  return { result, among: 'unless-answered' };
}

interface Target {
  /** Undefined: the finding has no conversation of its own, or it is hidden from the token. */
  readonly thread: FindingThread | undefined;
  /** The id, or its beginning. */
  readonly id: string;
}

async function findConversation(
  { id, trigger, verb }: FindingCommand,
  agent: string,
  { github, deadline }: Dependencies,
): Promise<Target | Ended> {
  const answer = await github?.findingThreads(trigger.number, deadline.signal);
  if (answer?.kind === 'unread')
    return { result: refusal('unreadable', `the conversations could not be read: ${answer.message}`) };
  const threads = answer?.threads ?? [];
  if (id === undefined) {
    const thread = threads.find(({ commentId }) => commentId === trigger.inReplyTo);
    if (thread === undefined) return forAll(unnamed(verb, threads));
    if (thread.agent === agent) return { thread, id: thread.id };
    return { result: refusal('not-found', `the finding is of the agent "${thread.agent}"`), isOthers: true };
  }
  const named = threads.filter((one) => one.agent === agent && one.id.startsWith(id));
  const ids = new Set(named.map((one) => one.id));
  if (ids.size > 1) {
    const remedy = 'Give more characters of the one that is meant.';
    return { result: refusal('ambiguous', `\`${id}\` is the beginning of ${ids.size} ids`, remedy) };
  }
  const [thread] = named;
  return { thread, id: thread?.id ?? id };
}

const MAX_LISTED = 10;
const MAX_PATH = 100;

/** What is told where nobody can tell which finding is meant. */
function unnamed(verb: FindingCommand['verb'], threads: readonly FindingThread[]): MemoryRefusal {
  const toChange = threads.filter(({ isResolved }) => isResolved === (verb === 'reopen'));
  const listed = toChange.slice(0, MAX_LISTED).map(({ id, path }) => {
    const file = cleanLine(path, MAX_PATH).replaceAll('`', "'");
    return `- \`/axe ${verb} ${id}\` (\`${file}\`)`;
  });
  const remedy = `Write \`/axe ${verb}\` in the conversation of the finding, or name it: \`/axe ${verb} <id>\`.`;
  const list = listed.length === 0 ? '' : `\n\n${listed.join('\n')}`;
  return refusal('refused', 'it is not clear which finding is meant', `${remedy}${list}`);
}

interface KeepParts extends Target {
  readonly agent: string;
  readonly state: AgentState;
}

async function keep(
  { verb, trigger, isReply }: FindingCommand,
  { thread, id, agent, state }: KeepParts,
  deps: Dependencies,
): Promise<Ended> {
  const { number: pull, actor } = trigger;
  const at = deps.clock.now();
  let ids: readonly string[] = [];
  const rewrite = (text: string): string => {
    ids = thread === undefined ? knownIds(text, { id, pull }) : [id];
    const [only] = ids;
    if (only === undefined || ids.length > 1) return text;
    if (verb === 'reopen') return reopenFinding(text, { id: only, at });
    const how = verb === 'dismiss' ? 'dismissed' : 'settled';
    const why = isReply === true ? 'reply' : 'command';
    return endFinding(text, { id: only, pull, how, why, by: actor.login, at, comment: thread });
  };
  const trouble = await rewriteState(state, rewrite, deps);
  if (trouble !== undefined) return { result: trouble };
  const [only] = ids;
  if (only === undefined || ids.length > 1) {
    const remedy = 'The comment of the finding, or the answer to a command about it, has its id.';
    return forAll(refusal('not-found', `no finding \`${id}\` of \`${agent}\` on #${pull}`, remedy));
  }
  return { result: done(ANSWERS[verb](only), true), ...conversation(verb, thread) };
}

/** A conversation that is as it should be is left alone. */
function conversation(
  verb: FindingCommand['verb'],
  thread: FindingThread | undefined,
): Pick<Ended, 'among' | 'conversation'> {
  const isResolved = verb !== 'reopen';
  if (thread === undefined || thread.isResolved === isResolved) return { among: 'for-all' };
  return { among: 'for-all', conversation: { id: thread.threadId, isResolved } };
}

const ANSWERS: Readonly<Record<FindingCommand['verb'], (id: string) => string>> = {
  dismiss: dismissedText,
  done: (id) => `Noted: settled. It is raised again if it comes back. Undo: \`/axe reopen ${id}\`.`,
  reopen: (id) => `Open again. It may be raised again. Undo: \`/axe dismiss ${id}\`, or \`/axe done ${id}\`.`,
};

function done(text: string, changed: boolean): MemoryCommandResult {
  return { kind: 'done', text, changed, warnings: [] };
}
