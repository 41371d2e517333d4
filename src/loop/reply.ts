import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { Price } from '../agent/model-keys.js';
import { AxeError } from '../lib/errors.js';
import type { Limit, RunStats, ToolCallRecord } from '../lib/outcome.js';
import { cleanLine, formatInteger } from '../lib/text/format.js';
import { type Budget, costOf, type TokenUse } from './budget.js';
import { textOf } from './messages.js';

const COST_KEY = 'axe';

export function withCost(
  reply: LanguageModelV4GenerateResult,
  costUsd: number,
): LanguageModelV4GenerateResult {
  return { ...reply, providerMetadata: { ...reply.providerMetadata, [COST_KEY]: { costUsd } } };
}

/** Running totals of a conversation. */
export class Usage {
  turns = 0;
  toolCalls = 0;
  retries = 0;
  stopReason = '';
  readonly calls: ToolCallRecord[] = [];
  /** Input tokens of the last request: how full the model's window is. */
  lastInputTokens = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;
  #cacheWriteTokens = 0;

  /** `modelId` is the model of the last reply, as the provider names it. */
  constructor(public modelId: string) {}

  /** Counts a reply of the model `modelId` and returns its tokens; the caller counts the turn. */
  add(reply: LanguageModelV4GenerateResult, modelId: string): TokenUse {
    const { usage, finishReason, response } = reply;
    const costUsd = reply.providerMetadata?.[COST_KEY]?.['costUsd'];
    const use = {
      input: knownTokens(usage.inputTokens.total) ?? 0,
      output: knownTokens(usage.outputTokens.total) ?? 0,
      cacheRead: knownTokens(usage.inputTokens.cacheRead) ?? 0,
      cacheWrite: knownTokens(usage.inputTokens.cacheWrite) ?? 0,
      costUsd: typeof costUsd === 'number' ? costUsd : undefined,
    };
    this.lastInputTokens = use.input;
    this.#count(use);
    this.stopReason = finishReason.raw ?? finishReason.unified;
    this.modelId = response?.modelId ?? modelId;
    return use;
  }

  /** Adds the tokens of this conversation's sub-agents, which axe leaves out. */
  addSubAgent(stats: RunStats): void {
    this.#count({
      input: stats.inputTokens,
      output: stats.outputTokens,
      cacheRead: stats.cacheReadTokens,
      cacheWrite: stats.cacheWriteTokens,
    });
    this.retries += stats.retries;
  }

  stats(durationMs: number, budget: Budget): RunStats {
    const { turns, toolCalls, calls, retries, modelId, stopReason } = this;
    return {
      ...spendingOf(budget),
      turns,
      toolCalls,
      calls,
      retries,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      cacheReadTokens: this.#cacheReadTokens,
      cacheWriteTokens: this.#cacheWriteTokens,
      durationMs,
      modelId,
      stopReason,
    };
  }

  #count({ input, output, cacheRead, cacheWrite }: TokenUse): void {
    this.#inputTokens += input;
    this.#outputTokens += output;
    this.#cacheReadTokens += cacheRead;
    this.#cacheWriteTokens += cacheWrite;
  }
}

type SummedFigure =
  | 'inputTokens'
  | 'outputTokens'
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'retries';

/** A run's figures plus those of its further conversations, which share its budget. */
export function addStats(stats: RunStats, others: readonly RunStats[], budget: Budget): RunStats {
  const sum = (key: SummedFigure) =>
    others.reduce((total, addend) => total + addend[key], stats[key]);
  return {
    ...stats,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
    cacheWriteTokens: sum('cacheWriteTokens'),
    retries: sum('retries'),
    ...spendingOf(budget),
  };
}

function spendingOf({ spending, limits }: Budget): Pick<RunStats, 'costUsd' | 'budget'> {
  const { tokens: usedTokens, costUsd, isCostPartial } = spending;
  return {
    costUsd: isCostPartial ? undefined : costUsd,
    budget: limits.maxTokens > 0 ? { usedTokens, maxTokens: limits.maxTokens } : undefined,
  };
}

/** A provider can leave a figure out or send nonsense; both count as unknown. */
export function knownTokens(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
}

/** An agent's use of one model, over all conversations that the agent had in a run. */
export interface AgentUsage {
  readonly name: string;
  /** As the provider reports it. */
  readonly modelId: string;
  readonly conversations: number;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined if the price is not known. */
  readonly costUsd: number | undefined;
}

export interface CountedReply {
  readonly modelId: string;
  readonly use: TokenUse;
  readonly price: Price | undefined;
}

/** A run's usage by agent: its own, the passes of a review, sub-agents and verifiers. */
export class UsageByAgent {
  readonly #names: string[] = [];
  readonly #usages = new Map<string, AgentUsage>();

  /** Begins a conversation; the returned function is to be called for each of its replies. */
  begin(name: string): (reply: CountedReply) => void {
    this.#names.push(name);
    const answered = new Set<string>();
    return ({ modelId, use, price }) => {
      const key = JSON.stringify([name, modelId]);
      const before = this.#usages.get(key) ?? { ...NOTHING, name, modelId };
      const cost = costOf(use, price);
      const isCostKnown = before.costUsd !== undefined && cost !== undefined;
      this.#usages.set(key, {
        name,
        modelId,
        conversations: before.conversations + (answered.has(key) ? 0 : 1),
        turns: before.turns + 1,
        inputTokens: before.inputTokens + use.input,
        outputTokens: before.outputTokens + use.output,
        costUsd: isCostKnown ? before.costUsd + cost : undefined,
      });
      answered.add(key);
    };
  }

  /** In the order in which the agents were asked, not in the order of their answers. */
  get all(): readonly AgentUsage[] {
    const place = ({ name }: AgentUsage) => this.#names.indexOf(name);
    return [...this.#usages.values()].sort((a, b) => place(a) - place(b));
  }
}

