import { subscribe, unsubscribe } from 'node:diagnostics_channel';

type Core = typeof import('@actions/core');

let loading: Promise<Core> | undefined;

/** The runner's toolkit, loaded once and only when it is needed (D34). */
export function loadToolkit(): Promise<Core> {
  loading ??= import('@actions/core');
  return loading;
}

/** Where `fetch`, Node's own and undici's, tells of a request that has been sent whole. */
const SENT = 'undici:request:bodySent';

let isAwaited = false;

/**
 * Loads the toolkit when the next request is on its way: evaluating it holds up all else for longer than sending does,
 * and the answer takes longer still. A model that asks nobody leaves it to the first who needs it.
 */
export function loadToolkitOnceSent(): void {
  if (isAwaited) return;
  isAwaited = true;
  const load = () => {
    unsubscribe(SENT, load);
    setImmediate(() => void loadToolkit());
  };
  subscribe(SENT, load);
}
