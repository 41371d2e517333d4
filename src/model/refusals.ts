import {
  APICallError,
  type LanguageModelV4CallOptions,
  type SharedV4Warning,
} from '@ai-sdk/provider';
import { formatInteger } from '../lib/text/format.js';
import { OUTPUT_LIMIT, saysTooLong } from './too-long.js';

/** A setting that a server can refuse in a request that it would accept without it. */
interface Setting {
  /** As users know it; undefined for a setting that is ours alone. */
  readonly name: string | undefined;
  readonly words: RegExp;
  isIn(options: LanguageModelV4CallOptions): boolean;
  without(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions;
}

const SETTINGS: readonly Setting[] = [
  {
    name: 'temperature',
    words: /\btemperature\b/i,
    isIn: ({ temperature }) => temperature !== undefined,
    without: (options) => ({ ...options, temperature: undefined }),
  },
  {
    name: 'effort',
    words: /\breasoning[_.]?effort\b|\beffort\b|\bthinking(?:_budget|Level|Config)?\b/i,
    isIn: ({ reasoning }) => reasoning !== undefined,
    without: (options) => ({ ...options, reasoning: undefined }),
  },
  {
    // The prompt holds the form as well, and the answer is checked.
    name: 'response_format',
    words: /\bresponse_?(?:format|mime_?type|schema)\b|\bjson_schema\b|\bstructured outputs?\b/i,
    isIn: ({ responseFormat }) => responseFormat?.type === 'json',
    without: (options) => ({ ...options, responseFormat: undefined }),
  },
  {
    // Models that know this limit by another name only; with a number it is learned instead.
    name: 'max_tokens',
    words: OUTPUT_LIMIT,
    isIn: ({ maxOutputTokens }) => maxOutputTokens !== undefined,
    without: (options) => ({ ...options, maxOutputTokens: undefined }),
  },
  {
    name: undefined,
    words: /\bprompt_cache_key\b/,
    isIn: ({ providerOptions }) => providerOptions?.['openai']?.['promptCacheKey'] !== undefined,
    without: ({ providerOptions, ...options }) => {
      const { promptCacheKey: _refused, ...openai } = providerOptions?.['openai'] ?? {};
      return { ...options, providerOptions: { ...providerOptions, openai } };
    },
  },
];

/** The setting, or a word that it can have, is refused. A number out of range is a mistake to fix. */
const REFUSED =
  /unsupported|not support|not permitted|not allowed|unknown|unrecognized|extra inputs|only the default|may only be|is deprecated|unavailable|not available|\bonly\b.{0,40}\ballowed|must be (?:1\b|one of)|should be '|invalid value:/i;

/** Refusals with another answer: the other interface of OpenAI, or thoughts that are left out. */
const ANSWERED_ELSEWHERE = /\bv1\/responses\b|signature|bound to a different|cannot be modified/;

/** Google names the first number that is too large: `65537 (exclusive)`. */
const NUMBERS = /\b(\d{1,3}(?:,\d{3})+|\d{3,7})\b(`? \(exclusive\))?/g;

/** A smaller number in a refusal of the output limit is not a limit. */
const LEAST_LIMIT = 256;

/** Settings and limits that a model's server has refused once, for the rest of a conversation. */
export class Refusals {
  readonly #refused = new Set<Setting>();
  #mostTokens = Number.POSITIVE_INFINITY;

  /** Learns from a refusal of a request. Returns true if the request can be sent again without it. */
  learn(thrown: unknown, sent: LanguageModelV4CallOptions): boolean {
    if (!APICallError.isInstance(thrown)) return false;
    if (thrown.statusCode !== 400 && thrown.statusCode !== 422) return false;
    const text = String(thrown.responseBody);
    if (ANSWERED_ELSEWHERE.test(text)) return false;

    if (OUTPUT_LIMIT.test(text) && saysTooLong(text)) return false;
    if (OUTPUT_LIMIT.test(text) && this.#learnLimit(text, sent.maxOutputTokens ?? 0)) return true;
    if (!REFUSED.test(text)) return false;
    const setting = SETTINGS.find(({ words, isIn }) => words.test(text) && isIn(sent));
    if (setting !== undefined) this.#refused.add(setting);
    return setting !== undefined;
  }

  /** Takes the largest number below the limit that was asked for. */
  #learnLimit(text: string, askedTokens: number): boolean {
    const limits = [...text.matchAll(NUMBERS)]
      .map(([, number = '', exclusive]) => Number(number.replaceAll(',', '')) - (exclusive ? 1 : 0))
      .filter((limit) => limit >= LEAST_LIMIT && limit < askedTokens);
    if (limits.length === 0) return false;
    this.#mostTokens = Math.max(...limits);
    return true;
  }

  /** The request without what was refused. */
  apply(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    const { maxOutputTokens } = options;
    const limited =
      maxOutputTokens === undefined
        ? options
        : { ...options, maxOutputTokens: Math.min(maxOutputTokens, this.#mostTokens) };
    return [...this.#refused].reduce((request, setting) => setting.without(request), limited);
  }

  /** Warnings about a user's settings that were left out of a request, or lowered. */
  warnings(options: LanguageModelV4CallOptions): readonly SharedV4Warning[] {
    const leftOut = [...this.#refused].flatMap(({ name, isIn }) =>
      name === undefined || !isIn(options)
        ? []
        : [{ type: 'compatibility', feature: name, details: LEFT_OUT } as const],
    );
    return (options.maxOutputTokens ?? 0) > this.#mostTokens
      ? [...leftOut, { type: 'compatibility', feature: 'max_tokens', details: this.#lowered() }]
      : leftOut;
  }

  #lowered(): string {
    return `the model's limit is ${formatInteger(this.#mostTokens)}, so that is used`;
  }
}

const LEFT_OUT = 'the model refuses this setting, so it is left out';
