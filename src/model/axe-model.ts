import {
  APICallError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Message,
} from '@ai-sdk/provider';
import { propertyOf } from '../lib/data.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import {
  askedBy,
  type LanguageModel,
  type MessagePart,
  withoutThoughts,
} from '../loop/messages.js';
import { withCost } from '../loop/reply.js';
import type { Protocol } from './catalog.js';
import { retryRemedy, toProviderError } from './errors.js';
import { type AskedModel, withCachePoints, withModelOptions } from './model-options.js';
import { Refusals } from './refusals.js';
import { Streaming } from './streaming.js';
import { type OpenedModel, streamReply } from './transport.js';

/** The package's model with axe's defaults going in and axe's errors coming out. */
export function withAxeErrors({ model, secrets }: OpenedModel, target: AskedModel): LanguageModel {
  /** Messages whose thinking was refused, since something before it has changed. */
  const bare = new Set<LanguageModelV4Message>();
  const streaming = new Streaming(target);
  const refusals = new Refusals();

  async function ask(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const sent = { ...refusals.apply(options), prompt: [...withoutThoughts(options.prompt, bare)] };
    try {
      const request = send(withCachePoints(sent, target), target);
      return streaming.isFor(request)
        ? await streamReply(model, request, target.wire)
        : await model.doGenerate(request);
    } catch (thrown) {
      if (streaming.learn(thrown) || refusals.learn(thrown, sent)) return await ask(options);
      if (!refusesThinking(thrown) || options.prompt.every((message) => bare.has(message)))
        throw thrown;
      for (const message of options.prompt) bare.add(message);
      return await ask(options);
    }
  }

  return askedBy(model, async (options) => {
    try {
      const fitted = withModelOptions(options, target);
      const reply = withReportedUsage(withKnownEnd(await ask(fitted.options)));
      checkContent(reply, options, target);
      const readable = toReadable(reply, target);
      const { maxOutputTokens } = options;
      const refused = refusals.warnings({ ...fitted.options, maxOutputTokens });
      const warnings = [...fitted.warnings, ...refused, ...warningsOf(readable, options)];
      return { ...readable, warnings };
    } catch (thrown) {
      if (thrown instanceof AxeError || options.abortSignal?.aborted === true) throw thrown;
      throw toProviderError(thrown, target.provider, secrets);
    }
  });
}

/** The request with reasoning in the form that the provider takes back. */
function send(
  options: LanguageModelV4CallOptions,
  { provider, wire }: AskedModel,
): LanguageModelV4CallOptions {
  if (wire === 'anthropic' || wire === 'bedrock') return sendPlainIds(options);
  const withReasoning = provider.id === 'openrouter' ? sendReasoningDetails(options) : options;
  return isChat(wire) ? sendThinkBlocks(withReasoning) : withReasoning;
}

/**
 * Claude refuses the ids of some others; Kimi, which has `functions.name:0`, wants its own back.
 */
function sendPlainIds(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const plain = <T extends MessagePart>(part: T): T =>
    'toolCallId' in part ? { ...part, toolCallId: part.toolCallId.replace(/[^\w-]/g, '_') } : part;
  const prompt = options.prompt.map((message) => {
    if (message.role === 'assistant') return { ...message, content: message.content.map(plain) };
    return message.role === 'tool' ? { ...message, content: message.content.map(plain) } : message;
  });
  return { ...options, prompt };
}

/** The reply with its reasoning and its cost, as far as its package does not read them. */
function toReadable(
  reply: LanguageModelV4GenerateResult,
  { provider, wire }: AskedModel,
): LanguageModelV4GenerateResult {
  const parsed = isChat(wire) ? takeThinkBlock(reply) : reply;
  return provider.id === 'openrouter' ? withReportedCost(keepReasoningDetails(parsed)) : parsed;
}

/** Chat Completions, which any server may offer. */
function isChat(wire: Protocol): boolean {
  return wire === 'openai' || wire === 'openai-compatible';
}

/**
 * Refused and cut replies can be empty, and so can a reply after tool calls. Any other empty reply
 * is an error for Anthropic and Ollama, and for Google without an end; for others it is an empty
 * answer, as in axe.
 */
