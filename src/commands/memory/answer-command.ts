import type { LoadedAgent } from '../../core/agent/agent-source.js';
import type { Dependencies, Reply } from '../../core/dependencies.js';
import { AxeError, ConfigError } from '../../core/errors.js';
import { MIN_PREFIX } from '../../core/memory/commands/search.js';
import { isNotesPath } from '../../core/memory/notes/place.js';
import type { MemoryStore, SaveResult, StoreKind } from '../../core/memory/store.js';
import type { MemoryPlan } from '../../core/plan.js';
import { UNPUBLISHED } from '../../run/publish.js';
import type { RunReport, RunRequest } from '../../run/request.js';
import { type AgentMemory, openAgentMemory, PEOPLES_COMMAND } from '../open-agent-memory.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryRefusal,
  refusal,
} from './command-session.js';
import { formatCommandResult } from './format-result.js';
import { runMemoryCommand } from './memory-command.js';
import { hasSeveralCommands } from './parse-comment.js';
import { isCommentCommand, type MemoryCommand, parseMemoryCommand } from './parse-memory-command.js';

/**
 * Does what people who may write want with an agent's memory, in the store that its runs use, without a model: `mode:
 * memory` of the action, or a comment (`/axe forget …`). Admission is that of a run. Throws a ConfigError for a workflow's
 * command that is none, and for an agent that has no memory or is missing.
 */
export async function answerMemoryCommand(
  request: MemoryCommandRequest,
  deps: Dependencies,
): Promise<RunReport> {
  const { trigger, requestedIn, words } = request;
  const opened = await openAgentMemory(request, PEOPLES_COMMAND, deps);
  if (opened.kind === 'skipped') return opened;
  const { agent } = opened;
  const { store, result } = await carryOut(opened, request, deps);
  if (result.kind === 'done') for (const warning of result.warnings) deps.reporter.warn(warning);
  const isAnswered = requestedIn === 'comment' && !request.dryRun;
  if (requestedIn === 'comment' && !isForOthers(result)) deps.acknowledgement?.start();
  const answer = {
    trigger,
    agent: agent.name,
    text: formatCommandResult(result),
    ...amongAgents(words, result),
  };
  const published = isAnswered ? await deps.publisher.reply(answer) : UNPUBLISHED;
  return {
    kind: 'memory-command',
    agent: agent.name,
    store,
    command: words[0] ?? '',
    requestedIn,
    result,
    published,
  };
}

/**
 * Several agents may hear a comment. What none of them can do, and what is not in an agent's memory, is answered once;
 * the agent whose entry it is has the last word. Each of them remembers.
 */
function amongAgents([command]: readonly string[], result: MemoryCommandResult): Pick<Reply, 'among'> {
  if (command === 'remember') return {};
  const isAnybodys =
    result.kind === 'failed' && (result.reason === 'not-found' || result.reason === 'refused');
  return { among: isAnybodys ? 'unless-answered' : 'for-all' };
}

/** The entry may be another agent's. */
function isForOthers(result: MemoryCommandResult): result is MemoryRefusal {
  return result.kind === 'failed' && result.reason === 'not-found';
}

interface CarriedOut {
  readonly store: StoreKind;
  readonly result: MemoryCommandResult;
}

async function carryOut(
  { agent, memory }: AgentMemory,
  request: MemoryCommandRequest,
  deps: Dependencies,
): Promise<CarriedOut> {
  const command = readCommand(request);
  if (command.kind === 'failed') return { store: 'none', result: command };
  if (memory === undefined) return { store: 'none', result: withoutMemory(agent, command, request) };
  const { plan } = memory;
  const { store, notices } = watchStore(memory.store);
  const carry = (one: MemoryCommand) => tend(one, { store, plan, request }, deps);
  const refused = refuseHere(command, request);
  const result = refused === undefined ? await carry(command) : await refuseOwn(command, refused, carry);
  if (result.kind === 'failed') deps.deadline.signal.throwIfAborted();
  const withNotes = withNotices(tooShort(result, command), notices());
  return { store: store.kind, result: hideMemory(withNotes, request) };
}

/** Nobody has an entry by the beginning of an id that is too short, so the sender is told, and by all. */
function tooShort(result: MemoryCommandResult, command: MemoryCommand): MemoryCommandResult {
  if (command.kind !== 'forget' || command.id.length >= MIN_PREFIX || !isForOthers(result)) return result;
  return { ...result, reason: 'refused' };
}

/** What is refused is refused only by whose entry it is; nobody else has a part in it. */
async function refuseOwn(
  command: MemoryCommand,
  refused: MemoryCommandResult,
  carry: (command: MemoryCommand) => Promise<MemoryCommandResult>,
): Promise<MemoryCommandResult> {
  if (command.kind !== 'forget' && command.kind !== 'edit' && command.kind !== 'promote') return refused;
  const about = await carry({ kind: 'show', id: command.id, lane: 'trusted', last: 0 });
  if (about.kind === 'failed' || refused.kind === 'failed') return about.kind === 'failed' ? about : refused;
  return { ...refused, text: `${refused.text} It is about this entry:\n\n${about.text}` };
}

/** A workflow that tends no memory is a mistake; to a comment another agent may listen that has one. */
function withoutMemory(
  { name }: LoadedAgent,
  command: MemoryCommand,
  { requestedIn }: MemoryCommandRequest,
): MemoryRefusal {
  const message = `the agent "${name}" has no memory`;
  const remedy = 'Set `enabled = true` in `[memory]` of the agent.';
  if (requestedIn === 'workflow') throw new ConfigError(message, { remedy });
  return refusal(command.kind === 'forget' ? 'not-found' : 'refused', message, remedy);
}

