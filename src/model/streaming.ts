import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isThinking, type Thinking } from '../loop/reply.js';
import type { Provider } from './catalog.js';
import { findFacts } from './model-facts.js';
import { isNamed } from './rules.js';
import { WholeReplyError } from './transport.js';

interface StreamedModel {
  readonly provider: Provider;
  readonly model: string;
  readonly thinking: Thinking;
  readonly isOwnServer: boolean;
  readonly streamsAll: boolean;
}

/**
 * Decides for each request to a model if its reply is received in a stream, and learns from
 * failures: a connection on which nothing arrives for minutes is cut by what is in between.
 */
export class Streaming {
  readonly #thinking: Thinking;
  #mode: 'every reply' | 'thoughts' | 'nothing';
  #isRefused: boolean;

  constructor({ provider, model, thinking, isOwnServer, streamsAll }: StreamedModel) {
    this.#thinking = thinking;
    // OpenRouter's reasoning would come in pieces and has to be sent back whole.
    this.#isRefused = provider.id === 'openrouter';
    // Servers of one's own often parse tool calls worse in a stream, and axe asks for no streams.
    const isKnown = isNamed(model) || findFacts({ provider: provider.id, model }) !== undefined;
    const usual = isOwnServer && !isKnown ? 'nothing' : 'thoughts';
    const wanted = streamsAll ? 'every reply' : usual;
    this.#mode = this.#isRefused ? 'nothing' : wanted;
  }

  isFor(request: LanguageModelV4CallOptions): boolean {
    if (this.#mode === 'thoughts') return isThinking(this.#thinking, request);
    return this.#mode === 'every reply';
  }

  /** Learns why a request failed. Returns true if it has to be sent again, now without a stream. */
  learn(thrown: unknown): boolean {
    if (this.#mode !== 'nothing' && refusesStream(thrown)) {
      this.#mode = 'nothing';
      this.#isRefused = true;
      return true;
    }
    if (this.#mode === 'nothing' && !this.#isRefused && wasCutOnTheWay(thrown))
      this.#mode = 'thoughts';
    return false;
  }
}

/** True if a server says that it cannot stream, or answers with a whole reply. */
function refusesStream(thrown: unknown): boolean {
  if (thrown instanceof WholeReplyError) return true;
  if (!APICallError.isInstance(thrown)) return false;
  const isRefusal = [400, 403, 404, 405, 415, 422, 501].includes(thrown.statusCode ?? 0);
  // A role of AWS has a permission of its own for streams.
  const words = /\bstream(?:ing|_options)?\b|WithResponseStream/i;
  return isRefusal && words.test(String(thrown.responseBody));
}

/** A gateway waited too long for the first byte, or the connection broke. */
function wasCutOnTheWay(thrown: unknown): boolean {
  if (!APICallError.isInstance(thrown)) return false;
  return thrown.statusCode === undefined || [408, 502, 504, 524].includes(thrown.statusCode);
}
