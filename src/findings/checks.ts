import { CHECK_LIMITS } from '../lib/defaults.js';
import { cutToBytes, isBinary } from '../lib/text/bytes.js';
import { cleanLine, count } from '../lib/text/format.js';
import {
  compileGlob,
  hasHalfBrace,
  listedPattern,
  PatternError,
  selectPaths,
} from '../lib/text/glob.js';
import { textId } from '../lib/text/text-id.js';
import { hiddenIn } from '../safety/hidden.js';
import { parseHandle } from './finding.js';

/** The rules of a project for its changes, in words. Only the base's are read. */
export const CHECKS_FILE = '.axe/checks.md';

export const CHECK_LEVELS = ['error', 'warning'] as const;

/** A rule that a change keeps or breaks. */
export interface Check {
  readonly name: string;
  readonly text: string;
  /** Patterns of paths, the excluded ones with `!`; none: every change. */
  readonly paths: readonly string[];
  readonly level: (typeof CHECK_LEVELS)[number];
}

/** A mistake in the file of checks. */
export interface CheckProblem {
  /** From 1. */
  readonly line: number;
  /** Half a sentence. */
  readonly message: string;
}

interface ParsedChecks {
  readonly checks: readonly Check[];
  readonly problems: readonly CheckProblem[];
}

const MAX_CHECKS = CHECK_LIMITS.checks;
const MAX_NAME = CHECK_LIMITS.nameCharacters;
const MAX_TEXT = CHECK_LIMITS.textCharacters;
const MAX_BYTES = CHECK_LIMITS.bytes;

/** Reads the checks of a file. A check with a mistake is left out, except for an unknown level. */
export function parseChecks(content: string): ParsedChecks {
  if (isBinary(Buffer.from(content))) return noChecks('is not a text');
  const { text, leftOutBytes } = cutToBytes(content, MAX_BYTES);
  const sections = sectionsOf(text.replaceAll(/\r\n?/g, '\n'));
  // The end of the last one is not known.
  const cut = leftOutBytes === 0 ? undefined : sections.pop();
  if (sections.length === 0 && cut === undefined)
    return noChecks('has no check: one begins with `## ` and its name');

  const problems: CheckProblem[] = [];
  const checks = new Map<string, Check>();
  for (const section of sections) {
    const add = (message: string) => problems.push({ line: section.line, message });
    const check = readSection(section, add);
    if (check === undefined) continue;
    const key = foldCheckName(check.name);
    if (checks.has(key)) add(`${quoted(check.name)} is there twice`);
    else if (checks.size >= MAX_CHECKS)
      add(`${quoted(check.name)} is one too many: at most ${MAX_CHECKS} are read`);
    else checks.set(key, check);
  }
  if (cut !== undefined) {
    const named = `from ${quoted(cut.name)} on`;
    const message = `the file is too long: nothing is read ${named}, where its first ${MAX_BYTES / 1024} KB end`;
    problems.push({ line: cut.line, message });
  }
  return { checks: [...checks.values()], problems };
}

function noChecks(message: string): ParsedChecks {
  return { checks: [], problems: [{ line: 1, message: `the file ${message}` }] };
}

interface Section {
  readonly name: string;
  readonly line: number;
  readonly lines: readonly string[];
}

