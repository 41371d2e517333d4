/** Counts the requests of a run. */
export interface RequestCounter {
  readonly number: number;
  /** The same fetch, each call of which is counted. */
  counted(fetch: typeof globalThis.fetch): typeof globalThis.fetch;
}

/** A counter that begins at 0. */
export function countRequests(): RequestCounter {
  let number = 0;
  return {
    get number() {
      return number;
    },
    counted: (fetch) => (input, init) => {
      number += 1;
      return fetch(input, init);
    },
  };
}
