import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { ANTHROPIC_MAX_TOKENS } from '../../core/defaults.js';
import { AxeError, ProviderError } from '../../core/errors.js';
import type { LanguageModel } from '../../core/loop/language-model.js';
import { redact } from '../../core/sanitize/redact.js';
import { withCachePoints } from './cache-points.js';
import type { Protocol, Provider } from './catalog.js';
import { withoutEmptyResults } from './empty-results.js';
import { toProviderError } from './errors.js';
import { withKnownEnd } from './finish-reason.js';
import { field } from './json.js';
import type { OpenedModel } from './opened-model.js';
import { keepReasoningDetails, sendReasoningDetails } from './openrouter-reasoning.js';
import { withReportedUsage } from './reported-usage.js';
import { noteFailedResults } from './result-status.js';
import { isStrictSchema } from './strict-schema.js';
import { sendThinkBlocks, takeThinkBlock } from './think-block.js';

/** Whose model it is and how it is spoken to. */
export interface ModelReply {
  readonly provider: Provider;
  readonly wire: Protocol;
}

/** The package's model with axe's defaults going in and axe's errors coming out. */
export function asAxeMessage({ model, secrets }: OpenedModel, spoken: ModelReply): LanguageModel {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doStream: (options) => model.doStream(options),
    async doGenerate(options) {
      try {
        const asked = send(prepare(options, spoken, model.modelId), spoken);
        const reply = withReportedUsage(withKnownEnd(await model.doGenerate(asked)));
        checkContent(reply, options, { ...spoken, secrets });
        return withWarnings(keep(reply, spoken), options, spoken);
      } catch (thrown) {
        if (thrown instanceof AxeError || options.abortSignal?.aborted === true) throw thrown;
        throw toProviderError(thrown, spoken.provider, secrets);
      }
    },
  };
}

/** Reasoning as the provider wants it back, and as the package does not know it. */
function send(
  options: LanguageModelV4CallOptions,
  { provider, wire }: ModelReply,
): LanguageModelV4CallOptions {
  const asked = provider.id === 'openrouter' ? sendReasoningDetails(options) : options;
  return isChat(wire) ? sendThinkBlocks(asked) : asked;
}

function keep(
  given: LanguageModelV4GenerateResult,
  { provider, wire }: ModelReply,
): LanguageModelV4GenerateResult {
  const reply = isChat(wire) ? takeThinkBlock(given) : given;
  return provider.id === 'openrouter' ? keepReasoningDetails(reply) : reply;
}

/** Chat Completions, which any server may offer. */
function isChat(wire: Protocol): boolean {
  return wire === 'openai' || wire === 'openai-compatible';
}

function prepare(
  options: LanguageModelV4CallOptions,
  { provider, wire }: ModelReply,
  model: string,
): LanguageModelV4CallOptions {
  const noted = wire === 'bedrock' ? noteFailedResults(options, model) : options;
  const defaults = withDefaults(noted, { provider, wire });
  return withCachePoints(defaults, { provider: provider.id, wire, model });
}

function withDefaults(
  options: LanguageModelV4CallOptions,
  { provider, wire }: ModelReply,
): LanguageModelV4CallOptions {
  switch (wire) {
    case 'anthropic':
      return withOptions(
        { ...options, maxOutputTokens: options.maxOutputTokens ?? ANTHROPIC_MAX_TOKENS },
        // Google Cloud forbids structured outputs unless an organisation allows them; a tool does the same.
        { anthropic: provider.access === 'vertex' ? { structuredOutputMode: 'jsonTool' } : {} },
      );
    case 'openai':
      return provider.access === 'azure'
        ? forAzure(options)
        : withOptions(options, { openai: strictness(options) });
    case 'openai-responses':
      // Nothing is kept at OpenAI: reasoning comes back to us encrypted and is sent again.
      return withOptions(options, { openai: { store: false, ...strictness(options) } });
    case 'openai-compatible':
      return withOptions(options, { openaiCompatible: strictness(options) });
    case 'bedrock':
      return withoutEmptyResults(options);
    case 'google':
    case 'offline':
      return options;
  }
}

type Options = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;

function withOptions(options: LanguageModelV4CallOptions, own: Options): LanguageModelV4CallOptions {
  const set = Object.entries(own).filter(([, values]) => Object.keys(values).length > 0);
  if (set.length === 0) return options;
  return { ...options, providerOptions: { ...options.providerOptions, ...Object.fromEntries(set) } };
}

function strictness({ responseFormat }: LanguageModelV4CallOptions): { strictJsonSchema?: boolean } {
  if (responseFormat?.type !== 'json' || responseFormat.schema === undefined) return {};
  return { strictJsonSchema: isStrictSchema(responseFormat.schema) };
}

/**
 * A deployment's name does not tell whether its model reasons; all of them take the newer name of the limit, and refuse
 * a request that has both names.
 */
function forAzure({ maxOutputTokens, ...options }: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const limit = maxOutputTokens === undefined ? {} : { maxCompletionTokens: maxOutputTokens };
  return withOptions(options, { openai: { ...strictness(options), ...limit } });
}

/**
 * How a reply ended counts before what it holds: a refusal and a cut reply may be empty, and so may a reply after tool
 * calls, by which all may have been said. Else no content at all is an error for Anthropic, Ollama and Google, and an
 * empty answer for OpenAI (axe-behaviour §11).
 */
function checkContent(
  { content, finishReason, response }: LanguageModelV4GenerateResult,
  { prompt }: LanguageModelV4CallOptions,
  { provider, wire, secrets }: ModelReply & Pick<OpenedModel, 'secrets'>,
): void {
  const { unified, raw } = finishReason;
  if (content.length > 0 || unified === 'content-filter' || unified === 'length') return;
  if (unified === 'error') {
    const text = choiceError(response?.body) ?? `the reply ended with an error (${raw ?? unified})`;
    throw new ProviderError('server', redact(text, secrets));
  }
  if (wire === 'google' && raw === undefined) {
    throw new ProviderError('server', 'response contains no candidates');
  }
  const isAfterTools = prompt.some(({ role }) => role === 'tool');
  if (!isAfterTools && (wire === 'anthropic' || provider.id === 'ollama')) {
    throw new ProviderError('server', 'response contains no content');
  }
}

/** OpenRouter says in the choice what became of the model behind it. */
function choiceError(body: unknown): string | undefined {
  const choices = field(body, 'choices');
  const message = field(field(Array.isArray(choices) ? choices[0] : undefined, 'error'), 'message');
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/** Bedrock has no mode for JSON without a schema, and its package says nothing. */
function withWarnings(
  reply: LanguageModelV4GenerateResult,
  { responseFormat }: LanguageModelV4CallOptions,
  { wire }: ModelReply,
): LanguageModelV4GenerateResult {
  if (wire !== 'bedrock' || responseFormat?.type !== 'json' || responseFormat.schema !== undefined)
    return reply;
  const details = 'JSON without a schema cannot be asked for on Bedrock; say it in the system prompt.';
  return {
    ...reply,
    warnings: [...reply.warnings, { type: 'unsupported', feature: 'responseFormat', details }],
  };
}