function checkContent(
  { content, finishReason }: LanguageModelV4GenerateResult,
  { prompt }: LanguageModelV4CallOptions,
  { provider, wire }: AskedModel,
): void {
  const { unified, raw } = finishReason;
  const details = { remedy: retryRemedy(provider) };
  if (content.length > 0 || unified === 'content-filter' || unified === 'length') return;
  if (unified === 'error')
    throw new ProviderError('server', `the reply ended with an error (${raw ?? unified})`, details);
  const isNone =
    wire === 'google' ? raw === undefined : wire === 'anthropic' || provider.id === 'ollama';
  if (isNone && !prompt.some(({ role }) => role === 'tool'))
    throw new ProviderError('server', 'response contains no content', details);
}

/**
 * The warnings that a user can act on. No run chooses a tool for the model; a package does, to get
 * JSON by a schema, and warns where the model takes no choice; nor does a user choose a limit that
 * is ours, or write code with `providerOptions`.
 */
function warningsOf(
  { warnings }: LanguageModelV4GenerateResult,
  { maxOutputTokens }: LanguageModelV4CallOptions,
): LanguageModelV4GenerateResult['warnings'] {
  const ours = maxOutputTokens === undefined ? ['toolChoice', 'maxOutputTokens'] : ['toolChoice'];
  return warnings.filter((warning) =>
    'feature' in warning
      ? !ours.includes(warning.feature)
      : !warning.message.includes('providerOptions'),
  );
}

/**
 * The reply without figures that cannot be: every request has tokens, and so does every text. The
 * packages make zeros of figures that are missing, and a limit that counts zeros does not hold. xAI
 * counts thoughts in its total alone.
 */
function withReportedUsage(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { inputTokens, outputTokens, raw } = reply.usage;
  const { total: outputTotal = 0, reasoning: thoughtTokens = 0 } = outputTokens;
  const isApart =
    propertyOf(raw, 'total_tokens') === (inputTokens.total ?? 0) + outputTotal + thoughtTokens;
  const written = isApart ? outputTotal + thoughtTokens : outputTokens.total;
  const input = inputTokens.total || undefined;
  const output = reply.content.length === 0 ? written : written || undefined;
  return {
    ...reply,
    usage: {
      ...reply.usage,
      inputTokens: { ...inputTokens, total: input },
      outputTokens: { ...outputTokens, total: output },
    },
  };
}

/** Names of ends that the packages do not know, in small letters and without punctuation. */
const ENDS = {
  length:
    'max_tokens max_output_tokens max_length model_length context_length_exceeded model_context_window_exceeded ' +
    'repetition_truncation incomplete',
  'content-filter':
    'refusal content_filtered content_policy_violation safety sensitive blocklist prohibited_content recitation ' +
    'spii guardrail_intervened',
  error:
    'error abort aborted cancelled failed network_error insufficient_system_resource malformed_function_call ' +
    'malformed_model_output malformed_response malformed_tool_use missing_thought_signature too_many_tool_calls ' +
    'unexpected_tool_call',
};

/**
 * The reply with how it ended in the interface's words. The packages call every end `other` that
 * their own list lacks, and so a cut answer would pass for a whole one. An end that nobody knows
 * stays `other`: servers have many names for an ordinary one.
 */
function withKnownEnd(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  // The package for Responses does not look whether one has failed.
  const hasFailed = propertyOf(reply.response?.body, 'status') === 'failed';
  const { unified, raw } = hasFailed ? { unified: 'other', raw: 'failed' } : reply.finishReason;
  if (unified !== 'other' || raw === undefined) return reply;
  const plain = raw.toLowerCase().replace(/[^a-z]+/g, '_');
  const known = (['length', 'content-filter', 'error'] as const).find((end) =>
    ENDS[end].split(' ').includes(plain),
  );
  return known === undefined ? reply : { ...reply, finishReason: { unified: known, raw } };
}

/**
 * OpenRouter says what a reply cost (openrouter.ai/docs, usage accounting); with a key of one's own
 * at the maker, its fee and what the maker takes.
 */
