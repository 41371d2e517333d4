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

  /** `modelId` is the model of the last reply, as the provider names it. */
  constructor(public modelId: string) {}

  /**
   * Counts a reply of the model `modelId`, whose turn its caller counts, and gives what it took.
   */
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
    this.#count(use.input, use.output, use.cacheRead);
    this.stopReason = finishReason.raw ?? finishReason.unified;
    this.modelId = response?.modelId ?? modelId;
    return use;
  }

  /**
   * Counts what the sub-agents of this conversation took (axe leaves it out, axe-behaviour §20.24).
   */
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
export function addStats(stats: RunStats, others: readonly RunStats[], budget: Budget): RunStats {
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

/** A provider can leave a figure out or send nonsense; both count as unknown. */
export function knownTokens(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
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

/**
 * Who took how much of what a run has used: its agent, the passes of a review, sub-agents, second
 * looks.
 */
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
        costUsd:
          before.costUsd === undefined || cost === undefined ? undefined : before.costUsd + cost,
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

/**
 * Of models that think before they answer: their limit of output holds thoughts and text together.
 */
export interface Thinking {
  /** Whether the model thinks when the request does not say so. */
  readonly thinks: 'by default' | 'if asked' | 'never';
  /** Most tokens of one answer; undefined where the maker names no limit. */
  readonly maxOutputTokens: number | undefined;
}

export function isThinking(
  thinking: Thinking | undefined,
  { reasoning }: Pick<LanguageModelV4CallOptions, 'reasoning'>,
): thinking is Thinking {
  const isAsked =
    reasoning !== undefined && reasoning !== 'none' && reasoning !== 'provider-default';
  return thinking?.thinks === 'by default' || (thinking?.thinks === 'if asked' && isAsked);
}

/** A limit of OpenAI's Responses: it refuses a smaller one. */
const LEAST_OUTPUT_TOKENS = 16;

/**
 * A model that thinks has no limit but the agent's, and what the limits of the run leave; another
 * one has ours too, where the agent says less or nothing. Undefined leaves it to the provider;
 * `leftBy` is the limit of the run that leaves no more.
 */
export function limitOutput(
  {
    thinking,
    windowTokens,
  }: { readonly thinking?: Thinking; readonly windowTokens: number | undefined },
  settings: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>,
  ownTokens: number | undefined,
  left: ReturnType<Budget['outputLeft']>,
): { readonly tokens: number | undefined; readonly leftBy?: Limit } {
  const { maxOutputTokens } = settings;
  const ofAgent =
    ownTokens !== undefined && (maxOutputTokens ?? 0) < ownTokens ? undefined : maxOutputTokens;
  if (!isThinking(thinking, settings)) return { tokens: ofAgent ?? ownTokens };
  const most = ofAgent ?? thinking.maxOutputTokens ?? windowTokens;
  if (left === undefined || most === undefined || left.tokens >= most) return { tokens: ofAgent };
  return { tokens: Math.max(LEAST_OUTPUT_TOKENS, Math.floor(left.tokens)), leftBy: left.limit };
}

/** Room for the thoughts of a model whose own limit nobody knows. */
const WIDE_OUTPUT_TOKENS = 64_000;

/**
 * What a request is to ask for where a model has used the limit up to think, and came to no word of
 * its answer; undefined where it has not, or a larger limit would be none.
 */
export function widerLimit(
  { content, finishReason, usage }: LanguageModelV4GenerateResult,
  thinking: Thinking | undefined,
  askedTokens: number | undefined,
): number | undefined {
  // A window that is full has no room for more.
  const isCut = finishReason.unified === 'length' && !isWindowFull(finishReason.raw);
  const hasThought =
    (usage.outputTokens.reasoning ?? 0) > 0 || content.some(({ type }) => type === 'reasoning');
  const hasSaid = textOf(content).trim() !== '' || content.some(({ type }) => type === 'tool-call');
  if (!isCut || !hasThought || hasSaid) return undefined;
  const wide = thinking?.maxOutputTokens ?? WIDE_OUTPUT_TOKENS;
  return wide > Math.max(askedTokens ?? 0, usage.outputTokens.total ?? 0) ? wide : undefined;
}

function isWindowFull(reason = ''): boolean {
  return /context/i.test(reason);
}

const MAX_REASON = 60;

/**
 * How a reply ended: an end that only a server of its own knows counts as whole. Where the reply
 * may lack its end, the error says why and what helps.
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
      const where =
        tokens > 0 ? `at ${formatInteger(tokens)} output tokens` : 'at the limit of output tokens';
      // A model that thinks had all that its provider allows, unless the agent has said less.
      const isAll = settings.maxOutputTokens === undefined && isThinking(thinking, settings);
      const remedy = isAll
        ? 'That is all the provider allows: give the agent less to do, or choose another model.'
        : 'Raise `max_tokens` in `[params]` of the agent.';
      return new AxeError(`the answer was cut ${where}`, { remedy });
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
