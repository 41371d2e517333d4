import { textId } from '../memory/units.js';
import { codeFeatures } from './features.js';

/** A line of code as far as it is known. */
export interface Code {
  /** See {@link codeId}. */
  readonly id: string;
  /** Undefined where only its id was kept. */
  readonly text: CodeText | undefined;
}

/** What a line of code is compared by. */
interface CodeText {
  /** The names in it, as numbers. */
  readonly names: ReadonlySet<number>;
  /** Those, and the words in its names. */
  readonly words: ReadonlySet<number>;
  /** Pairs of characters of its shape. */
  readonly shape: ReadonlySet<string>;
}

/** A line of code that is at hand. */
export function readCode(line: string): Code {
  const id = codeId(line);
  return { id, text: { ...codeFeatures(line), shape: pairsOf(shapeOf(line)) } };
}

/** A line of code of which only the id was kept. */
export function codeOfId(id: string): Code {
  return { id, text: undefined };
}

/**
 * What a line of code is known by, 16 hexadecimal digits; spacing counts for nothing. Empty for a line that says nothing
 * (`}`), so that two of those are never taken for one.
 */
export function codeId(line: string): string {
  return isTelling(line) ? textId(normalizeCode(line)).slice(2) : '';
}

/** Whether the lines are of one shape: the same but for names, numbers and texts. */
export function isAlikeShape({ shape: a }: CodeText, { shape: b }: CodeText): boolean {
  if (a.size + b.size === 0) return false;
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size) >= ALIKE_SHAPE;
}

const ALIKE_SHAPE = 0.75;

/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Whether a line says which line it is; `}` does not. */
export function isTelling(line: string): boolean {
  return /[\p{L}\p{N}].*[\p{L}\p{N}]/u.test(normalizeCode(line));
}

/** `send(user.name, 'x')` and `save(order.id)` are both `x(x)`. */
function shapeOf(line: string): string {
  return normalizeCode(line)
    .slice(0, MAX_SHAPE)
    .replace(/(["'`]).*?\1/g, 's')
    .replace(/[A-Za-z_$][\w$]*|\d+/g, 'x')
    .replace(/\(x(?:\s*,\s*x)*\)/g, '(x)')
    .replace(/\(s\)/g, '(x)')
    .replace(/x(?:\.x)+/g, 'x')
    .replace(/\s+/g, '');
}

const MAX_SHAPE = 1000;

function pairsOf(text: string): ReadonlySet<string> {
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}
