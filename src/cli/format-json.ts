import type { RunStats } from '../axe/loop/outcome.js';

/** The line that `--json` prints: axe's keys in axe's order, escaped as Go does (axe-behaviour §16). */
export function formatJson(content: string, stats: RunStats): string {
  const envelope = {
    content,
    duration_ms: stats.durationMs,
    input_tokens: stats.inputTokens,
    model: stats.modelId,
    output_tokens: stats.outputTokens,
    stop_reason: stats.stopReason,
    tool_calls: stats.toolCalls,
  };
  return escapeAsGo(JSON.stringify(envelope, wellFormed));
}

/** Go has no half of a surrogate pair, and JSON with one is refused by strict readers. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : value;
}

/** Go writes `<`, `>`, `&` and the two line separators as `\uXXXX` so that JSON can stand in HTML. */
function escapeAsGo(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
