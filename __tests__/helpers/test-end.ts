/** Calls back after each test; where no test runs (a benchmark), never. */
export function afterEachTest(run: () => Promise<void> | void): void {
  register('afterEach', run);
}

/** Calls back after the last test of a file; where no test runs, never. */
export function afterAllTests(run: () => Promise<void> | void): void {
  register('afterAll', run);
}

/** By jest's globals: its package can only be imported inside a test. */
function register(hook: 'afterEach' | 'afterAll', run: () => Promise<void> | void): void {
  const found: unknown = Reflect.get(globalThis, hook);
  if (typeof found === 'function') found(run);
}
