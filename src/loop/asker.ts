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
import type { Limit } from '../lib/outcome.js';
import { formatInteger } from '../lib/text/format.js';
import type { Budget } from './budget.js';
import type { LoopDependencies } from './events.js';
import {
  assistantMessage,
  estimateTokens,
  estimateTools,
  type LanguageModel,
  textOf,
  withoutThoughts,
} from './messages.js';
import { knownTokens, limitOutput, type Thinking, type Usage, widerLimit } from './reply.js';
import { toolCallsOf } from './tool-calls.js';

export interface OpenModel {
  /** `provider/model`. */
  readonly ref: string;
  readonly model: LanguageModel;
  readonly price: Price | undefined;
  /** The price of a reply that names this model as its own; absent: that of the model. */
  readonly priceOf?: ((model: string) => Price | undefined) | undefined;
  /** Its provider says what each reply cost; absent: false. */
  readonly saysCost?: boolean;
  /** Tokens that fit into its window; undefined if not known. */
  readonly windowTokens: number | undefined;
  /** Absent for a model that we know nothing about. */
  readonly thinking?: Thinking;
  /** Its server might cut a prompt that is too long without saying so; absent: false. */
  readonly mayCut?: boolean;
}

export type Settings = Omit<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;

/** Asks a model, and the next fallback if that model cannot be reached. */
export interface ModelAsker {
  /** The model that is asked at present. */
  readonly current: OpenModel;
  /** The text of an answer that was cut because the run ended; undefined if none was. */
  readonly partialAnswer?: string | undefined;
  /** Sets how many tokens fit into the window of that model. */
  learnWindow(windowTokens: number): void;
  /**
   * One turn's request and reply, counted and reported. If the model reached its limit before its
   * answer began, it is asked once more with a larger one. `ownTokens` is a limit of ours, for
   * models that do not think. Throws the provider's error, or the signal's reason.
   */
  ask(
    messages: readonly LanguageModelV4Message[],
    settings: Settings,
    ownTokens?: number,
  ): Promise<LanguageModelV4GenerateResult>;
}

interface AskerOptions {
  readonly model: OpenModel;
  /** Asked in this order when a passing error outlasts all retries; each is opened only then. */
  readonly fallbacks: readonly (() => Promise<OpenModel>)[];
  readonly retry: RetryConfig;
  readonly budget: Budget;
  readonly usage: Usage;
  /** Settings that are our defaults: nobody needs a warning if a model does not support them. */
  readonly ownSettings?: readonly string[];
}

interface TurnRequest {
  readonly turn: number;
  readonly messages: readonly LanguageModelV4Message[];
  readonly settings: Settings;
  readonly ownTokens: number | undefined;
}

/** Retries and fallbacks around a model; the conversation stays with a fallback that it reached. */
export function createAsker(options: AskerOptions, deps: LoopDependencies): ModelAsker {
  return new RetryingAsker(options, deps);
}

class RetryingAsker implements ModelAsker {
  readonly #unusedFallbacks: (() => Promise<OpenModel>)[];
  readonly #reportedWarnings = new Set<string>();
  /**
   * Messages sent to earlier models: a package that gets another model's thoughts warns of them.
   */
  #foreignMessages: ReadonlySet<LanguageModelV4Message> = new Set();
  #current: OpenModel;
  /** The larger output limit that the model needed to reach its answer. */
  #neededTokens: number | undefined;
  #partialAnswer: string | undefined;
  /** The model of a reply whose cost is not known although it is limited. */
  #unpricedModel: string | undefined;

  constructor(
    private readonly options: AskerOptions,
    private readonly deps: LoopDependencies,
  ) {
    this.#unusedFallbacks = [...options.fallbacks];
    this.#current = options.model;
  }

  get current(): OpenModel {
    return this.#current;
  }

  get partialAnswer(): string | undefined {
    return this.#partialAnswer;
  }

  learnWindow(windowTokens: number): void {
    this.#current = { ...this.#current, windowTokens };
  }

