import { encodeBytes } from '../../lib/text/bytes.js';
import { count } from '../../lib/text/format.js';
import type { MemoryTree, NoteChange } from '../../memory/change.js';
import { apartPath, backupPath, isNotesPath } from '../../memory/paths.js';
import {
  entryProvenance,
  type Provenance,
  stripProvenance,
  TASK_LABEL,
} from '../../memory/run-log.js';
import { isStatePath } from '../../memory/state.js';
import { parseLog, type TimestampedEntry } from '../../memory/units.js';

export interface MemoryEntry {
  readonly id: string;
  /** It was kept apart, where no run loads it. */
  readonly isApart: boolean;
  /** Line of its heading in the log, from 1; undefined if only the end of the log was read. */
  readonly line: number | undefined;
  readonly heading: string;
  readonly timeMs: number;
  /** Undefined for an entry without a task line. */
  readonly task: string | undefined;
  /** The text besides the task, without provenance; undefined for an entry with neither label. */
  readonly result: string | undefined;
  /** The text under the heading, without provenance. */
  readonly body: string;
  /** The last valid provenance line. */
  readonly provenance: Provenance | undefined;
}

const RESULT = '**Result:**';

/** Path of an agent's log, or of what is kept apart from it. */
export function logPath(path: string, isApart: boolean): string {
  return isApart ? apartPath(path) : path;
}

export function readEntries(text: string, isApart: boolean): readonly MemoryEntry[] {
  const { preamble, units } = parseLog(text);
  let line = preamble.split('\n').length;
  return units.map((unit) => {
    const entry = readEntry(unit, line, isApart);
    line += unit.text.split('\n').length - 1;
    return entry;
  });
}

function readEntry(
  { id, timeMs, text }: TimestampedEntry,
  line: number,
  isApart: boolean,
): MemoryEntry {
  const [heading = '', ...below] = text.replaceAll('\r\n', '\n').split('\n');
  const body = stripProvenance(below.join('\n')).trimEnd();
  const lines = body.split('\n');

  const resultIndex = lines.findIndex((bodyLine) => bodyLine.startsWith(RESULT));
  const hasResult = resultIndex >= 0;
  const linesAbove = hasResult ? lines.slice(0, resultIndex) : lines;
  const taskIndex = linesAbove.findIndex((bodyLine) => bodyLine.startsWith(TASK_LABEL));
  // People write text between the labels, and remove labels.
  const textBesidesTask = lines.filter((_, index) => index !== taskIndex).join('\n');
  const result = textBesidesTask.replace(/^\*\*Result:\*\* ?/m, '').trim();

  return {
    id,
    isApart,
    line,
    heading: heading.slice('## '.length),
    timeMs,
    task: lines[taskIndex]?.slice(TASK_LABEL.length).trim(),
    result: hasResult || taskIndex >= 0 ? result : undefined,
    body,
    provenance: entryProvenance(text),
  };
}

/** Matches entries that contain all words in task or result, in any case. */
export function matcherOf(words: readonly string[]): (entry: MemoryEntry) => boolean {
  const folded = words.map(fold);
  return ({ task = '', result = '', body }) => {
    const text = fold(task === '' && result === '' ? body : `${task}\n${result}`);
    return folded.every((word) => text.includes(word));
  };
}

/** Normalizes a text for searches. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

const MAX_LINES = 3;
const MAX_CHARACTERS = 240;
const MAX_TASK_CHARACTERS = 200;

/** Entries as a markdown list: id, time, task and the first lines of the result. */
export function formatEntries(entries: readonly MemoryEntry[]): string {
  return entries.map(formatListed).join('\n');
}

export function formatWhole(entry: MemoryEntry): string {
  const { task, result, body } = entry;
  const text =
    task === undefined && result === undefined
      ? body
      : `Task: ${task ?? ''}\nResult: ${result ?? ''}`;
  return [formatHead(entry), ...originOf(entry), ...text.split('\n')]
    .join('\n  ')
    .replace(/ +$/gm, '');
}

export function formatBrief(entry: MemoryEntry): string {
  return `${formatHead(entry)}: ${shorten(entry.task ?? entry.body, MAX_TASK_CHARACTERS)}`;
}

function formatListed(entry: MemoryEntry): string {
  const { task, result, body } = entry;
  const lines =
    task === undefined && result === undefined
      ? firstLines(body)
      : [
          `Task: ${shorten(task ?? '', MAX_TASK_CHARACTERS)}`,
          ...firstLines(`Result: ${result ?? ''}`),
        ];
  return [formatHead(entry), ...lines].join('\n  ');
}

function formatHead({ id, heading, isApart, provenance, line }: MemoryEntry): string {
  const by = provenance?.actor === undefined ? '' : ` by ${provenance.actor}`;
  const apart = isApart ? ', kept apart' : '';
  const computed = provenance?.isComputed === true ? ', computed' : '';
  const inLine = line === undefined ? '' : `, line ${line}`;
  return `- \`${id}\` ${heading}${by}${apart}${computed}${inLine}`;
}

function originOf({ provenance }: MemoryEntry): readonly string[] {
  if (provenance === undefined) return [];
  const { on, run, sha, model } = provenance;
  const known = Object.entries({ on, run, sha, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return known.length === 0 ? [] : [known.join(', ')];
}

function firstLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = shorten(lines.slice(0, MAX_LINES).join('\n'), MAX_CHARACTERS).split('\n');
  const moreLines = lines.length - shown.length;
  return moreLines > 0 ? [...shown, `… ${count(moreLines, 'more line')}`] : shown;
}

/** Cuts between code points, so that none is split. */
function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

export interface MemoryNote {
  /** Path in the memory tree. */
  readonly path: string;
  readonly text: string;
}

/** The notes of a tree in the order of their paths, without the agent's run logs. */
export function readNotes(tree: MemoryTree, logs: readonly string[]): readonly MemoryNote[] {
  const notes = [...tree].filter(
    ([path, text]) =>
      text !== '' && isNotesPath(path) && !isStatePath(path) && !logs.includes(path),
  );
  return notes.map(([path, text]) => ({ path, text })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function formatNoteList(notes: readonly MemoryNote[]): string {
  return notes
    .map(({ path, text }) => `- \`${path}\`, ${count(encodeBytes(text).length, 'byte')}`)
    .join('\n');
}

/** Lines that contain all words, in any case, as a markdown list with their places. */
export function searchNoteLines(
  notes: readonly MemoryNote[],
  words: readonly string[],
): readonly string[] {
  const terms = words.map(fold);
  return notes.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const folded = fold(line);
      return terms.every((word) => folded.includes(word))
        ? [`- \`${path}\`:${index + 1} ${line.trim()}`]
        : [];
    }),
  );
}

/** Deletes a note and its backup. */
export function deleteNote(notePath: string, tree: MemoryTree, id: string): readonly NoteChange[] {
  return [notePath, backupPath(notePath)]
    .filter((path) => tree.has(path))
    .map((path) => ({
      kind: 'note',
      path,
      edit: { kind: 'delete' },
      backup: false,
      id: `${id} ${path}`,
    }));
}
