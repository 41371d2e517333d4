import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { Limit } from '../lib/outcome.js';
import type { OutputLeft } from './budget.js';
import { textOf } from './messages.js';

/** Of models that think before they answer: their limit of output holds thoughts and text together. */
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
  const isAsked = reasoning !== undefined && reasoning !== 'none' && reasoning !== 'provider-default';
  return thinking?.thinks === 'by default' || (thinking?.thinks === 'if asked' && isAsked);
}

/** A limit of OpenAI's Responses: it refuses a smaller one. */
const LEAST_OUTPUT_TOKENS = 16;

/**
 * A model that thinks has no limit but the agent's, and what the limits of the run leave; another one has ours too, where
 * the agent says less or nothing. Undefined leaves it to the provider.
 */
export function limitOutput(
  {
    thinking,
    windowTokens,
  }: { readonly thinking?: Thinking | undefined; readonly windowTokens: number | undefined },
  settings: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>,
  ownTokens: number | undefined,
  left: OutputLeft | undefined,
): {
  readonly tokens: number | undefined /** The limit of the run that leaves no more. */;
  readonly leftBy?: Limit;
} {
  const { maxOutputTokens } = settings;
  const ofAgent = ownTokens !== undefined && (maxOutputTokens ?? 0) < ownTokens ? undefined : maxOutputTokens;
  if (!isThinking(thinking, settings)) return { tokens: ofAgent ?? ownTokens };
  const most = ofAgent ?? thinking.maxOutputTokens ?? windowTokens;
  if (left === undefined || most === undefined || left.tokens >= most) return { tokens: ofAgent };
  return { tokens: Math.max(LEAST_OUTPUT_TOKENS, Math.floor(left.tokens)), leftBy: left.limit };
}

/** Room for the thoughts of a model whose own limit nobody knows. */
const WIDE_OUTPUT_TOKENS = 64_000;

/**
 * What a request is to ask for where a model has used the limit up to think, and came to no word of its answer; undefined
 * where it has not, or a larger limit would be none.
 */
export function widerLimit(
  { content, finishReason, usage }: LanguageModelV4GenerateResult,
  { thinking }: { readonly thinking?: Thinking | undefined },
  askedTokens: number | undefined,
): number | undefined {
  const { unified, raw = '' } = finishReason;
  // A window that is full has no room for more.
  if (unified !== 'length' || /context/i.test(raw)) return undefined;
  const hasThought =
    (usage.outputTokens.reasoning ?? 0) > 0 || content.some(({ type }) => type === 'reasoning');
  if (!hasThought || textOf(content).trim() !== '' || content.some(({ type }) => type === 'tool-call'))
    return undefined;
  const wide = thinking?.maxOutputTokens ?? WIDE_OUTPUT_TOKENS;
  return wide > Math.max(askedTokens ?? 0, usage.outputTokens.total ?? 0) ? wide : undefined;
}
