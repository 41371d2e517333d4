import type { ContextOverflow } from '../../core/errors.js';
import { field, parseJson } from './json.js';

/** `error.code` or `error.type` of OpenAI and those that follow it, llama.cpp, Anthropic and GitHub Models. */
const CODES = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'tokens_limit_reached',
  'model_max_prompt_tokens_exceeded',
]);

/** What the others say in words alone. None of it is said of an output limit that is set too high. */
const WORDS: readonly RegExp[] = [
  /\b(?:prompt|input|conversation|length of all messages) is too long\b/i,
  /\bmaximum (?:context|prompt|input) (?:length|size)\b/i,
  /\bexceed\w*\b.{0,60}\bcontext[ _-](?:length|limit|size|window)\b/is,
  /\bcontext[ _-](?:length|limit|size|window)\b.{0,60}\bexceed/is,
  /\binput token count\b.{0,60}\bexceeds\b/is,
  /\btoo many (?:input |prompt )?tokens\b/i,
  /\btoo large for model with\b/i,
  /\binput tokens exceed/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)\b/i,
  /`inputs` tokens \+ `max_new_tokens` must be <=/i,
  /\brequest exceeds the maximum size\b/i,
];

/** How large the window is, the surest form first. */
const LIMITS: readonly RegExp[] = [
  /> ([\d,]+)(?: maximum|\b)/,
  /\b([\d,]+) maximum context length\b/i,
  /\bmaximum (?:context|prompt|input) (?:length|size)\D{0,40}?([\d,]+)/i,
  /\bmaximum number of (?:input )?tokens\D{0,40}?([\d,]+)/i,
  /\bcontext (?:length|limit|size|window)\D{0,40}?([\d,]+)/i,
  /\bmax size:? ([\d,]+) tokens\b/i,
  /<= ([\d,]+)/,
];

/** Less than that is no window but another number. */
const LEAST_WINDOW = 256;

/**
 * Whether an error says that the request did not fit into the model's window, and how large that is where it says so.
 * A rate limit is none, however much it talks of tokens.
 */
export function findOverflow(status: number, text: string, body: unknown): ContextOverflow | undefined {
  if (status === 401 || status === 403 || status === 404 || status === 429) return undefined;
  const error = errorIn(body);
  const names = [field(error, 'code'), field(error, 'type')];
  const isCoded = names.some((name) => typeof name === 'string' && CODES.has(name));
  if (!isCoded && !WORDS.some((words) => words.test(text))) return undefined;
  return { windowTokens: windowIn(text, error) };
}

function errorIn(body: unknown): unknown {
  const parsed = typeof body === 'string' ? parseJson(body) : body;
  const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  return field(one, 'error') ?? one;
}

function windowIn(text: string, error: unknown): number | undefined {
  const told = field(error, 'n_ctx');
  if (typeof told === 'number' && told >= LEAST_WINDOW) return told;
  const found = LIMITS.map((limit) => Number(limit.exec(text)?.[1]?.replaceAll(',', '')));
  return found.find((tokens) => tokens >= LEAST_WINDOW);
}
