import { subjectNumber, type Trigger } from '../event/trigger.js';
import { MAX_RESULT_CODE_POINTS, MAX_TASK_CODE_POINTS } from '../lib/defaults.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count, formatInteger } from '../lib/text/format.js';

/**
 * Encodes a value for a line with fields between spaces. `[A-Za-z0-9._:/@+-]` stay, everything else
 * is percent-encoded, and there are never two hyphens in a row: so no value ends a field or an HTML
 * comment.
 */
export function encodeField(value: string): string {
  return value
    .toWellFormed()
    .replace(/[^A-Za-z0-9._:/@+-]/gu, percentEncode)
    .replace(/(?<=-)-/g, '%2D');
}

/**
 * Returns a field unchanged if it is not valid percent-encoding, since we did not write it then.
 */
export function decodeField(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
}

/** Also encodes `!'()*~`, which `encodeURIComponent` does not change. */
function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  if (encoded !== character) return encoded;
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The origin of an entry. The action takes it from the event, never from the model. */
export interface Provenance {
  /** Unique id of the entry: letters, digits and single hyphens, which need no encoding. */
  readonly id: string;
  /** `<run id>/<attempt>`. */
  readonly run?: string;
  /** Commit that the run was about; the line has its first seven characters. */
  readonly sha?: string;
  readonly actor?: string;
  /** `provider/model`. */
  readonly model?: string;
  /** The pull request or issue: `#42`. */
  readonly on?: string;
  /** Paths of the change, the most changed first; the line has as many as fit. */
  readonly files?: readonly string[];
  /** We computed the entry from closed sets of values: no model and no stranger wrote a word of it. */
  readonly isComputed?: boolean;
}

const SHA_CHARACTERS = 7;
export const PROVENANCE_START = '<!-- axe-action v=1 ';
const MISSING = '-';
const FIELDS = ['id', 'run', 'sha', 'actor', 'model', 'on', 'files'] as const;
/** Only a computed entry has this field. */
const COMPUTED = ' computed=yes';
const LINE = new RegExp(
  `^${PROVENANCE_START}${FIELDS.map((field) => `${field}=([A-Za-z0-9._:/@+%,-]+)`).join(' ')}(${COMPUTED})? -->\\r?$`,
);

/** Limits of the list of files in one line. */
const MAX_FILES = 20;
const MAX_FILES_CHARACTERS = 1000;

/**
 * The provenance line of an entry, without its line break: an HTML comment, which axe and markdown
 * viewers ignore. See {@link encodeField} for why no value ends the comment.
 */
export function formatProvenance(provenance: Provenance): string {
  const { sha, files = [], isComputed = false } = provenance;
  const texts = { ...provenance, sha: sha?.slice(0, SHA_CHARACTERS) };
  // A stranger chooses the paths of a change, so the entry that it gets in a run log has none.
  const listed = isComputed ? MISSING : encodeFiles(files);
  const fields = FIELDS.map(
    (field) => `${field}=${field === 'files' ? listed : encode(texts[field])}`,
  );
  return `${PROVENANCE_START}${fields.join(' ')}${isComputed ? COMPUTED : ''} -->`;
}

/** Undefined unless the line is exactly one that {@link formatProvenance} writes. */
export function parseProvenance(line: string): Provenance | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [listed = MISSING] = match.slice(FIELDS.length);
  const [id, run, sha, actor, model, on] = match
    .slice(1, FIELDS.length)
    .map((value) => (value === MISSING ? undefined : decodeField(value)));
  if (id === undefined) return undefined;
  const files = listed === MISSING ? undefined : listed.split(',').map(decodeField);
  const isComputed = match.at(-1) === COMPUTED;
  return { id, run, sha, actor, model, on, files, ...(isComputed && { isComputed }) };
}

function encode(value: string | undefined): string {
  if (value === undefined || value === '') return MISSING;
  return value === MISSING ? '%2D' : encodeField(value);
}

/** The paths that fit, each whole, with commas between them. */
function encodeFiles(files: readonly string[]): string {
  let list = '';
  for (const path of files.slice(0, MAX_FILES)) {
    const longer = list === '' ? encode(path) : `${list},${encode(path)}`;
    if (longer.length <= MAX_FILES_CHARACTERS) list = longer;
  }
  return list === '' ? MISSING : list;
}

/**
 * Text to put before an entry, so that it begins a new line even after a write that was cut off.
 */
export function separatorAfter(text: string): string {
  // A byte order mark alone is not a line.
  return ['', '\uFEFF'].includes(text) || text.endsWith('\n') ? '' : '\n';
}

