/**
 * Node's fetch with errors of the test's own realm: jest runs each file among built-ins of its own, so that an error
 * of Node's is no `instanceof TypeError` for the packages under test, as it is in a program.
 */
export async function realmFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(input, init);
  } catch (thrown) {
    if (init?.signal?.aborted === true) throw thrown;
    const { message, cause } = thrown as Error;
    throw new TypeError(message, { cause });
  }
}
