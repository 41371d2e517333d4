/** One file or folder in an archive. */
export interface TarMember {
  readonly kind: 'file' | 'folder';
  /** As the archive says, a folder without the slash at its end. */
  readonly path: string;
  readonly bytes: number;
}

const BLOCK = 512;
/** Keywords that neither name a place nor say how much there is (POSIX `pax`, and what bsdtar adds). */
const HARMLESS =
  /^(?:[amc]time|[ug]id|[ug]name|comment|LIBARCHIVE\.(?:creationtime|xattr\..*)|SCHILY\.(?:dev|ino|nlink|xattr\..*))$/;

/**
 * What an archive holds. Only what `tar --posix` writes for files and folders is understood; anything else (links,
 * devices, sparse files, GNU's own headers, something after the end) is an Error that says what it is, lest two programs
 * read one archive differently.
 */
export function readTarMembers(archive: Buffer): readonly TarMember[] {
  const members: TarMember[] = [];
  let extended: { readonly path: string | undefined } | undefined;
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new Error('it has no end');
    if (isZero(header)) {
      if (!isZero(archive.subarray(at))) throw new Error('there is something after its end');
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
    members.push(memberOf(type, extended?.path ?? nameOf(header), bytes));
    extended = undefined;
  }
}

function memberOf(type: string, path: string, bytes: number): TarMember {
  const shown = JSON.stringify(path);
  if (type === '0' || type === '\0') return { kind: 'file', path, bytes };
  if (type === '5' && bytes === 0) return { kind: 'folder', path: path.replace(/\/$/, ''), bytes };
  if (type === '1' || type === '2') throw new Error(`${shown} is a link`);
  throw new Error(`${shown} is neither a file nor a folder`);
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
