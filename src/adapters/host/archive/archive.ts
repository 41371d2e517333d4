import { readFileSync, statSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { messageOf } from '../../../core/errors.js';
import { errorCode } from '../file-error.js';
import { readTarMembers } from './tar-members.js';
import { isZstd, zstdFrameLength } from './zstd-frame.js';

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
      return suspect(`it has ${size} bytes, and at most ${MAX_ARCHIVE_BYTES} are unpacked`);
    const members = readTarMembers(unpack(readFileSync(path)));
    const outside = members.find((member) => !isInside(member.path, folder));
    return outside && suspect(`${JSON.stringify(outside.path)} lies outside \`${folder}\``);
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

function unpack(packed: Buffer): Buffer {
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  try {
    if (!isZstd(packed)) return gunzipSync(packed, options);
    const length = zstdFrameLength(packed);
    if (length === undefined) throw new Damage('it is cut off or damaged');
    if (length !== packed.length) throw new Error('it is more than one frame');
    return zstdDecompressSync(packed, options);
  } catch (thrown) {
    const code = errorCode(thrown) ?? '';
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Error(`it holds more than ${MAX_UNPACKED_BYTES} bytes`);
    throw /^(?:Z_|ZSTD_)/.test(code) ? new Damage(`it is cut off or damaged (${messageOf(thrown)})`) : thrown;
  }
}

function isInside(path: string, folder: string): boolean {
  const parts = path.split('/');
  return (
    parts[0] === folder && parts.every((part) => !['', '.', '..'].includes(part) && !/[\\:\0]/.test(part))
  );
}
