/**
 * The text of a file's bytes with nothing lost: a byte that is no part of valid UTF-8 becomes one unpaired surrogate
 * (U+DC80 to U+DCFF, as Python's `surrogateescape` does it, PEP 383), and {@link encodeBytes} makes the byte of it
 * again. So a file that a person saved in another encoding keeps its bytes through a rewrite. A byte order mark is kept.
 */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return escapeInvalid(bytes);
  }
}

/** The bytes of a text that {@link decodeBytes} made; other unpaired surrogates become U+FFFD. */
export function encodeBytes(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  return new Uint8Array(Buffer.concat(text.split(/([\uDC80-\uDCFF]+)/u).map(encodePart)));
}

const ESCAPED = /^[\uDC80-\uDCFF]+$/u;
const ESCAPE_BASE = 0xdc00;

function encodePart(text: string): Uint8Array {
  if (!ESCAPED.test(text)) return new TextEncoder().encode(text);
  return Uint8Array.from(text, (character) => (character.codePointAt(0) ?? 0) - ESCAPE_BASE);
}

function escapeInvalid(bytes: Uint8Array): string {
  const oneEach = Buffer.from(bytes).toString('latin1');
  return oneEach.replace(CHARACTERS, (part, bad: string | undefined) =>
    bad === undefined
      ? Buffer.from(part, 'latin1').toString('utf8')
      : String.fromCharCode(ESCAPE_BASE + bad.charCodeAt(0)),
  );
}

/** Valid characters (RFC 3629, section 4), and in the group a byte that is in none, as one code unit a byte. */
const CHARACTERS =
  /[^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|([\x80-\xff])/g;

/** Compares two texts as their UTF-8 bytes compare, which is how axe sorts names and paths (axe-behaviour §7, §18). */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(encodeBytes(a), encodeBytes(b));
}
