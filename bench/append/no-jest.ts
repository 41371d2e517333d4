/** The servers of the tests end themselves after a test; here the process ends. */
export function afterEach(): void {}

/** As {@link afterEach}. */
export function afterAll(): void {}

/** Only for helpers that are not called here. */
export function expect(): never {
  throw new Error('there is nothing to expect in a benchmark');
}
