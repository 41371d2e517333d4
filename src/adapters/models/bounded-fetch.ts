import { MAX_REPLY_BYTES } from '../../core/defaults.js';

/**
 * The fetch that models are asked with. It follows no redirect, which could carry the key to another host (axe does not
 * follow any, axe-behaviour §11), and stops receiving an answer that is larger than any model writes: the packages hold
 * all of it in memory.
 */
export function boundedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    return new Response(body.pipeThrough(limitBytes()), { status, statusText, headers });
  };
}

function limitBytes(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let received = 0;
  return new TransformStream({
    transform(chunk, controller) {
      received += chunk.length;
      if (received <= MAX_REPLY_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`the answer is larger than ${MAX_REPLY_BYTES} bytes`));
    },
  });
}
