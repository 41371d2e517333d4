import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider';
import type { OpenModel } from '../../src/loop/asker.js';
import type { LanguageModel } from '../../src/loop/messages.js';

/** One reply: a result, an error the provider raises, or a function of what was asked. */
export type FakeReply =
  | LanguageModelV4GenerateResult
  | Error
  | ((options: LanguageModelV4CallOptions) => Promise<LanguageModelV4GenerateResult>);

/** A model that answers from a script and remembers what it was asked. */
export interface FakeModel extends LanguageModel {
  readonly asked: readonly LanguageModelV4CallOptions[];
}

/** What a reply contains besides its content. */
export interface ReplyDetails {
  readonly finish?: LanguageModelV4GenerateResult['finishReason'];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheRead?: number;
  readonly modelId?: string;
  readonly warnings?: LanguageModelV4GenerateResult['warnings'];
}

/** A model for the replies in their order; one more request is an error of the test. */
export function createFakeModel(replies: readonly FakeReply[], modelId = 'fake-model'): FakeModel {
  const asked: LanguageModelV4CallOptions[] = [];
  return {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId,
    supportedUrls: {},
    asked,
    async doGenerate(options) {
      const reply = replies[asked.length];
      asked.push({ ...options, prompt: structuredClone(options.prompt) });
      if (reply === undefined)
        throw new Error(`the script of the model has ${replies.length} replies`);
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? await reply(options) : reply;
    },
  };
}

/**
 * A model as the loop gets it; nothing is known of its price and its window unless `facts` say so.
 */
export function opened(
  model: LanguageModel,
  facts: Partial<Omit<OpenModel, 'model'>> = {},
): OpenModel {
  return {
    ref: `fake/${model.modelId}`,
    model,
    price: undefined,
    windowTokens: undefined,
    ...facts,
  };
}

/** A reply made of parts. */
export function reply(
  content: readonly LanguageModelV4Content[],
  {
    finish,
    inputTokens = 3,
    outputTokens = 2,
    cacheRead = 0,
    modelId,
    warnings = [],
  }: ReplyDetails = {},
): LanguageModelV4GenerateResult {
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  return {
    content: [...content],
    finishReason:
      finish ??
      (hasCalls
        ? { unified: 'tool-calls', raw: 'tool_use' }
        : { unified: 'stop', raw: 'end_turn' }),
    usage: {
      inputTokens: { total: inputTokens, noCache: undefined, cacheRead, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    },
    ...(modelId === undefined ? {} : { response: { modelId } }),
    warnings,
  };
}

/** A reply that is an answer. */
export function says(text: string, details: ReplyDetails = {}): LanguageModelV4GenerateResult {
  return reply([{ type: 'text', text }], details);
}

/** A call of a tool; arguments as JSON, or as the text the model wrote. */
export function call(toolCallId: string, toolName: string, input: unknown): LanguageModelV4Content {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return { type: 'tool-call', toolCallId, toolName, input: text };
}

/**
 * A reply that comes only when the run is aborted: it fails then, as a request on the wire does.
 */
export function never(onAsked: () => void = () => {}): FakeReply {
  return ({ abortSignal }) =>
    new Promise((_resolve, reject) => {
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason), { once: true });
      onAsked();
    });
}
