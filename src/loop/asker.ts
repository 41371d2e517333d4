import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from '@ai-sdk/provider';
import type { ModelParams, ModelRef, RetryConfig } from '../agent/config.js';
import type { Price } from '../agent/model-keys.js';
import { DEFAULT_MAX_RETRIES } from '../lib/defaults.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { formatInteger } from '../lib/text/format.js';
import type { Budget } from './budget.js';
import type { LoopDependencies } from './events.js';
import {
  assistantMessage,
  estimateTokens,
  estimateTools,
  type LanguageModel,
  withoutThoughts,
} from './messages.js';
import { knownTokens, limitOutput, type Thinking, type Usage, widerLimit } from './reply.js';
import { toolCallsOf } from './tool-calls.js';

export interface OpenModel {
  /** `provider/model`. */
  readonly ref: string;
  readonly model: LanguageModel;
  readonly price: Price | undefined;
  /** Tokens that fit into its window; undefined where that is not known. */
  readonly windowTokens: number | undefined;
  /** Absent for a model that nothing is known of. */
  readonly thinking?: Thinking;
  /** Its server may cut a prompt that is too long without saying so; left out: no. */
  readonly mayCut?: boolean;
}

export type Settings = Omit<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;

/** Asks a model, and another one where the first stays out of reach. */
export interface ModelAsker {
  /** The model that is asked at present. */
  readonly current: OpenModel;
  /** Sets how many tokens fit into the window of that model. */
  learnWindow(windowTokens: number): void;
  /**
   * One turn's request and reply, counted and reported; where the model came to its limit before
   * its answer began, it is asked once more with a larger one. `ownTokens` is a limit of ours, for
   * models that do not think. Throws the provider's error, or the signal's reason.
   */
  ask(
    messages: readonly LanguageModelV4Message[],
    settings: Settings,
    ownTokens?: number,
  ): Promise<LanguageModelV4GenerateResult>;
}

/**
 * Retries and fallbacks around a model; once a fallback is asked, the conversation stays with it.
 */
