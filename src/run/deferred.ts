/** A result, or an error that is thrown when somebody asks for it. */
export type Deferred<T> = () => T;

/**
 * Holds what a promise gives until it is asked for: work can be started early, and a failure that nobody comes to
 * need cannot end the process.
 */
export function defer<T>(promise: Promise<T>): Promise<Deferred<T>> {
  return promise.then(
    (value) => () => value,
    (thrown: unknown) => () => {
      throw thrown;
    },
  );
}
