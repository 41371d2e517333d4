/**
 * The id of an entry without provenance, such as axe writes: a hash of its text. Line ends,
 * trailing space and the conflict markers that an unfinished merge leaves between entries do not
 * count. Two entries with the same text are the same entry. Security does not depend on it, so two
 * 32-bit hashes are enough: FNV-1a, and one that mixes by multiplying and shifting.
 */
export function textId(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replace(CONFLICT_MARKER, '').trimEnd();

  let fnvHash = FNV_OFFSET;
  let mixHash = FNV_OFFSET;
  for (let index = 0; index < plain.length; index += 1) {
    const unit = plain.charCodeAt(index);
    fnvHash = imul(fnvHash ^ unit, FNV_PRIME);
    mixHash = imul(mixHash ^ unit, MIX_PRIME);
    mixHash ^= mixHash >>> 15;
  }
  return `t-${hex(fnvHash >>> 0)}${hex(mixHash >>> 0)}`;
}

const CONFLICT_MARKER = /^(?:(?:<{7}|>{7}|\|{7})(?: [^\n]*)?|={7})(?:\n|$)/gm;

const { imul } = Math;

const FNV_OFFSET = 0x811c9dc5;

const FNV_PRIME = 0x01000193;

/** The prime nearest to 2^32 divided by the golden ratio. */
const MIX_PRIME = 0x9e3779b1;

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
