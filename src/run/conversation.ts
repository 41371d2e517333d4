import { formatModelRef, type ModelParams, type ModelRef } from '../agent/config.js';
import { type BufferedPublications, holdsReview } from '../findings/buffered-publications.js';
import type { ShownLines } from '../findings/decide/evidence.js';
import type { PublicationBuffer } from '../findings/publication-buffer.js';
import { AxeError, messageOf, SecretLeakError, type Warning } from '../lib/errors.js';
import { isUnreviewed, type RunOutcome } from '../lib/outcome.js';
import type { OpenModel, OpenOptions } from '../loop/asker.js';
import type { Budget } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { withoutSecrets } from '../loop/messages.js';
import type { UsageByAgent } from '../loop/reply.js';
import type { Tool, ToolEffect } from '../tools/tool.js';
import type { Dependencies } from './dependencies.js';
import type { FixTests } from './fix-tests.js';
import type {
  MemorySaveResult,
  OpenRun,
  Plan,
  ReviewedChange,
  RunNotes,
  RunRequest,
} from './records.js';

/**
 * A conversation of one agent with its model: the main one, a pass of a review, a verifier's, or a
 * sub-agent's.
 */
export interface AgentConversation {
  readonly plan: Plan;
  readonly model: OpenModel;
  /** The run log as it goes into the system prompt. */
  readonly memory: string;
  readonly notes: RunNotes | undefined;
  readonly loop: LoopDependencies;
  /** Number of agents above this one; 0 for the top-level agent. */
  readonly depth: number;
  /** Effects of the calling agent's tools; undefined if no agent called. */
  readonly callerEffects: ReadonlySet<ToolEffect> | undefined;
  /** Name of the pass, for people; left out if there is only one. */
  readonly part?: string;
  /** The tool of ours that the conversation is held for, if it ends when that was called. */
  readonly purpose?: {
    readonly tool: Tool;
    /** Further tools of ours; left out: none. */
    readonly others?: readonly Tool[];
    isReached(): boolean;
    /** Records the lines of files that the other tools show, instead of the run's own record. */
    show(lines: readonly ShownLines[]): void;
  };
}

/** Tools that an agent lists and that are not opened with the others. */
export interface ListedTools {
  readonly tools: readonly Tool[];
  /** Every name for them in the agent's list, also of those that it does not get. */
  readonly listed: readonly string[];
  readonly warnings: readonly Warning[];
}

/** The state that all conversations of a run share. */
export interface LiveRun {
  readonly request: RunRequest;
  readonly deps: Dependencies;
  /** The model of the top-level agent. */
  readonly mainModel: ModelRef;
  readonly change: ReviewedChange | undefined;
  readonly hidden: OpenRun['hidden'];
  readonly budget: Budget;
  readonly usage: UsageByAgent;
  /** Parts of the prompt that did not fit into the context window of the top-level agent's model. */
  readonly missed: {
    /** Paths of files that were left out of the prompt, or cut. */
    readonly paths: Set<string>;
    /** The server cut the prompt, without saying which part. */
    isCut: boolean;
    /** The part of the run log that fits. */
    runLog: string;
  };
  /** Collects what all agents of the run publish; undefined without an event. */
  readonly publications: PublicationBuffer | undefined;
  openPass(name: string): PublicationBuffer | undefined;
  /** Keeps what review tools have accepted, in case the run is killed. */
  readonly keepFound: () => void;
  /** Notes of the top-level agent, the only one that writes any; undefined if they are off. */
  readonly notes: RunNotes | undefined;
  /** Memory of sub-agents that could not be saved. */
  readonly lost: MemorySaveResult[];
  readonly maxDepth: number;
  /** Tests of the findings that the run fixes; left out: none. */
  readonly fixTests?: FixTests;
}

export interface ConversationResult {
  readonly outcome: RunOutcome;
  readonly buffered: BufferedPublications;
  /** Paths of files that a review in several passes has not read. */
  readonly unread: readonly string[];
}

/** The price that the workflow names for the model of the run, if another agent uses it too. */
export function priceInRun(
  ref: ModelRef,
  price: ModelParams['price'],
  { mainModel, request }: Pick<LiveRun, 'mainModel' | 'request'>,
): ModelParams['price'] {
  return formatModelRef(ref) === formatModelRef(mainModel) ? (request.price ?? price) : price;
}

/** Settings of an agent for one of its models; a fallback has `stream` alone. */
type ModelChoices = Partial<Pick<ModelParams, 'api' | 'price' | 'contextWindow'>> &
  Pick<OpenOptions, 'stream'>;

