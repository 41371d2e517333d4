/** The servers of the tests end themselves after a test; here the process ends. */
export function afterEach(): void {}

/** As {@link afterEach}. */
export function afterAll(): void {}