function withNotices(result: MemoryCommandResult, notices: readonly string[]): MemoryCommandResult {
  if (result.kind === 'failed' || result.isExport === true || notices.length === 0) return result;
  return { ...result, text: [result.text, ...notices].join('\n\n') };
}

interface CommandParts {
  readonly store: MemoryStore;
  readonly plan: MemoryPlan;
  readonly request: MemoryCommandRequest;
}

async function tend(
  command: MemoryCommand,
  { store, plan, request }: CommandParts,
  deps: Dependencies,
): Promise<MemoryCommandResult> {
  const { provenance } = plan;
  const result = await runMemoryCommand(command, {
    store,
    path: plan.path,
    clock: deps.clock,
    // The command is all that this run does, so it ends with it.
    signal: deps.deadline.signal,
    secrets: deps.secrets,
    // No model had a part in it, and an event's commit is not what it is about.
    origin: provenance === undefined ? undefined : { ...provenance, model: undefined, sha: undefined },
    isQuarantined: request.memoryPolicy.write === 'quarantine',
    ...(request.readImport === undefined ? {} : { readImport: request.readImport }),
    ...(request.writeExport === undefined ? {} : { writeExport: request.writeExport }),
  });
  if (store.kind !== 'none' || result.kind === 'failed' || !result.changed) return result;
  return refusal('refused', '`memory-store: none` keeps nothing', 'Leave `memory-store` out.');
}

/** A store, and what became of all that was saved to it. */
interface WatchedStore {
  readonly store: MemoryStore;
  /** What the stores told on the way, in whole sentences: that a branch was made, or that another store took it. */
  notices(): readonly string[];
}

/** The store, of the kind of the one that took the last save: of several stores that may be another than the first. */
export function watchStore(opened: MemoryStore): WatchedStore {
  const saves: SaveResult[] = [];
  const recorded = (result: SaveResult): SaveResult => {
    saves.push(result);
    return result;
  };
  const { dropHistory } = opened;
  const store: MemoryStore = {
    get kind() {
      return saves.map(storeOf).findLast((kind) => kind !== undefined) ?? opened.kind;
    },
    read: (request, signal) => opened.read(request, signal),
    readTree: (signal, under) => opened.readTree(signal, under),
    write: async (changes, signal) => recorded(await opened.write(changes, signal)),
    ...(dropHistory === undefined
      ? {}
      : { dropHistory: async (signal) => recorded(await dropHistory(signal)) }),
  };
  return {
    store,
    notices: () => saves.flatMap((saved) => (saved.kind === 'saved' ? (saved.notices ?? []) : [])),
  };
}

function storeOf(saved: SaveResult): StoreKind | undefined {
  return saved.kind === 'saved' ? saved.store : saved.kept?.store;
}

/** What is answered instead where a command is not carried out, by any sender; undefined where it is. */
function refuseHere(
  { kind }: MemoryCommand,
  { isMemoryHidden, dryRun, memoryPolicy }: MemoryCommandRequest,
): MemoryCommandResult | undefined {
  if (SHOWING.has(kind)) {
    if (!isMemoryHidden) return undefined;
    return refusal(
      'refused',
      `\`${kind}\` would show here what is kept in another repository`,
      'Run it in that repository, or `axe-action memory` on the command line.',
    );
  }
  if (dryRun) return { kind: 'done', text: DRY_RUN, headline: DRY_RUN, changed: false, warnings: [] };
  if (memoryPolicy.write !== 'never') return undefined;
  return refusal('refused', '`memory-write: never` leaves memory as it is', 'Leave `memory-write` out.');
}

const SHOWING: ReadonlySet<MemoryCommand['kind']> = new Set(['show', 'search', 'verify', 'export']);
const DRY_RUN = 'Dry run: nothing was changed.';

/** Of a memory in another repository only what was done, with ids; never what it says (D14). */
function hideMemory(
  result: MemoryCommandResult,
  { isMemoryHidden }: MemoryCommandRequest,
): MemoryCommandResult {
  if (!isMemoryHidden) return result;
  switch (result.kind) {
    case 'done': {
      const { headline = 'Done.', changed, warnings } = result;
      return { kind: 'done', text: headline, changed, warnings };
    }
    case 'failed': {
      const { hiddenMessage = result.message, ...rest } = result;
      return { ...rest, message: hiddenMessage };
    }
  }
}

/**
 * The command that a workflow or a comment asks for. A mistake in a comment is answered there, one in a workflow is
 * thrown as a ConfigError that says how the command is written.
 */
function readCommand(request: MemoryCommandRequest): MemoryCommand | MemoryRefusal {
  return request.requestedIn === 'comment' ? readComment(request) : readInput(request.words);
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

/** A command over an agent's memory, asked for by a workflow or by a comment. */
export interface MemoryCommandRequest extends RunRequest {
  /** The command and what belongs to it. */
  readonly words: readonly string[];
  /** Who asks: a comment is answered where it stands, and may ask for less. */
  readonly requestedIn: 'workflow' | 'comment';
  /** The text of a file to import. May throw an AxeError. */
  readonly readImport?: CommandSession['readImport'];
  /** Takes what is exported. May throw an AxeError. */
  readonly writeExport?: CommandSession['writeExport'];
}
