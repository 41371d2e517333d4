import { count } from '../lib/text/number.js';
import type { MemoryEntry } from '../memory/commands/entry.js';

interface EntryView {
  readonly nowMs: number;
  /** Columns of the terminal. */
  readonly width: number;
}

/** Lines of a result that are shown; `memory show <agent> <id>` shows all. */
const MAX_LINES = 6;
const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

/** Entries for reading in a terminal: how long ago, by whom, and the text in lines that fit. */
export function renderEntries(entries: readonly MemoryEntry[], view: EntryView): string {
  return entries.map((entry) => renderEntry(entry, view)).join('\n\n');
}

function renderEntry(entry: MemoryEntry, { nowMs, width }: EntryView): string {
  const { id, heading, lane, timeMs, provenance, task, result, body } = entry;
  const from = [provenance?.event, provenance?.actor === undefined ? undefined : `by ${provenance.actor}`];
  const facts = [heading, ...from, lane === 'trusted' ? undefined : lane].filter((one) => one !== undefined);
  const room = Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH) - LABEL_WIDTH;
  const fields: readonly (readonly [string, string])[] =
    task === undefined && result === undefined
      ? [['', body]]
      : [
          ['Task', task ?? ''],
          ['Result', result ?? ''],
        ];
  return [
    `${formatAge(nowMs - timeMs)} · ${id}`,
    `${' '.repeat(LABEL_WIDTH)}${facts.join(' ')}`,
    ...fields.flatMap(([label, text]) => renderField(label, text, room)),
  ].join('\n');
}

const LABEL_WIDTH = 10;

function renderField(label: string, text: string, room: number): readonly string[] {
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => wrap(line.trimEnd(), room));
  const left = lines.length - MAX_LINES;
  const shown = left > 0 ? [...lines.slice(0, MAX_LINES), `… ${count(left, 'more line')}`] : lines;
  return shown.map((line, index) => `${`  ${index === 0 ? label : ''}`.padEnd(LABEL_WIDTH)}${line}`);
}

const AGES: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['week', 7 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `2 hours ago`; clocks of machines differ, so that what is a little ahead is now. */
function formatAge(ageMs: number): string {
  const found = AGES.find(([, ms]) => ageMs >= ms);
  if (found === undefined) return 'just now';
  const [unit, ms] = found;
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(-Math.floor(ageMs / ms), unit);
}

/** At spaces where there are some; a longer word is cut. Wide characters take two columns. */
function wrap(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, room))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (columns(longer) <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, room: number): readonly string[] {
  const found: string[] = [''];
  for (const character of word) {
    const last = found.at(-1) ?? '';
    if (columns(last + character) <= room) found[found.length - 1] = last + character;
    else found.push(character);
  }
  return found;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

function columns(text: string): number {
  let all = 0;
  for (const character of text) all += WIDE.test(character) ? 2 : 1;
  return all;
}