/** Joins parts so that each begins a new line, in linear time. */
export function joinOnLines(parts: readonly string[]): string {
  const filledParts = parts.filter((part) => part !== '');
  return filledParts
    .map((part, index) => separatorAfter(filledParts[index - 1] ?? '') + part)
    .join('');
}

export interface NewEntry {
  readonly timestamp: Date;
  readonly task: string;
  readonly result: string;
  /** Line from `formatProvenance`; without it the entry has axe's exact bytes. */
  readonly provenance?: string;
}

/** An entry of a run log: from a line that starts with `## ` up to the next such line. */
export interface Entry {
  /** Index of the heading in the text. */
  readonly start: number;
  /** The heading line without `## `; axe writes a timestamp, people can write anything. */
  readonly heading: string;
  /** The entry's bytes, heading and trailing blank lines included. */
  readonly text: string;
  /** Id of its last provenance line, if it has one. */
  readonly id?: string;
}

const HEADING = '## ';
export const TASK_LABEL = '**Task:**';
const BOUNDARY = `\n${HEADING}`;
const LINE_BREAKS = /\r\n|[\n\r\u2028\u2029\u0085]/g;
const FORGED_LINE = /(?<=[\n\r\u2028\u2029\u0085])(?=## |<!-- axe-action v=|(?:<{7}|>{7}) )/g;
const PROVENANCE_LINE = new RegExp(`(?<![^\\n])${PROVENANCE_START}[^\\n]*(?:\\n|$)`, 'g');

/**
 * Formats an entry as axe does, but cuts the result by code points and keeps the task on one line.
 * An entry with provenance has no other comment marks. A line of a result that looks like a
 * heading, a provenance line or a git conflict marker gets a leading space, so that no text of a
 * model is mistaken for one. Unpaired surrogates become U+FFFD, as they would in the file.
 */
export function formatEntry({ timestamp, task, result, provenance }: NewEntry): string {
  const clean = (text: string) =>
    provenance === undefined ? text.toWellFormed() : withoutComments(text);
  const heading = timestamp.toISOString().replace(/\.\d+Z$/, 'Z');
  const taskLine = clean(task).replace(LINE_BREAKS, ' ');
  const resultLines = cut(clean(result)).replace(FORGED_LINE, ' ');

  const lines = [
    `${HEADING}${heading}`,
    `${TASK_LABEL} ${taskLine === '' ? '(none)' : taskLine}`,
    // A comment ends a paragraph, so GitHub shows task and result as two.
    ...(provenance === undefined ? [] : [provenance]),
    `**Result:** ${resultLines === '' ? '(none)' : resultLines}`,
  ];
  return `${lines.join('\n')}\n\n`;
}

/** The entries of a run log in the order of the file, without the text before the first heading. */
export function parseEntries(text: string): readonly Entry[] {
  const starts = entryStarts(text);
  return starts.map((start, index) =>
    readEntry(start, text.slice(start, starts[index + 1] ?? text.length)),
  );
}

function readEntry(start: number, text: string): Entry {
  const lineEnd = text.indexOf('\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const heading = line.slice(HEADING.length).replace(/\r$/, '');
  return { start, heading, text, id: entryProvenance(text)?.id };
}

/**
 * The newest `n` entries as they are in the text. As in axe, 0 means the whole text with the part
 * before the first entry; any other number leaves that part out.
 */
export function lastEntries(text: string, n: number): string {
  if (n === 0) return text;
  const starts = entryStarts(text);
  const start = starts[Math.max(0, starts.length - n)];
  return start === undefined ? '' : text.slice(start);
}

/** Counts lines that start with `## `, as axe does. */
export function countEntries(text: string): number {
  return entryStarts(text).length;
}

/** Removes provenance lines, which prompts leave out; nothing else changes. */
export function stripProvenance(text: string): string {
  return text.replace(PROVENANCE_LINE, (line) =>
    parseProvenance(line.replace(/\n$/, '')) === undefined ? line : '',
  );
}

/**
 * A run log for a prompt: readable, without the lines that say which run wrote an entry, and without
 * a byte order mark.
 */
export function promptText(runLog: string): string {
  return readableText(stripProvenance(runLog)).replace(/^\uFEFF/, '');
}

/** Makes any file's text acceptable to every provider: well-formed, and without NUL. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function entryStarts(text: string): readonly number[] {
  // An editor can have put a byte order mark before the first entry.
  const first = text.startsWith('\uFEFF') ? 1 : 0;
  const starts = text.startsWith(HEADING, first) ? [first] : [];
  for (let end = text.indexOf(BOUNDARY); end >= 0; end = text.indexOf(BOUNDARY, end + 1)) {
    starts.push(end + 1);
  }
  return starts;
}

/** The origin that an entry names; undefined for one by axe or by hand. */
export function entryProvenance(entry: string): Provenance | undefined {
  if (!entry.includes(PROVENANCE_START)) return undefined;
  const lines = (entry.match(PROVENANCE_LINE) ?? []).map((line) =>
    parseProvenance(line.replace(/\n$/, '')),
  );
  return lines.findLast((line) => line !== undefined);
}

/**
 * Removes `<!--` and `-->`, also those that form when others are removed. Each is dropped as soon
 * as it is complete, so one pass is enough however deep they are nested.
 */
function withoutComments(text: string): string {
  if (!/<!--|-->/.test(text)) return text.toWellFormed();

  const characters: string[] = [];
  for (const character of text.toWellFormed()) {
    characters.push(character);
    if (endsWith(characters, '-->')) characters.length -= 3;
    else if (endsWith(characters, '<!--')) characters.length -= 4;
  }
  return characters.join('');
}

function endsWith(characters: readonly string[], mark: string): boolean {
  const from = characters.length - mark.length;
  return from >= 0 && [...mark].every((character, index) => characters[from + index] === character);
}

/** At most 1000 code points, then `...`; axe cuts by bytes, which can split a code point. */
function cut(text: string): string {
  if (text.length <= MAX_RESULT_CODE_POINTS) return text;
  const points = Array.from(text);
  if (points.length <= MAX_RESULT_CODE_POINTS) return text;
  return `${points.slice(0, MAX_RESULT_CODE_POINTS).join('')}...`;
}

/**
 * Task and result of a run that has read text of people without write access. They contain only
 * values from closed sets: numbers, kinds of events, counts. So no stranger's text reaches a
 * run of our own through memory.
 */
export function computedEntry({
  trigger,
  outcome,
  published,
  apart,
}: {
  readonly trigger: Trigger;
  /** Only completed runs are remembered. */
  readonly outcome: Extract<RunOutcome, { readonly kind: 'completed' }>;
  readonly published: { readonly url?: string };
  /**
   * Path of the complete entry. It contains only the agent's file name, which no stranger chooses.
   */
  readonly apart: string;
}): { readonly task: string; readonly result: string } {
  const { turns, toolCalls } = outcome.stats;
  const work = `completed after ${count(turns, 'turn')} and ${count(toolCalls, 'tool call')}`;
  const posted = published.url === undefined ? '' : ', and posted a comment';
  return { task: subjectOf(trigger), result: `The run ${work}${posted}. ${WHY}, in ${apart}.` };
}

const WHY =
  'It read text that people without write access or the open network may have written, so its own words are kept apart';

/** Names the subject by its number, since anybody can choose titles, branches and logins. */
function subjectOf(trigger: Trigger): string {
  const isUnknown = trigger.kind === 'unknown' || trigger.kind === 'local';
  const kind = isUnknown ? 'run' : trigger.kind.replace('_', ' ');
  const number = subjectNumber(trigger);
  const preposition = trigger.kind === 'comment' ? ' on' : '';
  const subject = number === undefined ? '' : `${preposition} #${number}`;

  // The event is a stranger's data, so only a valid sha is used.
  const sha = headShaOf(trigger);
  const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)
    ? ` at ${sha.slice(0, SHA_CHARACTERS)}`
    : '';
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${subject}${commit}`;
}

function headShaOf(trigger: Trigger): string {
  if (trigger.kind === 'workflow_run') return trigger.headSha;
  return 'head' in trigger ? trigger.head.sha : '';
}

/**
 * Cuts a task for an entry to its beginning and the number of characters left out, together within
 * the limit, so that a long prompt is not sent again with every entry. Redact the task first.
 */
export function storedTask(task: string): string {
  const points = Array.from(task);
  if (points.length <= MAX_TASK_CODE_POINTS) return task;

  // Reserves room for the largest number, that of a task of which nothing is kept.
  const keptLength = MAX_TASK_CODE_POINTS - formatLeftOut(points.length).length;
  const beginning = points.slice(0, keptLength).join('').trimEnd();
  return beginning + formatLeftOut(points.length - keptLength);
}

function formatLeftOut(characters: number): string {
  return ` [... ${formatInteger(characters)} characters left out]`;
}

/** Describes damage in a text from `decodeBytes`; undefined if there is none. */
export function damageOf(text: string): string | undefined {
  if (/^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i.test(text)) return 'is an HTML page';
  if (/\0|\p{Surrogate}/u.test(text)) return 'holds bytes that are not text';
  return markersIn(text);
}

/** Finds the conflict markers of a git merge that was never finished. */
export function markersIn(text: string): string | undefined {
  return /^(?:<{7}|>{7}) /m.test(text) ? 'holds git conflict markers' : undefined;
}
