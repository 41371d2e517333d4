import type { Clock } from '../../lib/clock.js';

/** Longest message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Most tools all servers of an agent offer together; OpenAI takes 128 per request, and built-ins need room. */
export const MAX_TOOLS = 100;

/** Most tools of one server that are looked at before some are chosen. */
export const MAX_OFFERED = 20_000;

/** Most pages of a tool list that are asked for. */
export const MAX_PAGES = 100;

/** Longest description of a tool, in code points: it is sent with every turn. */
export const MAX_DESCRIPTION = 16_384;

/** Largest JSON schema of a tool, in characters of JSON. */
export const MAX_SCHEMA = 16_384;

/** Most characters of names, descriptions and schemas of all tools together: they are sent with every turn. */
export const MAX_DEFINITIONS = 200_000;

/** Lines of a program's standard output that are not messages before it is given up. */
export const MAX_NOISE_LINES = 1000;

/** How often a lost HTTP or SSE session is opened again in a run. */
export const MAX_REOPENINGS = 5;

/** How often the tools of an agent's servers are listed anew in a run. */
export const MAX_LISTINGS = 20;

export class TimeUp extends Error {
  override readonly name = 'TimeUp';

  constructor(ms: number) {
    super(`it did not answer within ${ms / 1000} s`);
  }
}

/** The result of some work; throws {@link TimeUp} when the time is over, and the signal's reason when it aborts. */
export async function within<T>(
  work: Promise<T>,
  { ms, clock, signal }: { readonly ms: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const done = new AbortController();
  const timeUp = clock.sleep(ms, AbortSignal.any([signal, done.signal])).then(() => {
    signal.throwIfAborted();
    throw new TimeUp(ms);
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    done.abort();
  }
}
