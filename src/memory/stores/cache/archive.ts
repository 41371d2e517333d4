import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { isInside } from '../../../lib/confine.js';
import { messageOf } from '../../../lib/errors.js';
import { errorCode } from '../../../lib/files.js';
import { grouped } from '../../../lib/text/number.js';

/** Largest archive that is looked into, packed, in bytes; what we write stays far below it. */
export const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Most that one may hold; a thousand files bring a few kilobytes of headers each. */
const MAX_UNPACKED_BYTES = 12 * 1024 * 1024;

/** Why an archive is not unpacked: its bytes are not whole, or it holds what it must not. */
export interface ArchiveRefusal {
  readonly kind: 'damaged' | 'suspect';
  readonly reason: string;
}

/**
 * Why a tar archive must not be unpacked where a folder of this name is to come; undefined if nothing speaks against it.
 * It may hold files and folders inside that folder only. Gzip and Zstandard; synchronous, since whoever unpacks may be
 * waiting in a call that cannot wait.
 */
export function refuseArchive(path: string, folder: string): ArchiveRefusal | undefined {
  try {
    const { size } = statSync(path);
    if (size > MAX_ARCHIVE_BYTES)
      return suspect(`it has ${grouped(size)} bytes, and at most ${grouped(MAX_ARCHIVE_BYTES)} are unpacked`);
    const members = readTarMembers(unpack(readFileSync(path)));
    const outside = members.find((path) => !isPlain(path) || !isInside(join('/', folder), join('/', path)));
    return outside === undefined
      ? undefined
      : suspect(`${JSON.stringify(outside)} lies outside \`${folder}\``);
  } catch (thrown) {
    return thrown instanceof Damage
      ? { kind: 'damaged', reason: thrown.message }
      : suspect(messageOf(thrown));
  }
}

function suspect(reason: string): ArchiveRefusal {
  return { kind: 'suspect', reason };
}

/** Bytes that no packer wrote as they are: some are missing, or were changed on the way. */
class Damage extends Error {}

const ZSTD_MAGIC = 0xfd2fb528;

/** What Node's `info` gives, which its types do not know. `bytesWritten` are those that the decoder took. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function unpack(packed: Buffer): Buffer {
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  try {
    if (packed.length < 4 || packed.readUInt32LE(0) !== ZSTD_MAGIC) return gunzipSync(packed, options);
    const { buffer, engine } = zstdDecompressSync(packed, { ...options, info: true }) as unknown as Inflated;
    // Node's decoder ends after one frame, while `unzstd` goes on.
    if (engine.bytesWritten !== packed.length) throw new Error('it is more than one frame');
    return buffer;
  } catch (thrown) {
    const code = errorCode(thrown) ?? '';
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw new Error(`it holds more than ${grouped(MAX_UNPACKED_BYTES)} bytes`);
    throw /^(?:Z_|ZSTD_)/.test(code) ? new Damage(`it is cut off or damaged (${messageOf(thrown)})`) : thrown;
  }
}

/** A path that every system reads alike. */
function isPlain(path: string): boolean {
  return path.split('/').every((part) => !['', '.', '..'].includes(part) && !/[\\:\0]/.test(part));
}

const BLOCK = 512;
/** Keywords that neither name a place nor say how much there is (POSIX `pax`, and what bsdtar adds). */
const HARMLESS =
  /^(?:[amc]time|[ug]id|[ug]name|comment|LIBARCHIVE\.(?:creationtime|xattr\..*)|SCHILY\.(?:dev|ino|nlink|xattr\..*))$/;

/**
 * Paths of the files and folders in an archive. Only what `tar --posix` writes for files and folders is understood; anything else (links,
 * devices, sparse files, GNU's own headers, something after the end) is an Error that says what it is, lest two programs
 * read one archive differently.
 */
function readTarMembers(archive: Buffer): readonly string[] {
  const members: string[] = [];
  let extended: { readonly path: string | undefined } | undefined;
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new Error('it has no end');
    if (isZero(header)) {
      if (!isZero(archive.subarray(at))) throw new Error('there is data after its end');
      return members;
    }
    checkHeader(header);
    const bytes = octal(header, 124, 12);
    const content = archive.subarray(at + BLOCK, at + BLOCK + bytes);
    if (content.length < bytes) throw new Error('it is cut off');
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') {
      if (extended !== undefined) throw new Error('an extended header follows another');
      extended = parseExtended(content);
      continue;
    }
    const path = extended?.path ?? nameOf(header);
    checkMember(type, path, bytes);
    // A folder comes with a slash at its end.
    members.push(type === '5' ? path.replace(/\/$/, '') : path);
    extended = undefined;
  }
}

function checkMember(type: string, path: string, bytes: number): void {
  if (type === '0' || type === '\0' || (type === '5' && bytes === 0)) return;
  const isLink = type === '1' || type === '2';
  throw new Error(`${JSON.stringify(path)} is ${isLink ? 'a link' : 'neither a file nor a folder'}`);
}

function checkHeader(header: Buffer): void {
  if (header.toString('latin1', 257, 265) !== 'ustar\x0000') throw new Error('it is not a POSIX archive');
  let sum = 0;
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 32 : byte;
  if (sum !== octal(header, 148, 8)) throw new Error('a checksum is wrong');
}

/** Numbers are octal digits that end in a blank or a zero byte. */
function octal(header: Buffer, at: number, length: number): number {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(header.toString('latin1', at, at + length))?.[1];
  if (digits === undefined) throw new Error('a number is malformed');
  return Number.parseInt(digits, 8);
}

function nameOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  const folder = textOf(header.subarray(345, 500));
  return folder === '' ? name : `${folder}/${name}`;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** What an extended header says of the next member's place; records are `<length> <keyword>=<value>\n`. */
function parseExtended(content: Buffer): { readonly path: string | undefined } {
  let path: string | undefined;
  for (let at = 0; at < content.length; ) {
    const length = Number(/^(\d{1,6}) /.exec(content.toString('latin1', at, at + 7))?.[1] ?? 0);
    const record = content.toString('utf8', at, at + length);
    const [, keyword = '', value = ''] = /^\d+ ([^=\n]+)=(.*)\n$/s.exec(record) ?? [];
    if (keyword === '' || at + length > content.length) throw new Error('an extended header is malformed');
    if (keyword === 'path') path = value;
    else if (!HARMLESS.test(keyword)) throw new Error(`an extended header sets ${JSON.stringify(keyword)}`);
    at += length;
  }
  return { path };
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
