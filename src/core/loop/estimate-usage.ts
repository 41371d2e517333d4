import type {
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Message,
} from '@ai-sdk/provider';
import { estimateText } from '../text/estimate-text.js';
import { estimateTokens } from './estimate.js';
import { assistantMessage } from './messages.js';
import { toolCallsOf } from './tool-calls.js';

type Usage = LanguageModelV4GenerateResult['usage'];

/** What a request was. */
export interface EstimatedRequest {
  readonly messages: readonly LanguageModelV4Message[];
  readonly tools: LanguageModelV4CallOptions['tools'];
}

/** What a reply used, by estimate where the provider does not say it; undefined where it says all of it. */
export function estimateUsage(
  { usage, content }: LanguageModelV4GenerateResult,
  { messages, tools }: EstimatedRequest,
): Usage | undefined {
  const { inputTokens, outputTokens } = usage;
  const told = { input: count(inputTokens.total), output: count(outputTokens.total) };
  if (told.input !== undefined && told.output !== undefined) return undefined;
  const offered = tools === undefined ? 0 : estimateText(JSON.stringify(tools));
  const input = told.input ?? estimateTokens(messages) + offered;
  const output = told.output ?? estimateTokens([assistantMessage(content, toolCallsOf(content))]);
  return {
    ...usage,
    inputTokens: { ...inputTokens, total: input },
    outputTokens: { ...outputTokens, total: output },
  };
}

/** Nonsense counts as nothing said. */
function count(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined;
}