function withReportedCost(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { raw } = reply.usage;
  const upstream =
    propertyOf(raw, 'is_byok') === true
      ? propertyOf(propertyOf(raw, 'cost_details'), 'upstream_inference_cost')
      : 0;
  const costUsd = Number(propertyOf(raw, 'cost')) + Number(upstream);
  return Number.isFinite(costUsd) && costUsd >= 0 ? withCost(reply, costUsd) : reply;
}

/**
 * True if a provider refuses the thinking in a request that it would accept without it. Claude from
 * 5.1 on binds its thinking to everything before it (platform.claude.com/docs, preserved thinking,
 * prefix checks, read 2026-11-24).
 */
function refusesThinking(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return false;
  const text = String(thrown.responseBody);
  return /thinking/.test(text) && /signature|bound to a different|cannot be modified/.test(text);
}

const BLOCK_KEY = 'thinkBlock';

/** Only at the start of a reply: a later block is the model's text about such blocks. */
const LEADING = /^\s*<think>([\s\S]*?)<\/think>\s*/;
const UNCLOSED = /^\s*<think>([\s\S]*)$/;

/**
 * The reply with a leading `<think>…</think>` as reasoning instead of text: servers without a parser
 * for their model's reasoning leave it in the text. A block that was cut before its end is the whole
 * reply. The block's text is kept unchanged, since some models need it back in the next turn.
 * @internal
 */
export function takeThinkBlock(
  reply: LanguageModelV4GenerateResult,
): LanguageModelV4GenerateResult {
  const first = reply.content.findIndex(({ type }) => type === 'text');
  const part = reply.content[first];
  if (part?.type !== 'text') return reply;
  const isCut = reply.finishReason.unified === 'length';
  const [block, thought] =
    LEADING.exec(part.text) ?? (isCut ? UNCLOSED.exec(part.text) : null) ?? [];
  if (block === undefined || thought === undefined) return reply;
  const reasoning: LanguageModelV4Content = {
    type: 'reasoning',
    text: thought.trim(),
    providerMetadata: { [BLOCK_KEY]: { text: block } },
  };
  const rest = part.text.slice(block.length);
  const text = rest === '' ? [] : [{ ...part, text: rest }];
  return { ...reply, content: reply.content.toSpliced(first, 1, reasoning, ...text) };
}

/** Puts the blocks back where they came from. @internal */
export function sendThinkBlocks(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message) => {
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) => {
      const block =
        part.type === 'reasoning' ? part.providerOptions?.[BLOCK_KEY]?.['text'] : undefined;
      return typeof block === 'string' ? { type: 'text' as const, text: block } : part;
    });
    return { ...message, content };
  });
  return { ...options, prompt };
}

/** The key under which OpenRouter's reasoning is kept on a thought. */
const DETAILS_KEY = 'openrouter';

/**
 * OpenRouter gives reasoning with its signatures as `reasoning_details` and needs it back as it
 * came, or the model behind it refuses the next turn (openrouter.ai/docs, preserving reasoning).
 * The package for compatible endpoints does not know them: they become the one thought of the
 * reply.
 */
function keepReasoningDetails(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const choices = propertyOf(reply.response?.body, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const details = propertyOf(propertyOf(choice, 'message'), 'reasoning_details');
  if (!Array.isArray(details) || details.length === 0) return reply;
  const text = reply.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const thought = {
    type: 'reasoning',
    text,
    providerMetadata: { [DETAILS_KEY]: { details } },
  } as const;
  return {
    ...reply,
    content: [thought, ...reply.content.filter(({ type }) => type !== 'reasoning')],
  };
}

/**
 * Puts the kept details where the package sends them from; the reasoning's plain text is in them
 * already.
 */
function sendReasoningDetails(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const prompt = options.prompt.map((message): LanguageModelV4Message => {
    if (message.role !== 'assistant') return message;
    const details = message.content
      .map((part) => part.providerOptions?.[DETAILS_KEY]?.['details'])
      .find((value) => value !== undefined);
    if (details === undefined) return message;
    return {
      role: 'assistant',
      content: message.content.filter(({ type }) => type !== 'reasoning'),
      providerOptions: {
        ...message.providerOptions,
        openaiCompatible: { reasoning_details: details },
      },
    };
  });
  return { ...options, prompt };
}