const NOTHING = { conversations: 0, turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** When a model thinks before it answers. Its output limit covers thoughts and text together. */
export interface Thinking {
  readonly thinks: 'by default' | 'if asked' | 'never';
  /** Most tokens of one answer; undefined if the provider names no limit. */
  readonly maxOutputTokens: number | undefined;
}

export function isThinking(
  thinking: Thinking | undefined,
  { reasoning }: Pick<LanguageModelV4CallOptions, 'reasoning'>,
): thinking is Thinking {
  const isRequested =
    reasoning !== undefined && reasoning !== 'none' && reasoning !== 'provider-default';
  return thinking?.thinks === 'by default' || (thinking?.thinks === 'if asked' && isRequested);
}

/** Room for the thoughts of a model whose output limit is not known. */
export const WIDE_OUTPUT_TOKENS = 64_000;

/** OpenAI's Responses API refuses a smaller limit. */
const LEAST_OUTPUT_TOKENS = 16;

/**
 * The limit on a reply's tokens; undefined leaves it to the provider. A model that thinks is
 * limited by the agent's setting and by the rest of the run's budget (`leftBy` names the limit with
 * the smallest rest). Other models also have our limit, if the agent sets a lower one or none.
 */
export function limitOutput(
  {
    thinking,
    windowTokens,
  }: { readonly thinking?: Thinking; readonly windowTokens: number | undefined },
  settings: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>,
  ownTokens: number | undefined,
  outputLeft: ReturnType<Budget['outputLeft']>,
): { readonly tokens: number | undefined; readonly leftBy?: Limit } {
  const { maxOutputTokens } = settings;
  const isOwnLarger = ownTokens !== undefined && (maxOutputTokens ?? 0) < ownTokens;
  const agentTokens = isOwnLarger ? undefined : maxOutputTokens;
  if (!isThinking(thinking, settings)) return { tokens: agentTokens ?? ownTokens };

  const mostTokens = agentTokens ?? thinking.maxOutputTokens ?? windowTokens ?? WIDE_OUTPUT_TOKENS;
  if (outputLeft === undefined || outputLeft.tokens >= mostTokens) return { tokens: agentTokens };
  const tokens = Math.max(LEAST_OUTPUT_TOKENS, Math.floor(outputLeft.tokens));
  return { tokens, leftBy: outputLeft.limit };
}

/**
 * The larger limit for a second try if a model used up its limit to think and did not begin its
 * answer; undefined if it did begin, or if no larger limit is possible.
 */
export function widerLimit(
  { content, finishReason, usage }: LanguageModelV4GenerateResult,
  thinking: Thinking | undefined,
  askedTokens: number | undefined,
): number | undefined {
  // A larger limit does not help if the window is full.
  const isCut = finishReason.unified === 'length' && !isWindowFull(finishReason.raw);
  const hasThought =
    (usage.outputTokens.reasoning ?? 0) > 0 || content.some(({ type }) => type === 'reasoning');
  const hasCall = content.some(({ type }) => type === 'tool-call');
  const hasAnswer = hasCall || textOf(content).trim() !== '';
  if (!isCut || !hasThought || hasAnswer) return undefined;

  const widerTokens = thinking?.maxOutputTokens ?? WIDE_OUTPUT_TOKENS;
  const triedTokens = Math.max(askedTokens ?? 0, usage.outputTokens.total ?? 0);
  return widerTokens > triedTokens ? widerTokens : undefined;
}

function isWindowFull(reason = ''): boolean {
  return /context/i.test(reason);
}

const MAX_REASON = 60;

/**
 * Tells a whole reply from a refusal and from a reply that might lack its end, for which the error
 * says why and what helps. An end reason that we do not know counts as whole.
 */
export function replyEnd(
  { finishReason, usage }: LanguageModelV4GenerateResult,
  settings: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>,
  thinking: Thinking | undefined,
): 'whole' | 'refused' | AxeError {
  const { unified, raw = unified } = finishReason;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
    case 'other':
      return 'whole';
    case 'content-filter':
      return 'refused';
    case 'length': {
      if (isWindowFull(raw)) {
        return new AxeError("the answer was cut because the model's context window is full", {
          remedy: 'Give the agent less to read, or choose a model with a larger context window.',
        });
      }
      const tokens = usage.outputTokens.total ?? 0;
      const limit =
        tokens > 0 ? `at ${formatInteger(tokens)} output tokens` : 'at the limit of output tokens';
      // A model that thinks had all of its own limit, unless the agent sets one.
      const isProviderLimit =
        settings.maxOutputTokens === undefined &&
        isThinking(thinking, settings) &&
        thinking.maxOutputTokens !== undefined;
      const remedy = isProviderLimit
        ? 'That is all the provider allows: give the agent less to do, or choose another model.'
        : 'Raise `max_tokens` in `[params]` of the agent.';
      return new AxeError(`the answer was cut ${limit}`, { remedy });
    }
    case 'error':
    case 'interrupted': {
      const reason = raw === 'error' ? '' : ` (${cleanLine(raw, MAX_REASON)})`;
      return new AxeError(`the provider ended the answer with an error${reason}`, {
        remedy: 'Run it again; if it happens again, choose another model.',
      });
    }
  }
}
