/**
 * The ways in which a secret can be written that the redactor looks for: as it is, reversed, base64 in both alphabets
 * and at all three alignments, hex, percent-encoded, escaped for JSON and for HTML; of a secret of several lines every
 * long line as well (memory-and-security B3.4, D11). Forms shorter than `minLength` are left out.
 */
export function encodingsOf(secret: string, minLength: number): readonly string[] {
  const forms = new Set<string>();
  for (const part of partsOf(secret)) {
    if (part.length < minLength) continue;
    for (const form of encodePart(part)) if (form.length >= minLength) forms.add(form);
  }
  return [...forms];
}

/** A line of a multi-line secret is a secret if it is at least this long; shorter ones are `}` and the like. */
const MIN_LINE_LENGTH = 16;

function partsOf(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const longLines = lines.filter((line) => line.length >= MIN_LINE_LENGTH);
  return [secret.trim(), ...(lines.length > 1 ? longLines : [])];
}

function encodePart(part: string): readonly string[] {
  const bytes = new TextEncoder().encode(part);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const base64 = [0, 1, 2].map((alignment) => base64At(bytes, alignment));
  const url = encodeUrl(part);
  return [
    part,
    Array.from(part).reverse().join(''),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    hex.join(''),
    hex.join('').toUpperCase(),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    hex.map((byte) => `%${byte}`).join(''),
    hex.map((byte) => `%${byte.toUpperCase()}`).join(''),
    hex.map((byte) => `\\x${byte}`).join(''),
    JSON.stringify(part).slice(1, -1),
    part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ];
}

/** Percent-encoding; a lone surrogate, which has no bytes, becomes U+FFFD as it does in UTF-8. */
function encodeUrl(part: string): string {
  return encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\uFFFD'));
}

/**
 * What base64 makes of the bytes when `alignment` other bytes stand before them and unknown ones follow: the
 * characters that depend on the secret alone.
 */
function base64At(bytes: Uint8Array, alignment: number): string {
  const padded = [...new Array<number>(alignment).fill(0), ...bytes];
  const encoded = btoa(padded.map((byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
  const before = alignment === 0 ? 0 : alignment + 1;
  const after = padded.length % 3 === 0 ? 0 : 1;
  return encoded.slice(before, encoded.length - after);
}
