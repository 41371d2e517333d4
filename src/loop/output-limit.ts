import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { AxeError } from '../lib/errors.js';
import type { Limit } from '../lib/outcome.js';
import { cleanLine, grouped } from '../lib/text/format.js';
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
 * the agent says less or nothing. Undefined leaves it to the provider; `leftBy` is the limit of the run that leaves no more.
 */
export function limitOutput(
  {
    thinking,
    windowTokens,
  }: { readonly thinking?: Thinking | undefined; readonly windowTokens: number | undefined },
  settings: Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>,
  ownTokens: number | undefined,
  left: OutputLeft | undefined,
): { readonly tokens: number | undefined; readonly leftBy?: Limit } {
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
 * How a reply ended: an end that only a server of its own knows counts as whole. Where the reply may lack its end, the error
 * says why and what helps.
 */
export function endOf(
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
      const where = tokens > 0 ? `at ${grouped(tokens)} output tokens` : 'at the limit of output tokens';
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
