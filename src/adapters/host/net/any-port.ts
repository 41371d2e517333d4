import type { Dispatcher } from 'undici';
import { AxeError } from '../../../core/errors.js';
import { property } from '../../../core/network-cause.js';

/** What fetch says of a port that it refuses. */
export const BLOCKED_PORT = 'bad port';

/** A port that fetch asks; the connection itself is made to the port that is meant. */
const STAND_IN_PORT = '65535';

/**
 * A fetch that asks every port. The standard has fetch refuse some (https://fetch.spec.whatwg.org/#port-blocking), so that
 * a page in a browser cannot speak to a mail server; addresses here are those that the user has chosen, and model servers
 * listen there too. `direct` is asked first, and the dispatcher is loaded only for a port that it refuses.
 */
export function withAnyPort(
  direct: typeof globalThis.fetch,
  dispatcherFor: (url: URL) => Promise<Dispatcher>,
): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await direct(input, init);
    } catch (thrown) {
      // Nothing was sent. A request's body may be used up, and nobody here gives one.
      if (input instanceof Request || innermostMessage(thrown) !== BLOCKED_PORT) throw thrown;
      const url = new URL(input);
      return await fetchPast(url, init, await dispatcherFor(url));
    }
  };
}

async function fetchPast(url: URL, init: RequestInit | undefined, dispatcher: Dispatcher): Promise<Response> {
  const { default: undici } = await import('undici');
  const standIn = new URL(url);
  standIn.port = STAND_IN_PORT;
  const past = dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch(options.origin === standIn.origin ? { ...options, origin: url.origin } : options, handler),
  );
  // undici's fetch and Node's are the same function in two versions; only their declared types differ.
  const door: unknown = undici.fetch;
  return await (door as (input: string, init: object) => Promise<Response>)(standIn.href, {
    ...init,
    dispatcher: past,
  });
}

/**
 * What went wrong in the end: fetch wraps it as the cause of a `fetch failed`, and a connection that tried several
 * addresses in a list. Asked without `instanceof`, since such errors may come from another realm; but for an error of ours,
 * which has found it out already.
 */
export function innermost(thrown: unknown): unknown {
  if (thrown instanceof AxeError) return thrown;
  const inner = property(thrown, 'cause') ?? firstOf(property(thrown, 'errors'));
  return inner === undefined ? thrown : innermost(inner);
}

/** The message of {@link innermost}. */
export function innermostMessage(thrown: unknown): string {
  const inner = innermost(thrown);
  const message = property(inner, 'message');
  return typeof message === 'string' && message !== '' ? message : String(inner);
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}
