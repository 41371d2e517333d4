import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';

type FinishReason = LanguageModelV4GenerateResult['finishReason'];

/** What providers and compatible servers call an end that the packages do not know: written small, without signs. */
const ENDS: Readonly<Record<string, FinishReason['unified']>> = {
  max_tokens: 'length',
  max_output_tokens: 'length',
  max_length: 'length',
  model_length: 'length',
  context_length_exceeded: 'length',
  model_context_window_exceeded: 'length',
  repetition_truncation: 'length',
  incomplete: 'length',

  refusal: 'content-filter',
  content_filtered: 'content-filter',
  content_policy_violation: 'content-filter',
  safety: 'content-filter',
  sensitive: 'content-filter',
  blocklist: 'content-filter',
  prohibited_content: 'content-filter',
  recitation: 'content-filter',
  spii: 'content-filter',
  guardrail_intervened: 'content-filter',

  error: 'error',
  abort: 'error',
  aborted: 'error',
  cancelled: 'error',
  failed: 'error',
  network_error: 'error',
  insufficient_system_resource: 'error',
  malformed_function_call: 'error',
  malformed_model_output: 'error',
  malformed_response: 'error',
  malformed_tool_use: 'error',
  missing_thought_signature: 'error',
  too_many_tool_calls: 'error',
  unexpected_tool_call: 'error',
};

/**
 * The reply with how it ended in the interface's words. The packages call every end `other` that their own list lacks,
 * and so a cut answer would pass for a whole one. An end that nobody knows stays `other`: servers have many names for
 * an ordinary one.
 */
export function withKnownEnd(reply: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
  const { unified, raw } = reply.finishReason;
  const known = unified === 'other' && raw !== undefined ? ENDS[plain(raw)] : undefined;
  return known === undefined ? reply : { ...reply, finishReason: { unified: known, raw } };
}

function plain(raw: string): string {
  return raw.toLowerCase().replace(/[^a-z]+/g, '_');
}