  async ask(
    messages: readonly LanguageModelV4Message[],
    settings: Settings,
    ownTokens?: number,
  ): Promise<LanguageModelV4GenerateResult> {
    const { budget, usage } = this.options;
    // The one check before each request: a summary or a sub-agent might have spent the rest.
    const spent = budget.spent();
    if (spent !== undefined) throw spent.error;
    this.#requirePrice(this.#current);

    const request: TurnRequest = { turn: usage.turns + 1, messages, settings, ownTokens };
    const { reply, askedTokens } = await this.#askOnce(request);
    usage.turns = request.turn;
    const widerTokens = widerLimit(reply, this.#current.thinking, askedTokens);
    if (widerTokens === undefined || budget.spent() !== undefined) return reply;

    const message = `\`${this.#current.ref}\` reached its output limit before its answer began, so we ask it once more with a limit of ${formatInteger(widerTokens)} tokens`;
    this.deps.reporter.warn({ code: 'model-warning', message });
    usage.retries += 1;
    try {
      const widerSettings = { ...settings, maxOutputTokens: widerTokens };
      const second = await this.#askOnce({ ...request, settings: widerSettings });
      this.#neededTokens = widerTokens;
      return second.reply;
    } catch (thrown) {
      // A server without room for a larger answer refuses the request.
      if (!(thrown instanceof ProviderError) || thrown.category !== 'bad_request') throw thrown;
      return reply;
    }
  }

  async #askOnce(request: TurnRequest) {
    const { budget, usage } = this.options;
    const { turn, messages, settings, ownTokens } = request;
    this.deps.reporter.event({
      kind: 'model-request',
      turn,
      messages: messages.filter((message) => message.role !== 'system').length,
      toolResults: usage.toolCalls,
      tools: settings.tools?.length ?? 0,
    });

    const input = estimateTokens(messages);
    // A provider with a cache has the last request's input in it.
    const cacheRead = Math.min(input, usage.lastInputTokens);
    const expectedUse = { input, output: 0, cacheRead, cacheWrite: 0 };
    const firstRef = this.#current.ref;
    let limit: ReturnType<typeof limitOutput> = { tokens: undefined };
    const optionsNow = () => {
      if (this.#current.ref !== firstRef) this.#foreignMessages = new Set(messages);
      const outputLeft = budget.outputLeft(expectedUse, this.#current.price);
      const wideSettings = this.#withNeededTokens(settings);
      limit = limitOutput(this.#current, wideSettings, ownTokens, outputLeft);
      const prompt = [...withoutThoughts(messages, this.#foreignMessages)];
      return { ...settings, maxOutputTokens: limit.tokens, prompt, abortSignal: this.deps.signal };
    };

    const countReply = (received: LanguageModelV4GenerateResult) =>
      this.#countReply(received, request, limit.leftBy);
    const reply = await this.#askUntilAnswered(optionsNow, countReply, ownTokens);
    return { reply, askedTokens: limit.tokens };
  }

  #withNeededTokens(settings: Settings): Settings {
    const tokens = this.#neededTokens;
    const isWider = tokens !== undefined && tokens > (settings.maxOutputTokens ?? 0);
    return isWider ? { ...settings, maxOutputTokens: tokens } : settings;
  }

  /** Counts a reply in the budget and reports it. `leftBy` is the limit that cut its output. */
  #countReply(
    reply: LanguageModelV4GenerateResult,
    { turn, messages, settings }: TurnRequest,
    leftBy: Limit | undefined,
  ): void {
    const { budget, usage } = this.options;
    const { model } = this.#current;
    const price = this.#priceOf(reply);
    const estimated = estimateUsage(reply, messages, settings.tools);
    const counted = estimated === undefined ? reply : { ...reply, usage: estimated };
    const use = usage.add(counted, model.modelId);
    budget.add(use, price);
    if (leftBy !== undefined && reply.finishReason.unified === 'length') budget.cutBy(leftBy);
    this.deps.onReply?.({ modelId: usage.modelId, use, price });
    if (use.costUsd === undefined && price === undefined) this.#unpricedModel = usage.modelId;
    this.#warnAboutReply(reply, estimated !== undefined);

    const offered = settings.tools?.map(({ name }) => name);
    const called = toolCallsOf(reply.content, offered).map(({ tool }) => tool);
    const { stopReason } = usage;
    const { costUsd: totalUsd, isCostPartial } = budget.spending;
    const costUsd = isCostPartial ? undefined : totalUsd;
    const tools = settings.tools?.length ?? 0;
    this.deps.reporter.event({ kind: 'tokens-used', use, costUsd });
    this.deps.reporter.event({ kind: 'model-reply', turn, stopReason, called, tools });
  }

  /** A gateway can answer with another model than the one that was asked for. */
  #priceOf({ response }: LanguageModelV4GenerateResult): Price | undefined {
    const { price, priceOf } = this.#current;
    return response?.modelId === undefined || priceOf === undefined
      ? price
      : priceOf(response.modelId);
  }

  #warnAboutReply({ warnings }: LanguageModelV4GenerateResult, isEstimated: boolean): void {
    const { ownSettings = [] } = this.options;
    const { ref } = this.#current;
    if (isEstimated)
      this.#warnOnce(
        `\`${ref}\` does not say how many tokens a reply used, so they are estimated; the limits on tokens and cost use the estimate`,
      );
    for (const warning of warnings) {
      const isOwn = 'feature' in warning && ownSettings.includes(warning.feature);
      if (!isOwn) this.#warnOnce(`the provider of \`${ref}\`: ${warningText(warning)}`);
    }
  }

