import type { ModelParams } from '../agent/config.js';
import { formatFloat } from '../agent/format-agent.js';
import type { AxeError } from '../lib/errors.js';
import { errorOf, type RunOutcome, type ToolCallRecord } from '../lib/outcome.js';
import { cutToBytes } from '../lib/text/bytes.js';
import type { Artifacts } from '../tools/workspace/artifact-folders.js';

/** axe cuts the output of a tool here (its JSON output page). */
const MAX_OUTPUT_BYTES = 1024;

/**
 * The line that `--json` prints: axe's keys, including newer ones, in alphabetical order and
 * escaped as Go does. A failed run also has `error`, where axe prints nothing, and a review has
 * `findings`.
 */
export function formatJson(outcome: RunOutcome, findings?: object, artifacts?: Artifacts): string {
  const { stats } = outcome;
  const { budget } = stats;
  const error = errorOf(outcome);
  const content = outcome.kind === 'failed' ? '' : outcome.answer;

  const envelope = {
    artifacts: artifacts?.written.length ? artifacts.written : undefined,
    budget_exceeded: budget && budget.usedTokens >= budget.maxTokens,
    budget_max_tokens: budget?.maxTokens,
    budget_used_tokens: budget?.usedTokens,
    // axe leaves both out if the provider reports no cache.
    cache_read_tokens: stats.cacheReadTokens || undefined,
    cache_write_tokens: stats.cacheWriteTokens || undefined,
    content,
    cost_usd: stats.costUsd === undefined ? undefined : Number(stats.costUsd.toFixed(6)),
    duration_ms: stats.durationMs,
    error: error && { exit_code: error.exitCode, message: error.message },
    findings,
    input_tokens: stats.inputTokens,
    model: stats.modelId,
    output_tokens: stats.outputTokens,
    refused: outcome.kind === 'refused' || detectRefusal(content),
    retry_attempts: stats.retries,
    stop_reason: stats.stopReason,
    tool_call_details: stats.calls.map(detailsOf),
    tool_calls: stats.toolCalls,
  };
  return escapeAsGo(JSON.stringify(envelope, wellFormed));
}

/** The line for an error before the first request, so that programs always have a line to read. */
export function formatErrorJson({ exitCode, message }: AxeError): string {
  return escapeAsGo(
    JSON.stringify({ content: '', error: { exit_code: exitCode, message } }, wellFormed),
  );
}

function detailsOf({ tool, input, output, isError, turn, durationMs }: ToolCallRecord): object {
  const { text, leftOutBytes } = cutToBytes(output, MAX_OUTPUT_BYTES);
  return {
    duration_ms: durationMs,
    input: input ?? null,
    is_error: isError,
    name: tool,
    output: leftOutBytes > 0 ? `${text}... (truncated)` : text,
    // axe counts from 0.
    turn: turn - 1,
  };
}

/** Go strings have no lone surrogates, and strict parsers reject JSON that has one. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Go writes `<`, `>`, `&` and the two line separators as `\uXXXX`, so that HTML can contain it. */
function escapeAsGo(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `temperature=0.7, max_tokens=512`, with numbers as Go prints them. */
export function formatParams({ temperature, maxTokens }: ModelParams): string {
  return `temperature=${formatFloat(temperature ?? 0)}, max_tokens=${maxTokens}`;
}

/**
 * axe's heuristic for `refused` of `--json`. It looks for fixed English phrases in the first person
 * anywhere in the text, in any case. So it also counts an answer that only quotes such a phrase, and
 * misses a refusal in other words. Typographic apostrophes count as plain ones (axe misses them).
 * @internal
 */
export function detectRefusal(text: string): boolean {
  const plain = text.replaceAll('\u2019', "'");
  return REFUSAL.test(plain) || (/as an ai/i.test(plain) && LIMITATION.test(plain));
}

/** `(?<![a-z])`: the `i` cannot be the end of another word, as in `wiki cannot`. */
const REFUSAL =
  /(?<![a-z])i(?: cannot| can't| must decline|(?:'m| am) (?:unable|not able) to| (?:don't|do not) have the ability)/i;

/** Weaker phrases, which only count together with `as an AI`. */
const LIMITATION = /(?<![a-z])i(?:'m| am) (?:unable|not able)/i;
