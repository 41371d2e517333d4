import { createHash } from 'node:crypto';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { APICallError } from '@ai-sdk/provider';

/**
 * Claude from 5.1 on binds its thinking to system, tools and messages before it, and refuses a request that holds such
 * thinking behind others (platform.claude.com/docs, preserved thinking, prefix checks, read 2026-11-24).
 */
const IS_BINDING = /claude-(?:fable|mythos|opus|sonnet|haiku)-(?:5[.-][1-9]|[6-9])(?!\d)/;

const KEY = 'thoughtAfter';

/** The key under which OpenRouter's reasoning stands on a part (see `keepReasoningDetails`). */
const DETAILS_KEY = 'openrouter';

/** A request, and what the thinking of its reply is bound to. */
interface BoundRequest {
  readonly options: LanguageModelV4CallOptions;
  readonly prefix: string | undefined;
}

/**
 * The request without the thinking before which something has changed. The API would drop the same blocks where it is
 * asked to, but that takes a beta header which gateways refuse, and switches the check on for accounts without it.
 */
export function withBoundThinking(options: LanguageModelV4CallOptions, model: string): BoundRequest {
  if (!IS_BINDING.test(model)) return { options, prefix: undefined };
  const hash = createHash('sha256').update(JSON.stringify([options.tools, options.responseFormat]));
  const prefix = (): string => hash.copy().digest('base64url').slice(0, 16);
  const prompt = options.prompt.flatMap((message) => {
    const before = boundTo(message);
    const sent = before === undefined || before === prefix() ? [message] : withoutThinking(message);
    hash.update(JSON.stringify(sent));
    return sent;
  });
  return { options: { ...options, prompt }, prefix: prefix() };
}

/** The reply with what its thinking is bound to, so that the next request knows. */
export function bindThinking(
  reply: LanguageModelV4GenerateResult,
  prefix: string | undefined,
): LanguageModelV4GenerateResult {
  if (prefix === undefined) return reply;
  const content = reply.content.map((part) => ({
    ...part,
    providerMetadata: { ...part.providerMetadata, [KEY]: { prefix } },
  }));
  return { ...reply, content };
}

function boundTo(message: LanguageModelV4Message): unknown {
  if (message.role !== 'assistant') return undefined;
  return message.content.find((part) => part.providerOptions?.[KEY])?.providerOptions?.[KEY]?.['prefix'];
}

/** The message without thinking; none if it was nothing else. */
export function withoutThinking(message: LanguageModelV4Message): readonly LanguageModelV4Message[] {
  if (message.role !== 'assistant') return [message];
  const content = message.content
    .filter(({ type }) => type !== 'reasoning')
    .map(({ providerOptions: { [DETAILS_KEY]: _, ...providerOptions } = {}, ...part }) => ({
      ...part,
      providerOptions,
    }));
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Whether a provider refuses the thinking in a request, and not the request without it. */
export function refusesThinking(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown) || thrown.statusCode !== 400) return false;
  const text = String(thrown.responseBody);
  return /thinking/.test(text) && /signature|bound to a different|cannot be modified/.test(text);
}
