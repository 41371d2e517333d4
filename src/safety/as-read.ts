/** A text as it will be read, and where in its source each of its UTF-16 units begins and ends. */
interface ReadText {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * What a reader, or a program, makes of a text: escapes of JSON and Markdown and entities are the characters they stand
 * for, tags and invisible characters are gone. Undefined for a text without any.
 */
export function asRead(source: string): ReadText | undefined {
  const starts = new Uint32Array(source.length);
  const ends = new Uint32Array(source.length);
  const kept: string[] = [];
  let length = 0;
  let at = 0;
  function keep(piece: string, start: number, end: number): void {
    const isPlain = piece.length === end - start;
    for (let unit = 0; unit < piece.length; unit += 1) {
      starts[length] = isPlain ? start + unit : start;
      ends[length] = isPlain ? start + unit + 1 : end;
      length += 1;
    }
    kept.push(piece);
  }
  for (const match of source.matchAll(WRITTEN)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    const end = match.index + match[0].length;
    keep(source.slice(at, match.index), at, match.index);
    keep(character, match.index, end);
    at = end;
  }
  if (at === 0) return undefined;
  keep(source.slice(at), at, source.length);
  return { text: kept.join(''), starts, ends };
}

/** Each quantifier is bounded, so that no text can make it slow. */
const WRITTEN =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&([a-z]{2,8});|\\([_.~+=/"-])|<[a-z/!?][^<>]{0,256}>|\p{Default_Ignorable_Code_Point}+/giu;

/** Empty for what is not seen; undefined for an entity that no secret is written with. */
function characterOf([, unicode, byte, hex, decimal, name, escaped]: RegExpExecArray): string | undefined {
  if (name !== undefined) return NAMED.get(name.toLowerCase());
  if (escaped !== undefined) return escaped;
  if (decimal !== undefined) return fromCodePoint(Number(decimal));
  const digits = unicode ?? byte ?? hex;
  return digits === undefined ? '' : fromCodePoint(Number.parseInt(digits, 16));
}

function fromCodePoint(codePoint: number): string {
  return codePoint > 0x10ffff ? '\uFFFD' : String.fromCodePoint(codePoint);
}

/** Entities of HTML for signs that tokens are made of. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lowbar', '_'],
  ['underbar', '_'],
  ['period', '.'],
  ['plus', '+'],
  ['sol', '/'],
  ['equals', '='],
  ['colon', ':'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
