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