  /**
   * Sends the request again after a passing error, until the tries of `[retry]` are spent, and then
   * asks the next model. Waits as long as the provider says, unless the run would end first. A quota
   * that is used up is not tried again, and a server that is loading its model is waited for until
   * the run would end. A reply that ends with an error counts as a passing error too, and is
   * returned if all tries fail. Each reply is counted, since each has a cost.
   */
  async #askUntilAnswered(
    optionsNow: () => LanguageModelV4CallOptions,
    countReply: (reply: LanguageModelV4GenerateResult) => void,
    ownTokens: number | undefined,
  ): Promise<LanguageModelV4GenerateResult> {
    const { budget, usage, retry } = this.options;
    const { clock, reporter, signal } = this.deps;
    // axe does not retry without `max_retries`.
    const { maxRetries = DEFAULT_MAX_RETRIES } = retry;
    let reply: LanguageModelV4GenerateResult | undefined;
    let lastError: ProviderError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        reply = await this.#current.model.doGenerate(optionsNow());
        countReply(reply);
        if (signal.aborted && reply.finishReason.unified === 'interrupted') {
          // A limit of ours is for texts that are not the answer.
          this.#partialAnswer = ownTokens === undefined ? textOf(reply.content) : undefined;
          signal.throwIfAborted();
        }
        const { unified, raw = unified } = reply.finishReason;
        const isBroken = unified === 'error' && toolCallsOf(reply.content).length === 0;
        if (!isBroken || budget.spent() !== undefined || signal.aborted) return reply;
        throw new ProviderError('server', `the reply ended with an error (${raw})`);
      } catch (thrown) {
        if (!canGoOn(thrown) || signal.aborted) throw thrown;
        const error = withDeath(thrown, lastError);
        if (error.isLoading && LOADING_POLL_MS < this.deps.leftMs()) {
          if (lastError?.isLoading !== true)
            reporter.event({ kind: 'loading', model: this.#current.ref });
          lastError = error;
          await clock.sleep(LOADING_POLL_MS, signal);
          signal.throwIfAborted();
          attempt -= 1;
          continue;
        }

        lastError = error;
        const backoffMs = delayBefore(attempt, retry, clock.random());
        const delayMs = Math.max(backoffMs, error.retryAfterMs ?? 0);
        if (!error.isLasting && attempt <= maxRetries && delayMs < this.deps.leftMs()) {
          usage.retries += 1;
          reporter.event({ kind: 'retry', attempt, maxRetries, error, delayMs });
          await clock.sleep(delayMs, signal);
          signal.throwIfAborted();
          continue;
        }

        const fallback = await this.#openFallback();
        if (fallback === undefined && reply !== undefined) return reply;
        if (fallback === undefined) throw error;
        const { ref } = this.#current;
        reporter.event({ kind: 'fallback', from: ref, to: fallback.ref, error });
        this.#current = fallback;
        this.#neededTokens = undefined;
        lastError = undefined;
        attempt = 0;
      }
    }
  }

  /** A model that cannot even be opened must not hide why it was needed. */
  async #openFallback(): Promise<OpenModel | undefined> {
    for (;;) {
      const open = this.#unusedFallbacks.shift();
      if (open === undefined) return undefined;
      try {
        const fallback = await open();
        this.#requirePrice(fallback);
        return fallback;
      } catch (thrown) {
        if (!(thrown instanceof AxeError)) throw thrown;
        const message = `a fallback model cannot be used: ${thrown.message}`;
        this.deps.reporter.warn({ code: 'model-warning', message });
      }
    }
  }

  /** A limit that cannot be kept is an error before it costs anything. */
  #requirePrice({ ref, price, saysCost = false }: OpenModel): void {
    const { maxCostUsd, costInput } = this.options.budget.limits;
    if (maxCostUsd <= 0) return;
    if (this.#unpricedModel !== undefined) throw unknownPriceError(this.#unpricedModel, costInput);
    if (price === undefined && !saysCost) throw unknownPriceError(ref, costInput);
  }

  #warnOnce(message: string): void {
    if (!this.#reportedWarnings.has(message))
      this.deps.reporter.warn({ code: 'model-warning', message });
    this.#reportedWarnings.add(message);
  }
}

