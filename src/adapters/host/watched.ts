import { createContext, Script } from 'node:vm';
import { errorCode } from './file-error.js';

/** Work that a watchdog ended. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

const CALL = new Script('work()');

/**
 * Does work that never waits, such as matching somebody's pattern, and has a thread of Node's end it when it takes too
 * long. Timers and signals wait meanwhile. Throws an {@link OutOfTime}, and what the work throws.
 */
export function withinTime<T>(work: () => T, limitMs: number): T {
  let result: { readonly value: T } | undefined;
  const context = createContext({
    work: () => {
      result = { value: work() };
    },
  });
  try {
    CALL.runInContext(context, { timeout: Math.max(1, Math.ceil(limitMs)) });
  } catch (thrown) {
    if (errorCode(thrown) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
  }
  if (result === undefined) throw new OutOfTime(`it took more than ${limitMs} ms`);
  return result.value;
}
