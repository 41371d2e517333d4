/** What waits for the end where no test runs: a benchmark, the evaluation. */
const waiting: (() => Promise<void> | void)[] = [];

/** Calls back after each test; where no test runs, in {@link endOutsideOfTests}. */
export function afterEachTest(run: () => Promise<void> | void): void {
  register('afterEach', run);
}

/** Calls back after the last test of a file; where no test runs, in {@link endOutsideOfTests}. */
export function afterAllTests(run: () => Promise<void> | void): void {
  register('afterAll', run);
}

/** Ends all that helpers have opened, for a program that is not a test. */
export async function endOutsideOfTests(): Promise<void> {
  for (const run of waiting) await run();
}

/** By jest's globals: its package can only be imported inside a test. */
function register(hook: 'afterEach' | 'afterAll', run: () => Promise<void> | void): void {
  const found: unknown = Reflect.get(globalThis, hook);
  if (typeof found === 'function') found(run);
  else waiting.push(run);
}
