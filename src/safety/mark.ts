import { parseJson } from '../lib/data.js';

/** A text of ours describes itself so; two with the same fields are one text, written anew. */
export interface Mark {
  readonly kind: string;
  readonly agent?: string;
  readonly [field: string]: unknown;
}

/** The fields by which a text is found again. */
export type MarkFields = Pick<Mark, 'kind'> & Readonly<Record<string, unknown>>;

/**
 * The hidden line that everything we post begins with. No character of a value can end the HTML
 * comment, or is more to GitHub than a letter.
 */
export function formatMark({ kind, ...rest }: Mark): string {
  const json = JSON.stringify({ kind, v: VERSION, ...rest }).replace(
    /[<>@#\u0085\u2028\u2029-]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `<!-- axe-action ${json} -->`;
}

/** The version of every mark. */
const VERSION = 1;

/** Reads the fields of a mark; an empty object for any other line. */
function readMark(line = ''): Readonly<Record<string, unknown>> {
  const [, json = ''] = /^<!-- axe-action (\{[^\n]*\}) -->\r?$/.exec(line) ?? [];
  return (parseJson(json) ?? {}) as Readonly<Record<string, unknown>>;
}

/**
 * Reads the mark of a text from its first line; an empty object if the text is not ours or somebody
 * has removed that line.
 */
export function readOwnMark(body: string): Readonly<Record<string, unknown>> {
  return readMark(body.split('\n', 1)[0]);
}

/**
 * A line of a text is a mark with these fields, lists and the record aside; a quotation does not
 * count.
 */
export function isMarked(body: string, wanted: MarkFields): boolean {
  if (!body.includes(START)) return false;
  const fields = Object.entries(wanted).filter(
    ([, value]) => value !== undefined && typeof value !== 'object',
  );
  return body.split('\n').some((line) => {
    const mark = readMark(line);
    return fields.every(([name, value]) => mark[name] === value);
  });
}

export function withMark(body: string, mark: Mark): string {
  return isMarked(body, mark) ? body : `${formatMark(mark)}\n${body}`;
}

/**
 * Changes a text by others so that no line can pass for a mark, not even in code, where programs
 * find it too.
 */
export function removeMarks(text: string): string {
  return text.replaceAll(START, 'axe-action {');
}

/** True for a text that a run of ours has written: one of its lines begins with a mark. */
export function isOwnText(body: string): boolean {
  return /^<!-- axe-action \{/m.test(body);
}

const START = '<!-- axe-action {';
