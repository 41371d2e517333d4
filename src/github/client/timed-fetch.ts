import type { Clock, Timer } from '../../lib/clock.js';
import { GITHUB_SILENCE_MS } from '../../lib/defaults.js';
import { type Chunks, readBytes } from '../../lib/net/http.js';

/** What is sent is given so much more time: 50 KB a second. */
const SENT_BYTES_PER_MS = 50;

/**
 * A fetch that gives up when nothing comes for a while, and longer where much is sent. It returns answers that are there
 * to the last byte: octokit takes one that breaks off in the middle for a whole one. For octokit only an `AbortError` is an
 * abort; any other reason of the signal it would take for a broken connection.
 */
export function timedFetch(
  fetch: typeof globalThis.fetch,
  clock: Pick<Clock, 'timer'>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = watchSilence(clock, GITHUB_SILENCE_MS + sizeOf(init?.body) / SENT_BYTES_PER_MS);
    const outer = init?.signal ?? undefined;
    const signal = outer === undefined ? silence.signal : AbortSignal.any([outer, silence.signal]);
    try {
      const response = await fetch(input, { ...init, signal });
      silence.heard();
      if (response.body === null) return response;
      return new Response(await readBytes(listening(response.body, silence)), response);
    } catch (thrown) {
      if (outer?.aborted === true) throw new DOMException('the request was aborted', 'AbortError');
      if (silence.signal.aborted)
        throw new Error(`no answer within ${Math.round(silence.limitMs() / 1000)} s`);
      throw thrown;
    } finally {
      silence.end();
    }
  };
}

interface Silence {
  /** Aborted when it has lasted too long. */
  readonly signal: AbortSignal;
  /** Something came, so the time begins anew. */
  heard(): void;
  /** How long it may last now, in milliseconds. */
  limitMs(): number;
  end(): void;
}

function watchSilence(clock: Pick<Clock, 'timer'>, firstLimitMs: number): Silence {
  const controller = new AbortController();
  let limitMs = firstLimitMs;
  let timer = start();
  return {
    signal: controller.signal,
    heard() {
      timer.clear();
      limitMs = GITHUB_SILENCE_MS;
      timer = start();
    },
    limitMs: () => limitMs,
    end: () => timer.clear(),
  };

  function start(): Timer {
    const started = clock.timer(limitMs);
    started.signal.addEventListener('abort', () => controller.abort(), { once: true });
    return started;
  }
}

async function* listening(chunks: Chunks, silence: Silence): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    silence.heard();
  }
}

/** octokit sends text. */
function sizeOf(body: RequestInit['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : 0;
}
