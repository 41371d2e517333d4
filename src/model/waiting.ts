interface Refusal {
  readonly status: number;
  readonly text: string;
  /** As it came. */
  readonly body: unknown;
}

/**
 * The wait that a provider asks for, in milliseconds: `retry-after-ms` (OpenAI, Azure),
 * `Retry-After` in seconds or as a date by the server's clock, Google's RetryInfo in the body, or
 * words. Headers such as `x-ratelimit-reset-tokens` are ignored: they say when a limit is whole
 * again, which is longer than needed.
 */
export function askedWaitMs(
  headers: Readonly<Record<string, string>> = {},
  { text, body }: Pick<Refusal, 'text' | 'body'>,
): number | undefined {
  const milliseconds = headers['retry-after-ms']?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(milliseconds)) return Math.ceil(Number(milliseconds));

  const header = headers['retry-after']?.trim() ?? '';
  const untilDateMs = Date.parse(header) - Date.parse(headers['date'] ?? '');
  if (header.endsWith('GMT') && untilDateMs > 0) return untilDateMs;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1000);

  const retryInfo = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(
    typeof body === 'string' ? body : '',
  );
  return retryInfo === null ? waitInWords(text) : Math.ceil(Number(retryInfo[1]) * 1000);
}

const DURATION = String.raw`(?:\d{1,6}(?:\.\d{1,9})?\s?(?:ms|milliseconds?|h|hours?|min|minutes?|m|sec|seconds?|s)\b\s?)+`;
const WORDS = new RegExp(
  String.raw`\b(?:try(?:ing)? again|retry|wait)\b(?: (?:in|after|for))? (${DURATION}|(?:\d{1,4}h)?(?:\d{1,4}m)?\d{1,6}(?:\.\d{1,9})?s\b)`,
  'i',
);
const PART = /(\d+(?:\.\d+)?)\s?(ms|milli|h|m|s)/gi;
const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  milli: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** "Please try again in 1m2.5s", "retry after 20 seconds". */
function waitInWords(text: string): number | undefined {
  const duration = WORDS.exec(text)?.[1];
  if (duration === undefined) return undefined;
  const parts = [...duration.matchAll(PART)];
  const waitMs = parts.reduce((sum, [, figure, unit = 's']) => {
    return sum + Number(figure) * (UNIT_MS[unit.toLowerCase()] ?? 0);
  }, 0);
  return Math.ceil(waitMs);
}

/**
 * A refusal that no wait changes: the money is used up, or the share of a day or a plan. It often
 * has the status of a rate limit. Google says "exceeded your current quota" for a limit of a minute
 * too, but then names a wait.
 */
export function isLastingRefusal(
  { status, text, body }: Refusal,
  names: readonly string[],
  waitMs: number | undefined,
): boolean {
  if (status === 402 || names.includes('insufficient_quota')) return true;
  if (status !== 429 && status !== 400) return false;
  if (/PerDay/.test(String(body)) || /\bper day\b|\blimit: 0\b/i.test(text)) return true;
  const isSoonOver = waitMs !== undefined || /\bper[ -](?:second|minute|hour)\b/i.test(text);
  return !isSoonOver && /\bquota\b|\bcredits?\b|\bbilling\b|\bspend(?:ing)? limit\b/i.test(text);
}

/** A server of one's own that is still loading its model (llama.cpp, TGI), which can take minutes. */
export function isLoadingModel(
  { status, text }: Pick<Refusal, 'status' | 'text'>,
  names: readonly string[],
): boolean {
  return status === 503 && (names.includes('unavailable_error') || /\bloading\b/i.test(text));
}
