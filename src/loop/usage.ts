import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { RunStats, ToolCallRecord } from '../lib/outcome.js';
import { type Budget, costOf, type Price, type TokenUse } from './budget.js';

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
  /** The model of the last reply, as the provider names it. */
  modelId: string;
  #inputTokens = 0;
  #outputTokens = 0;
  #cacheReadTokens = 0;

  constructor(modelId: string) {
    this.modelId = modelId;
  }

  /** Counts a reply of the model `modelId`, whose turn its caller counts, and gives what it took. */
  add(reply: LanguageModelV4GenerateResult, modelId: string): TokenUse {
    const { usage, finishReason, response } = reply;
    const costUsd = reply.providerMetadata?.[COST_KEY]?.['costUsd'];
    const use = {
      input: tokens(usage.inputTokens.total),
      output: tokens(usage.outputTokens.total),
      cacheRead: tokens(usage.inputTokens.cacheRead),
      cacheWrite: tokens(usage.inputTokens.cacheWrite),
      costUsd: typeof costUsd === 'number' ? costUsd : undefined,
    };
    this.lastInputTokens = use.input;
    this.#count(use.input, use.output, use.cacheRead);
    this.stopReason = finishReason.raw ?? finishReason.unified;
    this.modelId = response?.modelId ?? modelId;
    return use;
  }

  /** Counts what the sub-agents of this conversation took (axe leaves it out, axe-behaviour §20.24). */
  addSubAgent({ inputTokens, outputTokens, cacheReadTokens, retries }: RunStats): void {
    this.#count(inputTokens, outputTokens, cacheReadTokens);
    this.retries += retries;
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
      durationMs,
      modelId,
      stopReason,
    };
  }

  #count(input: number, output: number, cacheRead: number): void {
    this.#inputTokens += input;
    this.#outputTokens += output;
    this.#cacheReadTokens += cacheRead;
  }
}

/** The figures of a run with those of further conversations of it, which share its purse. */
export function withStats(stats: RunStats, others: readonly RunStats[], budget: Budget): RunStats {
  const sum = (key: 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'retries') =>
    others.reduce((total, one) => total + one[key], stats[key]);
  return {
    ...stats,
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    cacheReadTokens: sum('cacheReadTokens'),
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

/** A provider may leave a figure out or send nonsense; neither may spoil the sums. */
function tokens(count: number | undefined): number {
  return count !== undefined && Number.isFinite(count) && count > 0 ? count : 0;
}

/** What an agent of a run has taken of one model, in all the conversations that it held. */
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

/** Who took how much of what a run has used: its agent, the passes of a review, sub-agents, second looks. */
export class UsageByAgent {
  readonly #names: string[] = [];
  readonly #usages = new Map<string, AgentUsage>();

  /** Begins a conversation: what is given is to be called for each of its replies. */
  begin(name: string): (reply: CountedReply) => void {
    this.#names.push(name);
    const answered = new Set<string>();
    return ({ modelId, use, price }) => {
      const key = JSON.stringify([name, modelId]);
      const before = this.#usages.get(key) ?? { ...NOTHING, name, modelId };
      const cost = costOf(use, price);
      this.#usages.set(key, {
        name,
        modelId,
        conversations: before.conversations + (answered.has(key) ? 0 : 1),
        turns: before.turns + 1,
        inputTokens: before.inputTokens + use.input,
        outputTokens: before.outputTokens + use.output,
        costUsd: before.costUsd === undefined || cost === undefined ? undefined : before.costUsd + cost,
      });
      answered.add(key);
    };
  }

  /** In the order in which they were asked, whoever answered first. */
  get all(): readonly AgentUsage[] {
    const place = ({ name }: AgentUsage) => this.#names.indexOf(name);
    return [...this.#usages.values()].sort((one, other) => place(one) - place(other));
  }
}

const NOTHING = { conversations: 0, turns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