export function createAsker(
  {
    model,
    fallbacks,
    retry,
    budget,
    usage,
    ownSettings = [],
  }: {
    readonly model: OpenModel;
    /**
     * Asked one after the other when a passing error stays after all tries; each is opened when its
     * turn comes.
     */
    readonly fallbacks: readonly (() => Promise<OpenModel>)[];
    readonly retry: RetryConfig;
    readonly budget: Budget;
    readonly usage: Usage;
    /** Settings that are ours and no user's: nobody has to know that a model does not take them. */
    readonly ownSettings?: readonly string[];
  },
  deps: LoopDependencies,
): ModelAsker {
  const others = [...fallbacks];
  const told = new Set<string>();
  /**
   * Messages of the models before: a package that is given what those thought repeats it in a
   * warning.
   */
  let foreign: ReadonlySet<LanguageModelV4Message> = new Set();
  let current = model;

  const ask: ModelAsker['ask'] = async (messages, settings, ownTokens) => {
    // The one check before each request: a summary or a sub-agent may have spent the rest.
    const spent = budget.spent();
    if (spent !== undefined) throw spent.error;
    const turn = usage.turns + 1;
    const { reply, askedTokens } = await askOnce(turn, messages, settings, ownTokens);
    usage.turns = turn;
    const wider = widerLimit(reply, current.thinking, askedTokens);
    if (wider === undefined || budget.spent() !== undefined) return reply;
    const message = `\`${current.ref}\` reached its output limit before its answer began, so we ask it once more with a limit of ${formatInteger(wider)} tokens`;
    deps.reporter.warn({ code: 'model-warning', message });
    usage.retries += 1;
    try {
      return (await askOnce(turn, messages, { ...settings, maxOutputTokens: wider }, ownTokens))
        .reply;
    } catch (thrown) {
      // A server that has no room for so much says so.
      if (!(thrown instanceof ProviderError) || thrown.category !== 'bad_request') throw thrown;
      return reply;
    }
  };

  async function askOnce(
    turn: number,
    messages: readonly LanguageModelV4Message[],
    settings: Settings,
    ownTokens: number | undefined,
  ) {
    const tools = settings.tools?.length ?? 0;
    deps.reporter.event({
      kind: 'model-request',
      turn,
      messages: messages.filter((message) => message.role !== 'system').length,
      toolResults: usage.toolCalls,
      tools,
    });
    const input = estimateTokens(messages);
    // What the last request had comes from the cache where there is one.
    const cacheRead = Math.min(input, usage.lastInputTokens);
    const use = { input, output: 0, cacheRead, cacheWrite: 0 };
    let limit: ReturnType<typeof limitOutput> = { tokens: undefined };
    const { ref } = current;
    const optionsNow = () => {
      if (current.ref !== ref) foreign = new Set(messages);
      limit = limitOutput(current, settings, ownTokens, budget.outputLeft(use, current.price));
      const prompt = [...withoutThoughts(messages, foreign)];
      return { ...settings, maxOutputTokens: limit.tokens, prompt, abortSignal: deps.signal };
    };
    const reply = await askSomebody(optionsNow, (reply) => {
      const estimated = estimateUsage(reply, messages, settings.tools);
      const counted = estimated === undefined ? reply : { ...reply, usage: estimated };
      const used = usage.add(counted, current.model.modelId);
      budget.add(used, current.price);
      if (limit.leftBy !== undefined && reply.finishReason.unified === 'length')
        budget.cutBy(limit.leftBy);
      deps.onReply?.({ modelId: usage.modelId, use: used, price: current.price });
      if (estimated !== undefined)
        tellOnce(
          `\`${current.ref}\` does not say how many tokens a reply used, so they are estimated; the limits on tokens and cost use the estimate`,
        );
      if (used.costUsd === undefined && current.price === undefined && budget.limits.maxCostUsd > 0)
        tellOnce(
          `the price of \`${current.ref}\` is not known, so \`max-cost-usd\` cannot limit what it costs. Set \`[params.price]\` in the agent, or \`max-tokens\` or \`max-turns\`.`,
        );
      for (const warning of reply.warnings) {
        const isOwn = 'feature' in warning && ownSettings.includes(warning.feature);
        if (!isOwn) tellOnce(`the provider of \`${current.ref}\`: ${warningText(warning)}`);
      }
      const called = toolCallsOf(reply.content).map(({ tool }) => tool);
      const { costUsd, isCostPartial } = budget.spending;
      deps.reporter.event({
        kind: 'tokens-used',
        use: used,
        costUsd: isCostPartial ? undefined : costUsd,
      });
      deps.reporter.event({
        kind: 'model-reply',
        turn,
        stopReason: usage.stopReason,
        called,
        tools,
      });
    });
    return { reply, askedTokens: limit.tokens };
  }

  /**
   * The same request again after a passing error, until the tries of `[retry]` are spent, and then
   * the next model. What a provider asks us to wait is waited, unless the deadline comes first:
   * nothing could come of waiting then. A reply that ends with an error is one too, and is given
   * back if all tries fail. Each reply is counted, for what it took.
   */
  async function askSomebody(
    optionsNow: () => LanguageModelV4CallOptions,
    count: (reply: LanguageModelV4GenerateResult) => void,
  ): Promise<LanguageModelV4GenerateResult> {
    // Without `max_retries` two tries more, where axe makes none.
    const { maxRetries = DEFAULT_MAX_RETRIES } = retry;
    let reply: LanguageModelV4GenerateResult | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        reply = await current.model.doGenerate(optionsNow());
        count(reply);
        const { unified, raw = unified } = reply.finishReason;
        const isBroken = unified === 'error' && toolCallsOf(reply.content).length === 0;
        if (!isBroken || budget.spent() !== undefined || deps.signal.aborted) return reply;
        throw new ProviderError('server', `the reply ended with an error (${raw})`);
      } catch (thrown) {
        if (!isTransient(thrown) || deps.signal.aborted) throw thrown;
        const delayMs = Math.max(
          delayBefore(attempt, retry, deps.clock.random()),
          thrown.retryAfterMs ?? 0,
        );
        if (attempt <= maxRetries && delayMs < deps.leftMs()) {
          usage.retries += 1;
          deps.reporter.event({ kind: 'retry', attempt, maxRetries, error: thrown, delayMs });
          await deps.clock.sleep(delayMs, deps.signal);
          deps.signal.throwIfAborted();
          continue;
        }
        const next = await openNext();
        if (next === undefined && reply !== undefined) return reply;
        if (next === undefined) throw thrown;
        deps.reporter.event({ kind: 'fallback', from: current.ref, to: next.ref, error: thrown });
        current = next;
        attempt = 0;
      }
    }
  }

  /** A model that cannot even be opened must not hide why it was needed. */
  async function openNext(): Promise<OpenModel | undefined> {
    for (let open = others.shift(); open !== undefined; open = others.shift()) {
      try {
        return await open();
      } catch (thrown) {
        if (!(thrown instanceof AxeError)) throw thrown;
        const message = `a fallback model cannot be used: ${thrown.message}`;
        deps.reporter.warn({ code: 'model-warning', message });
      }
    }
    return undefined;
  }

  function tellOnce(message: string): void {
    if (!told.has(message)) deps.reporter.warn({ code: 'model-warning', message });
    told.add(message);
  }

  return {
    get current() {
      return current;
    },
    learnWindow(windowTokens) {
      current = { ...current, windowTokens };
    },
    ask,
  };
}

