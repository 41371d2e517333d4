const BLOCK_BYTES = 512;

/** Positions in a header block (POSIX.1, "ustar Interchange Format"). */
const SIZE = { start: 124, end: 136 } as const;
const TYPE = 156;
/** A regular file is `0`, or a zero byte in old archives. */
const FILE_TYPES = [0x30, 0];

/**
 * The contents of the regular files in a tar stream. Files over `maxBytes` are skipped. The stream
 * ends with the last file that is whole: at the archive's end, where it is cut, or before a block
 * that is not a header.
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const reader = createByteReader(chunks);
  try {
    for (;;) {
      const header = await reader.take(BLOCK_BYTES);
      // An archive ends with a block of zeros.
      if (header === undefined || header[0] === 0) return;
      const size = Buffer.from(header.subarray(SIZE.start, SIZE.end)).toString('latin1');
      const digits = /^ *([0-7]+)[ \0]*$/.exec(size)?.[1];
      if (digits === undefined) return;

      const bytes = Number.parseInt(digits, 8);
      const isWanted = FILE_TYPES.includes(header[TYPE] ?? -1) && bytes <= maxBytes;
      const content = isWanted ? await reader.take(bytes) : await reader.skip(bytes);
      if (content === undefined) return;
      if (isWanted) yield content;
      await reader.skip((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES);
    }
  } finally {
    await reader.close();
  }
}

/** Both ways to read give undefined if the stream ends too early. */
function createByteReader(chunks: AsyncIterable<Uint8Array>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let chunk: Uint8Array = new Uint8Array();

  async function next(count: number, onPart: (part: Uint8Array) => void) {
    let missing = count;
    while (missing > 0) {
      if (chunk.length === 0) {
        const { done, value } = await iterator.next();
        if (done === true) return undefined;
        chunk = value;
      }
      const part = chunk.subarray(0, missing);
      chunk = chunk.subarray(part.length);
      missing -= part.length;
      onPart(part);
    }
    return new Uint8Array();
  }

  return {
    async take(count: number): Promise<Uint8Array | undefined> {
      const parts: Uint8Array[] = [];
      const end = await next(count, (part) => parts.push(part));
      return end && Buffer.concat(parts);
    },
    skip: (count: number) => next(count, () => {}),
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}