/** The parts that begin at a heading of the second level, outside of fences. */
function sectionsOf(text: string): Section[] {
  const sections: { name: string; line: number; lines: string[] }[] = [];
  let fence = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';

    const [, heading] = fence === '' ? (/^## (.*)$/.exec(line) ?? []) : [];
    if (heading === undefined) sections.at(-1)?.lines.push(line);
    else {
      const name = heading.replace(/(?:^|\s)#+\s*$/, '').trim();
      sections.push({ name, line: index + 1, lines: [] });
    }
  }
  return sections;
}

function readSection(
  { name, lines }: Section,
  problem: (message: string) => void,
): Check | undefined {
  const { paths, level, text } = readKeys(lines);
  const reason =
    problemOfName(name) ?? problemOfText(text) ?? problemOfPaths(paths) ?? hiddenProblem(lines);
  if (reason !== undefined) {
    problem(`${quoted(name)} ${reason}`);
    return undefined;
  }
  const known = CHECK_LEVELS.find((choice) => choice === level);
  if (known === undefined && level !== undefined)
    problem(
      `${quoted(name)}: \`level\` is \`error\` or \`warning\`, and ${quoted(level)} counts as \`warning\``,
    );
  return { name, text, paths, level: known ?? 'warning' };
}

function problemOfName(name: string): string | undefined {
  if (foldCheckName(name) === '') return 'has no name';
  if (parseHandle(name) !== undefined) return 'is named like a finding';
  if ([...name].length > MAX_NAME) return `has more than ${MAX_NAME} characters in its name`;
  return hiddenIn(name) === undefined ? undefined : 'has hidden characters in its name';
}

function problemOfText(text: string): string | undefined {
  if (text === '') return 'has no text';
  return [...text].length > MAX_TEXT ? `has more than ${MAX_TEXT} characters of text` : undefined;
}

function problemOfPaths(paths: readonly string[]): string | undefined {
  if (paths.some(hasHalfBrace))
    return 'has braces in `paths`, which are not supported: write a pattern for each, as in `**/*.ts, **/*.tsx`';
  try {
    for (const pattern of paths) compileGlob(pattern.replace(/^!/, ''));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof PatternError)) throw thrown;
    return `has a pattern in \`paths\` that cannot be read: ${thrown.message}`;
  }
}

function hiddenProblem(lines: readonly string[]): string | undefined {
  return lines.some((line) => hiddenIn(line) !== undefined) ? 'has hidden characters' : undefined;
}

/** `paths:` and `level:` at the beginning, in any order, and the text below them. */
function readKeys(lines: readonly string[]) {
  const keys = new Map<string, string>();
  let start = 0;
  for (const line of lines) {
    const [, key = '', value = ''] = /^\s*(paths|level):\s*(.*)$/i.exec(line) ?? [];
    if (key === '' && line.trim() !== '') break;
    if (key !== '') keys.set(key.toLowerCase(), value.trim());
    start += 1;
  }
  const patterns = (keys.get('paths') ?? '').split(',').map((pattern) => pattern.trim());
  return {
    paths: patterns.filter((pattern) => pattern !== '').map(listedPattern),
    level: keys.get('level')?.toLowerCase(),
    text: lines.slice(start).join('\n').trim(),
  };
}

/** A name as two names are compared: case, quotes and white space make no difference. */
export function foldCheckName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[“”„‟"'‘’‚‛`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Changes with the text: what people said of the one before does not hold any more. */
export function checkKey({ text, paths, level }: Check): string {
  return textId([level, ...paths, text].join('\n')).slice(2);
}

/** The check is about one of these files. */
export function appliesTo({ paths }: Check, changed: readonly string[]): boolean {
  const included = paths.filter((pattern) => !pattern.startsWith('!'));
  const excluded = paths.flatMap((pattern) => (pattern.startsWith('!') ? pattern.slice(1) : []));
  const leftOut = new Set(selectPaths(excluded, changed));
  const matching = included.length === 0 ? changed : selectPaths(included, changed);
  return matching.some((path) => !leftOut.has(path));
}

/** One sentence on all mistakes of the file, which names the checks. */
export function describeProblems(problems: readonly CheckProblem[]): string {
  const shown = problems.slice(0, MAX_NAMED).map(({ message }) => message);
  const rest = problems.length - shown.length;
  const more = rest === 0 ? '' : `; and ${count(rest, 'more mistake')}`;
  return `\`${CHECKS_FILE}\`: ${shown.join('; ')}${more}.`;
}

const MAX_NAMED = 10;

function quoted(name: string): string {
  return `"${cleanLine(name, MAX_NAME) || '(none)'}"`;
}
