import { ToolError } from '../../../core/tool-error.js';
import type { PostJson } from '../../../core/tools/ports.js';
import { innermostMessage } from './innermost.js';
import { readCapped } from './read-capped.js';

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
          : `${hostOf(url)} could not be reached: ${innermostMessage(thrown)}`,
      );
    }
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server';
}
