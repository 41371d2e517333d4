/**
 * A value as it is between spaces in a line of ours: `[A-Za-z0-9._:/@+-]` as they are, everything else
 * percent-encoded, and never two hyphens in a row, so that it can neither end a field nor an HTML comment.
 */
export function encodeField(value: string): string {
  return value
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[^A-Za-z0-9._:/@+-]/gu, percentEncode)
    .replace(/(?<=-)-/g, '%2D');
}

/** The value of a field; one that was not encoded by us is given unchanged. */
export function decodeField(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
}

/** `encodeURIComponent` leaves `!'()*~` as they are; here they are encoded too. */
function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  if (encoded !== character) return encoded;
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
