import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { field } from '../lib/data.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { type LanguageModel, withoutThoughts } from '../loop/messages.js';
import { isThinking } from '../loop/output-limit.js';
import { withCost } from '../loop/usage.js';
import type { Protocol } from './catalog.js';
import { retryRemedy, toProviderError } from './errors.js';
import { type Asked, withCachePoints, withModelOptions } from './model-options.js';
import type { OpenedModel } from './protocols.js';
import { streamReply } from './replies.js';
import {
  keepReasoningDetails,
  refusesThinking,
  sendReasoningDetails,
  sendThinkBlocks,
  takeThinkBlock,
} from './thinking.js';

/** The package's model with axe's defaults going in and axe's errors coming out. */
export function withAxeErrors({ model, secrets }: OpenedModel, asked: Asked): LanguageModel {
  /** Messages whose thinking was refused, since something before it has changed. */
  const bare = new Set<LanguageModelV4Message>();

  async function ask(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const sent = { ...options, prompt: [...withoutThoughts(options.prompt, bare)] };
    try {
      const request = send(withCachePoints(sent, asked), asked);
      // Minutes of thinking without a byte are taken for a broken connection by what is on the way. OpenRouter is asked
      // for whole replies: its reasoning would come in pieces, and has to be sent back whole.
      return isThinking(asked.thinking, request) && asked.provider.id !== 'openrouter'
        ? await streamReply(model, request)
        : await model.doGenerate(request);
    } catch (thrown) {
      if (!refusesThinking(thrown) || options.prompt.every((message) => bare.has(message))) throw thrown;
      for (const message of options.prompt) bare.add(message);
      return await ask(options);
    }
  }

  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    async doGenerate(options) {
      try {
        const fitted = withModelOptions(options, asked);
        const reply = withReportedUsage(withKnownEnd(await ask(fitted.options)));
        checkContent(reply, options, asked);
        const kept = keep(reply, asked);
        return { ...kept, warnings: [...fitted.warnings, ...warningsOf(kept, options)] };
      } catch (thrown) {
        if (thrown instanceof AxeError || options.abortSignal?.aborted === true) throw thrown;
        throw toProviderError(thrown, asked.provider, secrets);
      }
    },
  };
}

/** Reasoning as the provider wants it back, and as the package does not know it. */
function send(options: LanguageModelV4CallOptions, { provider, wire }: Asked): LanguageModelV4CallOptions {
  const withReasoning = provider.id === 'openrouter' ? sendReasoningDetails(options) : options;
  return isChat(wire) ? sendThinkBlocks(withReasoning) : withReasoning;
}

function keep(
  given: LanguageModelV4GenerateResult,
  { provider, wire }: Asked,
): LanguageModelV4GenerateResult {
  const reply = isChat(wire) ? takeThinkBlock(given) : given;
  return provider.id === 'openrouter' ? withReportedCost(keepReasoningDetails(reply)) : reply;
}

/** Chat Completions, which any server may offer. */
function isChat(wire: Protocol): boolean {
  return wire === 'openai' || wire === 'openai-compatible';
}

/**
 * How a reply ended counts before what it holds: a refusal and a cut reply may be empty, and so may a reply after tool
 * calls, by which all may have been said. Else no content at all is an error for Anthropic and Ollama, and for
 * Google without an end, and an empty answer for others (axe-behaviour §11).
 */
function checkContent(
  { content, finishReason }: LanguageModelV4GenerateResult,
  { prompt }: LanguageModelV4CallOptions,
  { provider, wire }: Asked,
): void {
  const { unified, raw } = finishReason;
  const details = { remedy: retryRemedy(provider) };
  if (content.length > 0 || unified === 'content-filter' || unified === 'length') return;
  if (unified === 'error')
    throw new ProviderError('server', `the reply ended with an error (${raw ?? unified})`, details);
  const isNone = wire === 'google' ? raw === undefined : wire === 'anthropic' || provider.id === 'ollama';
  if (isNone && !prompt.some(({ role }) => role === 'tool'))
    throw new ProviderError('server', 'response contains no content', details);
}

/**
 * The warnings that a user can act on. No run chooses a tool for the model; a package does, to get JSON by a schema, and warns
 * where the model takes no choice; nor does a user choose a limit that is ours.
 */
function warningsOf(
  { warnings }: LanguageModelV4GenerateResult,
  { maxOutputTokens }: LanguageModelV4CallOptions,
): LanguageModelV4GenerateResult['warnings'] {
  const ours = maxOutputTokens === undefined ? ['toolChoice', 'maxOutputTokens'] : ['toolChoice'];
  return warnings.filter((warning) => !('feature' in warning && ours.includes(warning.feature)));
}

/**
 * The reply without figures that cannot be: every request has tokens, and so does every text. The packages make zeros
 * of figures that are missing, and a limit that counts zeros does not hold.
 */
function withReportedUsage(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { inputTokens, outputTokens } = reply.usage;
  const input = inputTokens.total || undefined;
  const output = reply.content.length === 0 ? outputTokens.total : outputTokens.total || undefined;
  return {
    ...reply,
    usage: {
      ...reply.usage,
      inputTokens: { ...inputTokens, total: input },
      outputTokens: { ...outputTokens, total: output },
    },
  };
}

/** What providers and compatible servers call an end that the packages do not know: written small, without signs. */
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
 * The reply with how it ended in the interface's words. The packages call every end `other` that their own list lacks,
 * and so a cut answer would pass for a whole one. An end that nobody knows stays `other`: servers have many names for
 * an ordinary one.
 */
function withKnownEnd(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  // The package for Responses does not look whether one has failed.
  const hasFailed = field(reply.response?.body, 'status') === 'failed';
  const { unified, raw } = hasFailed ? { unified: 'other', raw: 'failed' } : reply.finishReason;
  if (unified !== 'other' || raw === undefined) return reply;
  const plain = raw.toLowerCase().replace(/[^a-z]+/g, '_');
  const known = (['length', 'content-filter', 'error'] as const).find((end) =>
    ENDS[end].split(' ').includes(plain),
  );
  return known === undefined ? reply : { ...reply, finishReason: { unified: known, raw } };
}

/**
 * OpenRouter says what a reply cost (openrouter.ai/docs, usage accounting); with a key of one's own at the maker, its fee
 * and what the maker takes.
 */
function withReportedCost(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { raw } = reply.usage;
  const upstream =
    field(raw, 'is_byok') === true ? field(field(raw, 'cost_details'), 'upstream_inference_cost') : 0;
  const costUsd = Number(field(raw, 'cost')) + Number(upstream);
  return Number.isFinite(costUsd) && costUsd >= 0 ? withCost(reply, costUsd) : reply;
}
