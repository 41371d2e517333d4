import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { AxeError } from '../lib/errors.js';
import { cleanLine } from '../lib/text/cut.js';
import { grouped } from '../lib/text/number.js';
import { isThinking, type Thinking } from './output-limit.js';

type ReplyEnd =
  | { readonly kind: 'whole' }
  | { readonly kind: 'refused' }
  /** What it holds may lack its end; the error says why and what helps. */
  | { readonly kind: 'cut'; readonly error: AxeError };

type Asked = Pick<LanguageModelV4CallOptions, 'reasoning' | 'maxOutputTokens'>;

/** An end that only a server of its own knows counts as whole. */
export function endOf(
  { finishReason, usage }: LanguageModelV4GenerateResult,
  settings: Asked,
  thinking: Thinking | undefined,
): ReplyEnd {
  const { unified, raw = unified } = finishReason;
  switch (unified) {
    case 'stop':
    case 'tool-calls':
    case 'other':
      return { kind: 'whole' };
    case 'content-filter':
      return { kind: 'refused' };
    case 'length':
      return {
        kind: 'cut',
        error: cutByLength(raw, usage.outputTokens.total ?? 0, remedyForLength(settings, thinking)),
      };
    case 'error':
    case 'interrupted':
      return { kind: 'cut', error: endedByError(raw) };
  }
}

/** A model that thinks had all that its provider allows, unless the agent has said less. */
function remedyForLength(settings: Asked, thinking: Thinking | undefined): string {
  if (settings.maxOutputTokens !== undefined || !isThinking(thinking, settings))
    return 'Raise `max_tokens` in `[params]` of the agent.';
  return 'That is all the provider allows: give the agent less to do, or take another model.';
}

function cutByLength(raw: string, outputTokens: number, remedy: string): AxeError {
  if (/context/i.test(raw)) {
    return new AxeError("the answer was cut because the model's context window is full", {
      remedy: 'Give the agent less to read, or take a model with a larger context window.',
    });
  }
  const where =
    outputTokens > 0 ? `at ${grouped(outputTokens)} output tokens` : 'at the limit of output tokens';
  return new AxeError(`the answer was cut ${where}`, { remedy });
}

function endedByError(raw: string): AxeError {
  const reason = raw === 'error' ? '' : ` (${cleanLine(raw, MAX_REASON)})`;
  const remedy = 'Run it again; if it happens again, take another model.';
  if (/call|tool/i.test(raw)) {
    return new AxeError(`the answer ended with a tool call that cannot be read${reason}`, { remedy });
  }
  return new AxeError(`the provider ended the answer with an error${reason}`, { remedy });
}

const MAX_REASON = 60;
