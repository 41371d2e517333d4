import { count } from '../../lib/text/number.js';
import type { MemoryEntry } from './entry.js';

const MAX_LINES = 3;
const MAX_CHARACTERS = 240;
const MAX_TASK_CHARACTERS = 200;

/** Entries as a markdown list: id, time, trust, task and the first lines of the result. */
export function formatEntries(entries: readonly MemoryEntry[]): string {
  return entries.map(formatListed).join('\n');
}

export function formatWhole(entry: MemoryEntry): string {
  const { task, result, body } = entry;
  const text =
    task === undefined && result === undefined ? body : `Task: ${task ?? ''}\nResult: ${result ?? ''}`;
  return [formatHead(entry), ...originOf(entry), ...text.split('\n')].join('\n  ').replace(/ +$/gm, '');
}

export function formatBrief(entry: MemoryEntry): string {
  return `${formatHead(entry)}: ${shorten(entry.task ?? entry.body, MAX_TASK_CHARACTERS)}`;
}

function formatListed(entry: MemoryEntry): string {
  const { task, result, body } = entry;
  if (task === undefined && result === undefined) return joinIndented(formatHead(entry), firstLines(body));
  return joinIndented(formatHead(entry), [
    `Task: ${shorten(task ?? '', MAX_TASK_CHARACTERS)}`,
    ...firstLines(`Result: ${result ?? ''}`),
  ]);
}

function joinIndented(head: string, lines: readonly string[]): string {
  return [head, ...lines].join('\n  ');
}

function formatHead({ id, heading, lane, provenance, line }: MemoryEntry): string {
  const by = provenance?.actor === undefined ? '' : ` by ${provenance.actor}`;
  return `- \`${id}\` ${heading} ${lane}${by}, line ${line}`;
}

function originOf({ provenance }: MemoryEntry): readonly string[] {
  if (provenance === undefined) return [];
  const { event, run, job, sha, model } = provenance;
  const known = Object.entries({ event, run, job, sha, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return known.length === 0 ? [] : [known.join(', ')];
}

function firstLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = shorten(lines.slice(0, MAX_LINES).join('\n'), MAX_CHARACTERS).split('\n');
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `… ${count(left, 'more line')}`] : shown;
}

/** Cut between characters, so that none is split. */
function shorten(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}
