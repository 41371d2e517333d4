import type { ModelParams } from '../agent/config.js';
import { formatModelRef, type ModelRef, parseModelRef } from '../agent/model-ref.js';
import type { TaintTracker } from '../event/taint.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { OpenModel } from '../loop/asker.js';
import type { Budget } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import type { ConversationGoal } from '../loop/run-agent.js';
import type { UsageByAgent } from '../loop/usage.js';
import { withoutSecrets } from '../loop/without-secrets.js';
import type { Publications } from '../review/buffer.js';
import type { ShownLines } from '../review/evidence.js';
import type { Effect, Tool } from '../tools/tool.js';
import type { Dependencies } from './dependencies.js';
import type { RunNotes } from './notes.js';
import type { RunRequest } from './request.js';
import type { Plan } from './run-plan.js';

/** What an agent and its sub-agents have in common. */
export interface Delegation {
  readonly request: RunRequest;
  readonly deps: Dependencies;
  readonly budget: Budget;
  /** Who took how much of it. */
  readonly usage: UsageByAgent;
  /** What the run's own agent was not shown, for want of room. */
  readonly missed: Missed;
  /** What all of them together have read. */
  readonly taint: TaintTracker;
  /** What all of them together want published; undefined without an event. */
  readonly publications: Publications | undefined;
  /** The notes of the agent of the run, the only one that writes any; undefined where they are off. */
  readonly notesSession: RunNotes | undefined;
  /** Levels of sub-agents below the first agent. */
  readonly maxDepth: number;
  /** Holds the conversation of an agent: the same for all of them. */
  readonly converse: Converse;
}

/** What did not fit into the window of the model that reads a change. */
interface Missed {
  /** Of files that were left out of the prompt, or cut. */
  readonly paths: Set<string>;
  /** The server has cut the prompt, and did not say what. */
  isCut: boolean;
}

/** What a conversation is held with, besides its plan. */
export interface ConversationParts {
  readonly model: OpenModel;
  /** The run log as it goes into the system prompt. */
  readonly memory: string;
  /** The agent's notes; undefined where they are off. */
  readonly notesSession: RunNotes | undefined;
  readonly loop: LoopDependencies;
  /** What the conversation is of the agent's work, for people; left out: all of it. */
  readonly part?: string;
  /** What a conversation has that no agent names; left out: nothing. */
  readonly purpose?: ConversationPurpose;
}

/** What a conversation is held for, where that is one call of a tool of ours. */
interface ConversationPurpose {
  readonly tool: Tool;
  isReached(): boolean;
  /** Is told what lines of files the tools show, in the place of the run's own ledger. */
  show(lines: readonly ShownLines[]): void;
}

/** The purpose as the loop asks for it. */
export function goalOf(purpose: ConversationPurpose | undefined): ConversationGoal | undefined {
  if (purpose === undefined) return undefined;
  return { tool: purpose.tool.name, isReached: () => purpose.isReached() };
}

/** One agent's conversation, from its plan to its outcome. */
type Converse = (
  plan: Plan,
  parts: ConversationParts,
  delegation: Delegation,
  position: AgentPosition,
) => Promise<RunOutcome>;

/** The position of an agent among the calls. */
export interface AgentPosition {
  /** 0 for the agent of the run. */
  readonly depth: number;
  /** Effects that the agent's caller has; undefined where nobody called. */
  readonly callerEffects: ReadonlySet<Effect> | undefined;
}

/** Opens a model with what is known of it, and with what an agent says where it is not. Throws what `Models.open` throws. */
export async function openModel(
  { models, secrets, deadline }: Dependencies,
  ref: ModelRef,
  { price, contextWindow }: Pick<ModelParams, 'price' | 'contextWindow'> = {},
): Promise<OpenModel> {
  const model = withoutSecrets(await models.open(ref), secrets);
  const facts = models.facts(ref);
  const known = (await models.askWindow?.(ref, deadline.signal)) ?? facts.windowTokens;
  const windowTokens = smallerWindow(known, contextWindow);
  return { ref: formatModelRef(ref), model, ...facts, price: facts.price ?? price, windowTokens };
}

/** What is known of a window, bounded by what an agent says of it; undefined where nothing is. */
export function smallerWindow(known: number | undefined, said: number | undefined): number | undefined {
  return known === undefined || said === undefined ? (known ?? said) : Math.min(known, said);
}

/** The models to fall back on, opened only when they are needed. Throws an AxeError for a malformed one. */
export function fallbacksOf({ request, deps }: Delegation): readonly (() => Promise<OpenModel>)[] {
  return request.fallbackModels.map((text) => {
    const ref = parseModelRef(text);
    return () => openModel(deps, ref);
  });
}
