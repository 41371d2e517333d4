/** Bytes in the order in which they come; reading them can fail in the middle. */
export type Chunks = AsyncIterable<Uint8Array>;

/** The same answer with another body: what `change` makes of its bytes, as they are read. */
export function withBody(response: Response, change: (chunks: Chunks) => Chunks): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  return new Response(ReadableStream.from(change(body)), { status, statusText, headers });
}

/** All bytes of a body. */
export async function readBytes(chunks: Chunks): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new Uint8Array(Buffer.concat(parts));
}
