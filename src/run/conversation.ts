import { formatModelRef, type ModelParams, type ModelRef } from '../agent/config.js';
import type { TaintTracker } from '../event/trust.js';
import type { BufferedPublications } from '../findings/buffered-publications.js';
import type { ShownLines } from '../findings/decide/evidence.js';
import type { PublicationBuffer } from '../findings/publication-buffer.js';
import { AxeError, messageOf, type Warning } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import type { Budget } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { withoutSecrets } from '../loop/messages.js';
import type { UsageByAgent } from '../loop/reply.js';
import type { Tool, ToolEffect } from '../tools/tool.js';
import type { Dependencies } from './dependencies.js';
import type { MemorySaveResult, Plan, ReviewedChange, RunNotes, RunRequest } from './records.js';

/**
 * One agent and its model: the run's own conversation, a part of a review, a second look, or that
 * of a sub-agent.
 */
export interface AgentConversation {
  readonly plan: Plan;
  readonly model: OpenModel;
  /** The run log as it goes into the system prompt. */
  readonly memory: string;
  readonly notes: RunNotes | undefined;
  readonly loop: LoopDependencies;
  /** How many agents are above this one; 0 for the agent of the run. */
  readonly depth: number;
  /** Effects that the calling agent has; undefined where nobody called. */
  readonly callerEffects: ReadonlySet<ToolEffect> | undefined;
  /** What it is of the agent's work, for people; left out: all of it. */
  readonly part?: string;
  /** Where it is held for the calls of one tool of ours, that tool. */
  readonly purpose?: {
    readonly tool: Tool;
    isReached(): boolean;
    /**
     * Is given the lines of files that the other tools show, in the place of the run's own record
     * of them.
     */
    show(lines: readonly ShownLines[]): void;
  };
}

/** A run while it converses: what all of its conversations have in common. */
export interface LiveRun {
  readonly request: RunRequest;
  readonly deps: Dependencies;
  readonly change: ReviewedChange | undefined;
  readonly budget: Budget;
  readonly usage: UsageByAgent;
  /** What the run's own agent was not shown, for want of room in the window of its model. */
  readonly missed: {
    /** Of files that were left out of the prompt, or cut. */
    readonly paths: Set<string>;
    /** The server has cut the prompt, and did not say what. */
    isCut: boolean;
  };
  readonly taint: TaintTracker;
  /** What all agents together want published; undefined without an event. */
  readonly publications: PublicationBuffer | undefined;
  openPass(name: string): PublicationBuffer | undefined;
  /**
   * The notes of the agent of the run, the only one that writes any; undefined where they are off.
   */
  readonly notes: RunNotes | undefined;
  /** What sub-agents were to remember, and could not save. */
  readonly lost: MemorySaveResult[];
  readonly maxDepth: number;
}

export interface ConversationResult {
  readonly outcome: RunOutcome;
  readonly buffered: BufferedPublications;
  /** Paths of files that a review in parts has not read. */
  readonly unread: readonly string[];
}

/**
 * Opens a model with what is known of it, and with what an agent says where it is not. Throws what
 * `Models.open` throws.
 */
export async function openModel(
  { models, secrets, deadline }: Dependencies,
  ref: ModelRef,
  { api, price, contextWindow }: Partial<ModelParams> = {},
): Promise<OpenModel> {
  const model = withoutSecrets(await models.open(ref, api), secrets);
  const facts = models.facts(ref);
  const known = (await models.askWindow?.(ref, deadline.signal)) ?? facts.windowTokens;
  const windowTokens = smallerWindow(known, contextWindow);
  return { ref: formatModelRef(ref), model, ...facts, price: facts.price ?? price, windowTokens };
}

/** What is known of a window, bounded by what an agent says of it; undefined where nothing is. */
export function smallerWindow(
  known: number | undefined,
  said: number | undefined,
): number | undefined {
  return known === undefined || said === undefined ? (known ?? said) : Math.min(known, said);
}

/**
 * What the end of a conversation counts as. On the command line a cut answer and an empty one are
 * successes, as in axe, but not one that was cut before its first word. In a workflow nobody sees
 * an empty answer, so it is a failure there, unless the run said what it had to say in a review
 * (D27).
 */
export function judgeOutcome(
  outcome: RunOutcome,
  { findings, review }: BufferedPublications,
  { inWorkflow }: RunRequest,
): RunOutcome {
  if (!inWorkflow) {
    const isPart = outcome.kind === 'incomplete' && outcome.answer.trim() !== '';
    return isPart ? { ...outcome, kind: 'completed' } : outcome;
  }
  const isSaid = findings.length > 0 || review !== undefined;
  if (isSaid || outcome.kind !== 'completed' || outcome.answer.trim() !== '') return outcome;
  const error = new AxeError('the model gave an empty answer', {
    exitCode: 1,
    remedy:
      "Run it again; if it stays empty, look at the agent's `system_prompt` and `params.max_tokens`.",
  });
  return { kind: 'failed', error, stats: outcome.stats };
}

/**
 * What is told of an answer that is not whole where it does not end the run; `of` begins the
 * sentence.
 */
export function truncatedAnswerWarning({ message, remedy }: AxeError, of = ''): Warning {
  return { code: 'answer-truncated', message: `${of}${message}`, remedy };
}

/**
 * For a conversation that could not be held: one that is lost must not cost what the others have
 * found.
 */
export function lostByThrown(thrown: unknown): AxeError {
  if (thrown instanceof AxeError) return thrown;
  return new AxeError(`a bug in axe-action: ${messageOf(thrown)}`, {
    remedy: 'Report it with the log of this run.',
  });
}

/** What is told of several: no more than three reasons, and their remedies, each once. */
export function formatLostParts(lost: readonly AxeError[]): {
  readonly reasons: string;
  readonly remedy: string;
} {
  const reasons = new Set(lost.map(({ message }) => message));
  const remedies = new Set(lost.map(({ remedy = OTHER_MODEL }) => remedy));
  return { reasons: [...reasons].slice(0, 3).join('; '), remedy: [...remedies].join(' ') };
}

/** For reasons that lie with the model alone. */
const OTHER_MODEL = 'Choose another model if this keeps happening.';
