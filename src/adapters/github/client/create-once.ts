import { GitHubError } from './errors.js';

/** How something that is to stand once is made, and found among what is there. */
export interface Once<Thing> {
  create(): Promise<Thing>;
  /** Undefined where it is not there. */
  find(): Promise<Thing | undefined>;
}

/**
 * Creates something that is to stand once. Where the answer did not come, GitHub may have created it all the same, so it
 * is looked for before it is tried once more (memory-and-security C5 70). Throws what its parts throw.
 */
export async function createOnce<Thing>({ create, find }: Once<Thing>): Promise<Thing> {
  try {
    return await create();
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || thrown.reason !== 'unavailable') throw thrown;
    return (await find()) ?? (await create());
  }
}