/** The error for a model whose cost is limited by the input and cannot be counted. */
export function unknownPriceError(model: string, costInput = 'max-cost-usd'): AxeError {
  return new AxeError(
    `the price of \`${model}\` is not known, so \`${costInput}\` cannot limit what it costs`,
    { exitCode: 2, remedy: PRICE_REMEDY },
  );
}

const PRICE_REMEDY =
  'Set it with the input `price`, for example `2 10` (US dollars per million tokens of input and output; `0 0` for your own server), ' +
  'or with `[params.price]` in the agent. Or limit the run with `max-tokens`.';

function warningText(warning: SharedV4Warning): string {
  if ('feature' in warning) return `${warning.feature}: ${warning.details ?? warning.type}`;
  return 'setting' in warning ? `${warning.setting}: ${warning.message}` : warning.message;
}

/** A reply's usage with estimates for missing figures; undefined if the provider gave them all. */
function estimateUsage(
  { usage, content }: LanguageModelV4GenerateResult,
  messages: readonly LanguageModelV4Message[],
  tools: LanguageModelV4CallOptions['tools'],
): LanguageModelV4GenerateResult['usage'] | undefined {
  const { inputTokens, outputTokens } = usage;
  const knownInput = knownTokens(inputTokens.total);
  const knownOutput = knownTokens(outputTokens.total);
  if (knownInput !== undefined && knownOutput !== undefined) return undefined;

  const input = knownInput ?? estimateTokens(messages) + estimateTools(tools);
  const output = knownOutput ?? estimateTokens([assistantMessage(content, toolCallsOf(content))]);
  return {
    ...usage,
    inputTokens: { ...inputTokens, total: input },
    outputTokens: { ...outputTokens, total: output },
  };
}

export interface OpenOptions {
  readonly api?: ModelParams['api'];
  readonly stream?: boolean;
}

export interface Models {
  /** Reads the configuration of providers, without keys. Throws a ConfigError if it is broken. */
  configure(): Promise<void>;
  /**
   * Opens a model. `api` is the form of OpenAI's interface (`[params] api`); without it the one
   * known for the model is used. With `stream` every reply is received in a stream. Throws a
   * ProviderError for a missing key, an AxeError for an unknown provider.
   */
  open(ref: ModelRef, options?: OpenOptions): Promise<LanguageModel>;
  /** The variable of a model's key, if the model needs one and it is nowhere. */
  missingKey?(ref: ModelRef): Promise<string | undefined>;
  /** The figures of a model; all undefined for a model that we have none for. */
  facts(
    ref: ModelRef,
  ): Pick<OpenModel, 'price' | 'priceOf' | 'saysCost' | 'windowTokens' | 'thinking' | 'mayCut'>;
  /**
   * The window that a model's server reports; undefined if the server cannot be asked. Never
   * rejects once the model is open.
   */
  askWindow?(ref: ModelRef, signal: AbortSignal): Promise<number | undefined>;
}

/** The settings of `[params]` that go with each request; a model uses those that it supports. */
export function modelSettings({ effort, tables }: Partial<ModelParams>): Settings {
  // TOML tables became JSON when they were read.
  return { reasoning: effort, providerOptions: tables as SharedV4ProviderOptions | undefined };
}

/**
 * True for errors after which the same request might succeed later: limits, overload, timeouts,
 * server errors and broken connections. A wrong key or a wrong request never does, and some
 * providers report those as `server` too.
 * @internal
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

/** The request can be sent again, or to the next model: another provider has a quota of its own. */
function canGoOn(thrown: unknown): thrown is ProviderError {
  return isTransient(thrown) || (thrown instanceof ProviderError && thrown.isLasting);
}

/** A server that nobody reaches after it broke off an answer has died while it answered. */
function withDeath(error: ProviderError, before: ProviderError | undefined): ProviderError {
  if (error.connection !== 'refused' || before?.connection !== 'broken') return error;
  return new ProviderError(
    'server',
    'the server died while it answered: the answer broke off, and now nothing answers there',
    {
      connection: 'broken',
      remedy: 'Look at the log of the server. It might need more memory, or a smaller window.',
      cause: error,
    },
  );
}

/** The wait between two requests to a server that is loading its model. */
const LOADING_POLL_MS = 2000;

/** axe's three back-offs; only the exponential one has jitter, of less than one initial delay. */
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
