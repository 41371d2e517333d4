import { CHECK_LIMITS } from '../../lib/defaults.js';
import { cleanLine, codeSpan, formatInteger } from '../../lib/text/format.js';
import { FENCE_NOTICE, fence } from '../../safety/fence.js';
import { showName } from '../../safety/hidden.js';
import type { CheckRow } from '../check-rows.js';
import type { Check } from '../checks.js';
import { tableCell, titleLine } from './comment-text.js';

/** The state of a check as people read it. */
type CheckState = CheckRow['answer'] | 'overruled';

/** The states that people have to look at, in the order of the table. */
const SHOWN: readonly CheckState[] = ['fail', 'unsure', 'overruled'];
const ORDER: readonly CheckState[] = [...SHOWN, 'pass', 'does not apply'];

const WORDS: Readonly<Record<CheckState, readonly [one: string, more: string, icon: string]>> = {
  fail: ['fails', 'fail', '❌'],
  unsure: ['unsure', 'unsure', '❔'],
  overruled: ['overruled', 'overruled', '➖'],
  pass: ['passes', 'pass', '✅'],
  'does not apply': ['does not apply', 'do not apply', '▫️'],
};

function stateOf({ answer, overruledBy }: CheckRow): CheckState {
  return overruledBy === undefined ? answer : 'overruled';
}

/** `Checks: 1 fails, 6 pass`. */
function countStates(rows: readonly CheckRow[]): string {
  const counted = ORDER.flatMap((state) => {
    const number = rows.filter((row) => stateOf(row) === state).length;
    const [singular, plural] = WORDS[state];
    return number === 0 ? [] : [`${formatInteger(number)} ${number === 1 ? singular : plural}`];
  });
  return `Checks: ${counted.join(', ')}`;
}

/**
 * The checks of a change as a table of those that people have to look at, or one line where all is
 * as the last review said; empty for none.
 */
export function formatChecks(
  rows: readonly CheckRow[],
  {
    isNew,
    clean,
    offersCommands = false,
  }: {
    readonly isNew: boolean;
    clean(markdown: string): string;
    readonly offersCommands?: boolean;
  },
): string {
  if (rows.length === 0) return '';
  if (!isNew) return `${countStates(rows)}, as before.`;
  const shown = SHOWN.flatMap((state) => rows.filter((row) => stateOf(row) === state));
  const counts = `**${countStates(rows)}.**`;
  if (shown.length === 0) return counts;
  const lines = shown.map((row) => {
    const cells = [WORDS[stateOf(row)][2], titleLine(row.check.name, clean), formatWhy(row, clean)];
    return `| ${cells.map(tableCell).join(' | ')} |`;
  });
  const table = ['| | Check | |', '| --- | --- | --- |', ...lines].join('\n');
  const wrong = shown.find((row) => stateOf(row) !== 'overruled');
  const hint =
    offersCommands && wrong !== undefined
      ? `\n\n<sub>Wrong? ${clean(codeSpan(`/axe dismiss "${withoutQuotes(wrong.check.name)}" why`))}</sub>`
      : '';
  return `${counts}\n\n${table}${hint}`;
}

/** A name as a command can have it in quotes; a comparison of two names leaves them out. */
function withoutQuotes(name: string): string {
  return name.replace(/["“”„‟]/g, '');
}

const MAX_PATH = 200;
const MAX_WHY = 400;

function formatWhy(
  { answer, why: reason, place, overruledBy }: CheckRow,
  clean: (markdown: string) => string,
): string {
  const words = reason === '' && answer === 'unsure' ? 'No valid answer.' : reason;
  const parts = [
    place === undefined ? '' : clean(codeSpan(cleanLine(`${place.path}:${place.line}`, MAX_PATH))),
    words === '' ? '' : titleLine(words, clean, MAX_WHY),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  if (overruledBy === undefined) return text;
  const person = `by ${clean(codeSpan(overruledBy))}`;
  return text === '' ? person : `${person}: ${text}`;
}

/** The answer to a word on a check that no review has named. */
export function formatUnknownCheck(name: string, known: readonly string[]): string {
  const unknown = `no check here is called "${cleanLine(name, CHECK_LIMITS.nameCharacters)}"`;
  if (known.length === 0) return `${unknown}; no review has named one`;
  return `${unknown}; the checks here are ${known.map((check) => `"${check}"`).join(', ')}`;
}

export function formatOverruled(name: string, isBack: boolean): string {
  return isBack
    ? `"${name}" counts again; the next review checks it.`
    : `"${name}" is overruled on this pull request until the check changes.`;
}

/** The beginning of the message that asks checks: their texts, and the names of all changed files. */
export function describeRules(
  checks: readonly Check[],
  changed: readonly string[],
): readonly string[] {
  const rules = checks.map(({ name, text }) => `## ${name}\n${text}`).join('\n\n');
  const paths = changed.slice(0, MAX_CHANGED).map((path) => showName(path, MAX_PATH));
  const rest = changed.length - paths.length;
  const more = rest === 0 ? [] : [`... and ${rest} more`];
  return [
    `Answer these ${checks.length} rules about the pull request.`,
    `<rules>\n${rules}\n</rules>`,
    FENCE_NOTICE,
    fence([...paths, ...more].join('\n'), { source: 'changed files' }),
  ];
}

const MAX_CHANGED = 500;
