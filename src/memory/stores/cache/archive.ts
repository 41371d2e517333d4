import { readFileSync, statSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { decodeBytes } from '../../../lib/text/bytes.js';
import { grouped } from '../../../lib/text/format.js';
import type { MemoryTree } from '../../change.js';
import { isMemoryPath } from '../tree-on-disk.js';

/** Largest archive that is looked into, packed and unpacked; what we write stays far below it. */
export const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 12 * 1024 * 1024;

const ZSTD_MAGIC = 0xfd2fb528;
const BLOCK = 512;

/**
 * The memory files of a folder in a tar archive (`tar --posix`, packed by gzip or Zstandard), by their paths in the folder.
 * Throws an Error for one that is cut off, and for one that holds anything else than such files and folders: nobody but us
 * should have written it. Synchronous, since whoever reads may be waiting in a call that cannot wait.
 */
export function readArchive(path: string, folder: string): MemoryTree {
  const { size } = statSync(path);
  if (size > MAX_ARCHIVE_BYTES) throw new Error(tooLarge(size));
  const archive = unpack(readFileSync(path));
  const tree = new Map<string, string>();
  /** Of the next member, where an extended header says it. */
  let longPath: string | undefined;
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new Error('it is cut off');
    if (header.every((byte) => byte === 0)) return tree;
    const bytes = Number.parseInt(textAt(header, 124, 12), 8);
    if (!(bytes >= 0)) throw new Error('it is not a POSIX archive');
    const content = archive.subarray(at + BLOCK, at + BLOCK + bytes);
    if (content.length < bytes) throw new Error('it is cut off');
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    const type = textAt(header, 156, 1);
    if (type === 'x') {
      longPath = [...content.toString('utf8').matchAll(/^\d+ path=(.*)$/gm)].at(-1)?.[1];
      continue;
    }
    const member = longPath ?? [textAt(header, 345, 155), textAt(header, 0, 100)].filter(Boolean).join('/');
    longPath = undefined;
    if (type === '5') continue;
    const inside = member.startsWith(`${folder}/`) ? member.slice(folder.length + 1) : '';
    if (!['0', ''].includes(type) || !isMemoryPath(inside))
      throw new Error(`${JSON.stringify(member)} is not a memory file`);
    tree.set(inside, decodeBytes(content));
  }
}

function unpack(packed: Buffer): Buffer {
  const isZstd = packed.length >= 4 && packed.readUInt32LE(0) === ZSTD_MAGIC;
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  return isZstd ? zstdDecompressSync(packed, options) : gunzipSync(packed, options);
}

/** A field of a header, which a zero byte ends. */
function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0[\s\S]*$/, '');
}

export function tooLarge(bytes: number): string {
  return `it has at least ${grouped(bytes)} bytes, and at most ${grouped(MAX_ARCHIVE_BYTES)} are read`;
}
