/** Whether a name, without slashes, matches a segment of a pattern. */
export type SegmentMatcher = (name: string) => boolean;

type Token =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'literal'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly isNegated: boolean; readonly ranges: readonly Range[] };

type Range = readonly [from: number, to: number];

/**
 * Compiles one segment of a pattern by the rules of Go's `path/filepath.Match` (https://pkg.go.dev/path/filepath#Match);
 * undefined if it is malformed.
 */
export function compileSegment(segment: string): SegmentMatcher | undefined {
  const tokens = tokenize([...segment]);
  if (tokens === undefined) return undefined;
  return (name) => matchTokens(tokens, codePoints(name));
}

function tokenize(characters: readonly string[]): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (at < characters.length) {
    const character = characters[at];
    if (character === '[') {
      const parsed = parseClass(characters, at + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      at = parsed.end;
    } else if (character === '*') {
      // Several stars in a row are one.
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
      at += 1;
    } else if (character === '?') {
      tokens.push({ kind: 'any' });
      at += 1;
    } else {
      const escaped = parseCharacter(characters, at);
      if (escaped === undefined) return undefined;
      tokens.push({ kind: 'literal', codePoint: escaped.codePoint });
      at = escaped.end;
    }
  }
  return tokens;
}

/** Reads a class behind its `[`; it needs at least one member, so `[]` is malformed. */
function parseClass(
  characters: readonly string[],
  start: number,
): { readonly token: Token; readonly end: number } | undefined {
  const isNegated = characters[start] === '^';
  const ranges: Range[] = [];
  let at = isNegated ? start + 1 : start;
  while (characters[at] !== ']' || ranges.length === 0) {
    const from = parseMember(characters, at);
    if (from === undefined) return undefined;
    at = from.end;
    if (characters[at] === '-') {
      const to = parseMember(characters, at + 1);
      if (to === undefined) return undefined;
      ranges.push([from.codePoint, to.codePoint]);
      at = to.end;
    } else ranges.push([from.codePoint, from.codePoint]);
  }
  return { token: { kind: 'class', isNegated, ranges }, end: at + 1 };
}

interface ParsedCharacter {
  readonly codePoint: number;
  readonly end: number;
}

/** A character of a class: `-` and `]` have to be escaped there. */
function parseMember(characters: readonly string[], at: number): ParsedCharacter | undefined {
  return characters[at] === '-' || characters[at] === ']' ? undefined : parseCharacter(characters, at);
}

/** One character, which may have a backslash before it; undefined at the end. */
function parseCharacter(characters: readonly string[], at: number): ParsedCharacter | undefined {
  const position = characters[at] === '\\' ? at + 1 : at;
  const codePoint = characters[position]?.codePointAt(0);
  return codePoint === undefined ? undefined : { codePoint, end: position + 1 };
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** Goes through the name once; after a mismatch only the last star is tried one character longer. */
function matchTokens(tokens: readonly Token[], name: readonly number[]): boolean {
  let token = 0;
  let at = 0;
  let star = -1;
  let starEnd = 0;
  while (at < name.length) {
    const current = tokens[token];
    if (current?.kind === 'star') {
      star = token;
      starEnd = at;
      token += 1;
    } else if (current !== undefined && matchesOne(current, name[at] ?? 0)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      starEnd += 1;
      at = starEnd;
      token = star + 1;
    } else return false;
  }
  while (tokens[token]?.kind === 'star') token += 1;
  return token === tokens.length;
}

function matchesOne(token: Token, codePoint: number): boolean {
  switch (token.kind) {
    case 'star':
      return false;
    case 'any':
      return true;
    case 'literal':
      return token.codePoint === codePoint;
    case 'class':
      return token.ranges.some(([from, to]) => from <= codePoint && codePoint <= to) !== token.isNegated;
  }
}
