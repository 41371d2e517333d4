import { textId } from '../memory/units.js';

/** The version of a file a line number counts in, as GitHub names it: before the change or after it. */
export type Side = 'LEFT' | 'RIGHT';

/** Something a review has to say about a place in the change. */
export interface Finding {
  readonly path: string;
  /** The last line it is about; counts from 1. */
  readonly line: number;
  /** The first line, where it is about several. */
  readonly startLine?: number;
  readonly side: Side;
  /** Markdown of the model's; nobody has cleaned it yet. */
  readonly body: string;
  /** The kind of finding in kebab-case (`sql-injection`), see {@link normalizeRule}. */
  readonly rule: string;
  /** What the lines should be replaced with; without a line break at the end. */
  readonly suggestion?: string;
  /** The text of `line`, where it is known. */
  readonly code?: string;
}

/** The rule of findings that name none; their own words tell them apart. */
export const GENERAL_RULE = 'general';

const MAX_RULE = 50;

/** A rule as it is kept: `SQL Injection`, `sql_injection` and `sql-injection` are one. */
export function normalizeRule(rule: string | undefined): string {
  const words =
    (rule ?? '')
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = words.join('-').slice(0, MAX_RULE).replace(/-$/, '');
  return name === '' ? GENERAL_RULE : name;
}

/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(code: string): string {
  return code.replace(/\s+/g, ' ').trim();
}

/**
 * What a finding is known by in later runs, 16 hexadecimal digits: file, rule and code of the line, so that neither
 * moved lines nor other words make another finding of it. Where rule or code say nothing (`general`, `}`), the first
 * sentence counts too, without its numbers. No secret hangs on it (see {@link textId}).
 */
export function fingerprint({ path, rule, code = '', body }: Omit<Finding, 'line' | 'side'>): string {
  const name = normalizeRule(rule);
  const line = normalizeCode(code);
  const isTelling = name !== GENERAL_RULE && /[\p{L}\p{N}]/u.test(line);
  return textId(JSON.stringify([path, name, line, isTelling ? '' : wordsOf(firstSentence(body))])).slice(2);
}

/** The first sentence of a markdown text on one line. */
export function firstSentence(body: string): string {
  const text = body.replace(/\s+/g, ' ').trim();
  return /^.*?(?:[.!?](?= |$)|[。！？])/.exec(text)?.[0] ?? text;
}

/** Line numbers change, and so does how a text is marked up. */
function wordsOf(sentence: string): string {
  return (
    sentence
      .normalize('NFKC')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  ).join(' ');
}
