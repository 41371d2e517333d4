/** Block types of a frame (RFC 8878, 3.1.1.2.2). */
const RLE_BLOCK = 1;
const RESERVED_BLOCK = 3;
const BLOCK_HEADER_BYTES = 3;
const CHECKSUM_BYTES = 4;
/** Of the fields that the descriptor announces (RFC 8878, 3.1.1.1.1). */
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];

/** Whether bytes begin as a Zstandard frame does. */
export function isZstd(bytes: Buffer): boolean {
  return bytes.length > 5 && bytes.readUInt32LE(0) === 0xfd2fb528;
}

/**
 * Length of the Zstandard frame that bytes begin with, in bytes; undefined if it is cut off or malformed. Node's
 * decoder stops after one frame, and does not say where, while `unzstd` goes on.
 */
export function zstdFrameLength(bytes: Buffer): number | undefined {
  const descriptor = bytes[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 && isSingleSegment ? 1 : (SIZE_BYTES[sizeFlag] ?? 0);
  let at = 5 + (isSingleSegment ? 0 : 1) + (DICTIONARY_BYTES[descriptor & 3] ?? 0) + sizeBytes;
  for (let isLast = false; !isLast; ) {
    if (at + BLOCK_HEADER_BYTES > bytes.length) return undefined;
    const header = bytes.readUIntLE(at, BLOCK_HEADER_BYTES);
    const type = (header >> 1) & 3;
    if (type === RESERVED_BLOCK) return undefined;
    at += BLOCK_HEADER_BYTES + (type === RLE_BLOCK ? 1 : header >> 3);
    isLast = (header & 1) === 1;
  }
  at += (descriptor & 4) === 0 ? 0 : CHECKSUM_BYTES;
  return at > bytes.length ? undefined : at;
}