function warningText(warning: SharedV4Warning): string {
  if ('feature' in warning) return `${warning.feature}: ${warning.details ?? warning.type}`;
  return 'setting' in warning ? `${warning.setting}: ${warning.message}` : warning.message;
}

/**
 * What a reply used, by estimate where the provider does not say it; undefined where it says all of
 * it.
 */
function estimateUsage(
  { usage, content }: LanguageModelV4GenerateResult,
  messages: readonly LanguageModelV4Message[],
  tools: LanguageModelV4CallOptions['tools'],
): LanguageModelV4GenerateResult['usage'] | undefined {
  const { inputTokens, outputTokens } = usage;
  const [read, written] = [knownTokens(inputTokens.total), knownTokens(outputTokens.total)];
  if (read !== undefined && written !== undefined) return undefined;
  const input = read ?? estimateTokens(messages) + estimateTools(tools);
  const output = written ?? estimateTokens([assistantMessage(content, toolCallsOf(content))]);
  return {
    ...usage,
    inputTokens: { ...inputTokens, total: input },
    outputTokens: { ...outputTokens, total: output },
  };
}

/** Where models come from. */
export interface Models {
  /**
   * Reads the configuration of providers. Throws a ConfigError if it is broken; keys are not asked
   * for.
   */
  configure(): Promise<void>;
  /**
   * Opens a model, in the form of OpenAI's interface that is given (`[params] api`), else in the
   * one that is known of it. Throws a ProviderError for a missing key, an AxeError for an unknown
   * provider.
   */
  open(ref: ModelRef, form?: ModelParams['api']): Promise<LanguageModel>;
  /** What is known of a model; all undefined for one we have no figures of. */
  facts(ref: ModelRef): Pick<OpenModel, 'price' | 'windowTokens' | 'thinking' | 'mayCut'>;
  /**
   * The window of a model as its server says it; undefined where it cannot be asked. Never rejects
   * once the model is open.
   */
  askWindow?(ref: ModelRef, signal: AbortSignal): Promise<number | undefined>;
}

/**
 * What of `[params]` goes with each request, whoever is asked: models take of it what they know.
 */
export function modelSettings({ effort, tables }: Partial<ModelParams>): Settings {
  // Tables of TOML were made JSON when they were read.
  return { reasoning: effort, providerOptions: tables as SharedV4ProviderOptions | undefined };
}

/**
 * Whether the same request may succeed later: limits, overload, timeouts, server errors and broken
 * connections; never a wrong key or a wrong request, which some providers also report as `server`.
 */
export function isTransient(thrown: unknown): thrown is ProviderError {
  if (!(thrown instanceof ProviderError)) return false;
  const { category, status, overflow } = thrown;
  if (overflow !== undefined || category === 'auth' || category === 'bad_request') return false;
  if (category !== 'server') return true;
  return (
    status === undefined || status >= 500 || status < 300 || [408, 409, 424, 429].includes(status)
  );
}

/** axe's three ways to wait; only the exponential one has jitter, below one initial delay. */
function delayBefore(
  attempt: number,
  { backoff, initialDelayMs, maxDelayMs }: RetryConfig,
  random: number,
): number {
  switch (backoff) {
    case 'exponential':
      return Math.min(
        initialDelayMs * 2 ** (attempt - 1) + Math.floor(random * initialDelayMs),
        maxDelayMs,
      );
    case 'linear':
      return Math.min(initialDelayMs * attempt, maxDelayMs);
    case 'fixed':
      return Math.min(initialDelayMs, maxDelayMs);
  }
}
