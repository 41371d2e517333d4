/**
 * The id of an entry without provenance, as axe writes them: of its text, but for line ends,
 * trailing space and git's conflict markers, which an unfinished merge leaves between entries. Two
 * entries with the same text are the same entry. Nothing secret hangs on it, so two hashes of 32
 * bits are enough: FNV-1a, and one that mixes by multiplying and shifting.
 */
export function textId(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replace(CONFLICT_MARKER, '').trimEnd();
  let [one, other] = [FNV_OFFSET, FNV_OFFSET];
  for (let at = 0; at < plain.length; at += 1) {
    const unit = plain.charCodeAt(at);
    one = imul(one ^ unit, FNV_PRIME);
    other = imul(other ^ unit, MIX_PRIME);
    other ^= other >>> 15;
  }
  return `t-${hex(one >>> 0)}${hex(other >>> 0)}`;
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
