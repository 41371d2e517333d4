import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';

/**
 * The reply without figures that cannot be: every request has tokens, and so does every text. The packages make zeros
 * of figures that are missing, and a limit that counts zeros does not hold.
 */
export function withReportedUsage(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { inputTokens, outputTokens } = reply.usage;
  const hasInput = inputTokens.total !== 0;
  const hasOutput = outputTokens.total !== 0 || reply.content.length === 0;
  if (hasInput && hasOutput) return reply;
  return {
    ...reply,
    usage: {
      ...reply.usage,
      ...(hasInput ? {} : { inputTokens: { ...inputTokens, total: undefined } }),
      ...(hasOutput ? {} : { outputTokens: { ...outputTokens, total: undefined } }),
    },
  };
}
