import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** One member of an archive, honest or not. */
export interface Member {
  readonly path: string;
  /**
   * As the header says it: `0` a file, `1` a hard link, `2` a link, `3` a device, `5` a folder, `x`
   * an extended header.
   */
  readonly type?: string;
  readonly text?: string;
  readonly link?: string;
  readonly mode?: number;
  /** What the header says of its size, if not the truth; in octal. */
  readonly size?: string;
}

const BLOCK = 512;
const NAME_BYTES = 100;

/** A POSIX archive of these members, whatever they are. */
export function tarOf(members: readonly Member[]): Buffer {
  return Buffer.concat([...members.flatMap(blocksOf), Buffer.alloc(2 * BLOCK)]);
}

/** The same, packed as the cache keeps it. */
export function cacheArchive(members: readonly Member[]): Buffer {
  return zstdCompressSync(tarOf(members));
}

/** A record of an extended header: its length counts itself. */
export function paxRecord(keyword: string, value: string): string {
  const rest = ` ${keyword}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1;
  return `${length}${rest}`;
}

function blocksOf({
  path,
  type = '0',
  text = '',
  link = '',
  mode = 0o644,
  size,
}: Member): readonly Buffer[] {
  const content = Buffer.from(text);
  const header = Buffer.alloc(BLOCK);
  header.write(path, 0, NAME_BYTES);
  header.write(`${mode.toString(8).padStart(7, '0')}\0`, 100);
  header.write('0001750\x000001750\0', 108);
  header.write(`${(size ?? content.length.toString(8)).padStart(11, '0')}\0`, 124);
  header.write('14716000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(link, 157, NAME_BYTES);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}

/**
 * The files of an archive by path, without the folder that the action packs; headers of other kinds
 * are passed over.
 */
export function filesIn(archive: Buffer): Readonly<Record<string, string>> {
  const tar = zstdDecompressSync(archive);
  const files: Record<string, string> = {};
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const header = tar.subarray(at, at + BLOCK);
    const [prefix, name] = [textAt(header, 345, 155), textAt(header, 0, NAME_BYTES)];
    const size = Number.parseInt(textAt(header, 124, 12) || '0', 8);
    const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/^(?:\.\/)?[^/]*\//, '');
    if (header[156] === '0'.charCodeAt(0)) {
      files[path] = tar.subarray(at + BLOCK, at + BLOCK + size).toString('utf8');
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('latin1', start, start + length).replace(/\0[\s\S]*$/, '');
}
