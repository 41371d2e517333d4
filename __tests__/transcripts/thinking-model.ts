import type { RecordedRequest } from '../helpers/loopback.js';
import type { ModelReply, ScriptedToolCall, Usage, WholeReply } from '../helpers/model-server.js';

/** How a provider's model thinks. */
export interface ThinkingModel {
  /** Tokens that it thinks before each reply. */
  readonly thinks: number;
  /** Its provider's limit for a request that names none. */
  readonly most: number;
  /** Tokens that fit into its window; a longer prompt is refused. Default: any. */
  readonly window?: number;
}

/**
 * The reply of a model that thinks first: thoughts and answer share the limit of the request, and
 * where that is less the reply is cut, as providers do it.
 */
export function afterThinking(
  reply: WholeReply,
  { body, path }: Pick<RecordedRequest, 'body' | 'path'>,
  { thinks, most, window = Number.POSITIVE_INFINITY }: ThinkingModel,
): ModelReply {
  const inputTokens = tokensOf(JSON.stringify(body));
  if (inputTokens > window) {
    const message = `the request exceeds the available context size (${window} tokens)`;
    return { kind: 'raw', status: 400, body: { error: { code: 400, message, n_ctx: window } } };
  }
  const limit = limitIn(body) ?? most;
  const answerTokens = tokensOf(JSON.stringify(reply));
  const thoughts = (tokens: number) => 'hm, '.repeat(tokens);
  if (thinks + answerTokens <= limit) {
    const usage = { inputTokens, outputTokens: thinks + answerTokens };
    if (path.includes(':streamGenerateContent') && reply.kind === 'tools')
      return signedCalls(reply.calls, thoughts(thinks), usage);
    return { ...reply, reasoning: thoughts(thinks), usage };
  }
  const usage = { inputTokens, outputTokens: limit };
  return {
    kind: 'text',
    text: '',
    reasoning: thoughts(Math.min(thinks, limit)),
    finishReason: 'length',
    usage,
  };
}

/** Calls of Gemini, which signs the first one; aimock does not. */
function signedCalls(calls: readonly ScriptedToolCall[], text: string, usage: Usage): ModelReply {
  const parts = calls.map(({ name, input }, index) => ({
    functionCall: { name, args: input },
    ...(index === 0 ? { thoughtSignature: 'c2lnbmVk' } : {}),
  }));
  const content = { role: 'model', parts: [{ text, thought: true }, ...parts] };
  const { inputTokens: promptTokenCount, outputTokens: candidatesTokenCount } = usage;
  return {
    kind: 'raw',
    status: 200,
    body: {
      candidates: [{ content, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount, candidatesTokenCount },
    },
  };
}

/** What a request of any wire says of its output. */
function limitIn(body: unknown): number | undefined {
  const { max_tokens, max_completion_tokens, max_output_tokens, generationConfig } =
    body as Readonly<Record<string, unknown>> & {
      readonly generationConfig?: { readonly maxOutputTokens?: number };
    };
  const limits = [
    max_tokens,
    max_completion_tokens,
    max_output_tokens,
    generationConfig?.maxOutputTokens,
  ];
  return limits.find((limit) => typeof limit === 'number');
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
