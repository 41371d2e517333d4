import { ToolError } from '../../lib/errors.js';
import { networkCause } from '../../lib/network-cause.js';
import type { PostJson } from '../ports.js';

/** JSON by POST through the given fetch. A redirect is an answer like any other: keys are never sent elsewhere. */
export function createPostJson(fetch: typeof globalThis.fetch): PostJson {
  return async (url, { headers, body, maxBytes, timeoutMs }, signal) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      });
      const { bytes, truncated } = await readCapped(response.body, maxBytes);
      if (truncated) throw new ToolError(`the answer of ${hostOf(url)} is larger than ${maxBytes} bytes`);
      return { status: response.status, text: new TextDecoder().decode(bytes) };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof ToolError) throw thrown;
      throw new ToolError(
        timeout.aborted
          ? `${hostOf(url)} did not answer within ${timeoutMs / 1000} seconds`
          : `${hostOf(url)} could not be reached: ${networkCause(thrown).message}`,
      );
    }
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}

/** The part of {@link ReadableStream} that is needed; undici's and Node's own are declared apart. */
interface Body {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
}

/** The first bytes of a body; what is beyond them is not received. */
export async function readCapped(
  body: Body | null,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly truncated: boolean }> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  if (body !== null) {
    const reader = body.getReader();
    while (total <= maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value ?? new Uint8Array());
      total += value?.length ?? 0;
    }
    if (total > maxBytes) await reader.cancel();
  }
  return { bytes: new Uint8Array(Buffer.concat(chunks).subarray(0, maxBytes)), truncated: total > maxBytes };
}
