const NEWLINE = 0x0a;

/** What is said about a body on its way. */
export interface BodyWatch {
  readonly maxBytes: number;
  /** Called once, when the body is over, however that came. */
  onOver?(body: { readonly isResumable: boolean }): void;
}

/**
 * A response whose body breaks off with an error when it, or one event of an event stream, grows too large: the client
 * collects either in memory. Status and headers stay.
 */
export function watchBody(response: Response, { maxBytes, onOver }: BodyWatch): Response {
  if (response.body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
  const reader = response.body.getReader();
  const meter = createMeter(isStream);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done && meter.add(value) > maxBytes)
          throw new Error(`it sent more than ${maxBytes} bytes at once`);
        if (!done) return controller.enqueue(value);
        onOver?.({ isResumable: meter.isResumable() });
        controller.close();
      } catch (thrown) {
        onOver?.({ isResumable: meter.isResumable() });
        controller.error(thrown);
        await reader.cancel(thrown).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
}

interface Meter {
  /** Bytes so far, in a stream those since the last event. */
  add(chunk: Uint8Array): number;
  /** Whether an event carried an id, so that the client asks for the rest by itself. */
  isResumable(): boolean;
}

/** Events end at an empty line (HTML standard, server-sent events); lines that end in CR alone are not looked for. */
function createMeter(isStream: boolean): Meter {
  let bytes = 0;
  let lineBytes = 0;
  let lineStart = '';
  let hasId = false;

  /** Takes a part of a line, or a whole one. */
  function takeLine(part: Uint8Array): void {
    if (lineStart.length < 3) lineStart += String.fromCharCode(...part.subarray(0, 3 - lineStart.length));
    lineBytes += part.length;
    hasId ||= lineStart === 'id:';
  }

  function add(chunk: Uint8Array): number {
    bytes += chunk.length;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); isStream && at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      takeLine(chunk.subarray(from, at));
      from = at + 1;
      if (lineBytes === 0 || lineStart === '\r') bytes = chunk.length - from;
      lineBytes = 0;
      lineStart = '';
    }
    takeLine(chunk.subarray(from));
    return bytes;
  }

  return { add, isResumable: () => hasId };
}