/**
 * Opens a model with its known price and context window, or else with those that the agent's file
 * names. If the model writes a secret, the whole run ends. Throws what `Models.open` throws.
 */
export async function openModel(
  { models, secrets, deadline }: Dependencies,
  ref: ModelRef,
  { api, stream, price, contextWindow }: ModelChoices,
): Promise<OpenModel> {
  const packageModel = await models.open(ref, { api, stream });
  const model = withoutSecrets(packageModel, secrets, (error) => deadline.cancel(error));
  const facts = models.facts(ref);
  const known = (await models.askWindow?.(ref, deadline.signal)) ?? facts.windowTokens;
  const windowTokens = smallerWindow(known, contextWindow);
  const opened = { ref: formatModelRef(ref), model, ...facts, windowTokens };
  // A price that was given holds whatever the server calls the model.
  if (facts.price === undefined && price !== undefined)
    return { ...opened, price, priceOf: undefined };
  return opened;
}

/** Throws if a model has written a secret: then nothing of the run is posted or remembered. */
export async function endIfLeaked({ deadline, journal }: Dependencies): Promise<void> {
  const { reason } = deadline.signal;
  if (!(reason instanceof SecretLeakError)) return;
  await journal?.forget();
  throw reason;
}

/** The model's context window, if an agent's file does not set a smaller one. */
export function smallerWindow(
  modelWindow: number | undefined,
  agentWindow: number | undefined,
): number | undefined {
  if (modelWindow === undefined || agentWindow === undefined) return modelWindow ?? agentWindow;
  return Math.min(modelWindow, agentWindow);
}

/**
 * Decides if a conversation succeeded. On the command line a truncated answer and an empty one are
 * successes, as in axe, except for an answer that was cut before its first word. In a workflow
 * nobody sees an empty answer, so it is a failure, unless the run has reviewed something. A review
 * without an accepted call is never a success, and what was accepted outlives any failure.
 */
export function judgeOutcome(
  outcome: RunOutcome,
  buffered: BufferedPublications,
  { inWorkflow }: RunRequest,
): RunOutcome {
  const hasFound = holdsReview(buffered);
  if (hasFound && (outcome.kind === 'failed' || outcome.kind === 'refused'))
    return { ...outcome, hasFound };
  if (!inWorkflow) {
    const hasPart = outcome.kind === 'incomplete' && outcome.answer.trim() !== '';
    return hasPart && !isUnreviewed(outcome) ? { ...outcome, kind: 'completed' } : outcome;
  }

  if (hasFound || outcome.kind !== 'completed' || outcome.answer.trim() !== '') return outcome;
  const error = new AxeError('the model gave an empty answer', {
    exitCode: 1,
    remedy:
      "Run it again; if it stays empty, look at the agent's `system_prompt` and `params.max_tokens`.",
  });
  return { kind: 'failed', error, stats: outcome.stats };
}

/** For a truncated answer that does not end the run; `prefix` starts the message. */
export function truncatedAnswerWarning({ message, remedy }: AxeError, prefix = ''): Warning {
  return { code: 'answer-truncated', message: `${prefix}${message}`, remedy };
}

/** Another conversation can follow: the model has not failed, and there is time and budget left. */
export function canAskMore(
  outcome: RunOutcome | undefined,
  { loop }: AgentConversation,
  { budget }: LiveRun,
): boolean {
  const hasFailed = outcome?.kind === 'failed' || outcome?.kind === 'refused';
  return !hasFailed && !loop.signal.aborted && budget.spent() === undefined;
}

/**
 * Turns anything thrown by one conversation into an error to report, so that the results of the
 * other conversations are not lost.
 */
export function lostByThrown(thrown: unknown): AxeError {
  if (thrown instanceof AxeError) return thrown;
  return new AxeError(`a bug in axe-action: ${messageOf(thrown)}`, {
    remedy: 'Report it with the log of this run.',
  });
}

/** Joins at most three reasons, and all remedies, each once. */
export function formatLostParts(lost: readonly AxeError[]): {
  readonly reasons: string;
  readonly remedy: string;
} {
  const reasons = new Set(lost.map(({ message }) => message));
  const remedies = new Set(lost.map(({ remedy = OTHER_MODEL_REMEDY }) => remedy));
  return { reasons: [...reasons].slice(0, 3).join('; '), remedy: [...remedies].join(' ') };
}

/** Used if an error has no remedy, since then only the model is at fault. */
const OTHER_MODEL_REMEDY = 'Choose another model if this keeps happening.';
