import { subjectNumber, type Trigger } from '../event/trigger.js';
import { MAX_RESULT_CODE_POINTS, MAX_TASK_CODE_POINTS } from '../lib/defaults.js';
import type { RunOutcome } from '../lib/outcome.js';
import { count, formatInteger } from '../lib/text/format.js';

/**
 * A value as it is between spaces in a line of ours: `[A-Za-z0-9._:/@+-]` as they are, everything
 * else percent-encoded, and never two hyphens in a row, so that it can neither end a field nor an
 * HTML comment.
 */
export function encodeField(value: string): string {
  return value
    .toWellFormed()
    .replace(/[^A-Za-z0-9._:/@+-]/gu, percentEncode)
    .replace(/(?<=-)-/g, '%2D');
}

/** The value of a field; one that was not encoded by us is given unchanged. */
export function decodeField(field: string): string {
  try {
    return decodeURIComponent(field);
  } catch {
    return field;
  }
}

/** `encodeURIComponent` leaves `!'()*~` as they are; here they are encoded too. */
function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  if (encoded !== character) return encoded;
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Where an entry comes from, as the action knows it from the event; never from the model (D8). */
export interface Provenance {
  /**
   * Unique id of the entry: letters, digits and single hyphens, so that it is in the line as it is.
   */
  readonly id: string;
  /** `<run id>/<attempt>`. */
  readonly run?: string;
  readonly job?: string;
  readonly event?: string;
  /** Commit the run was about; its first seven characters are kept. */
  readonly sha?: string;
  readonly actor?: string;
  readonly trust?: string;
  /** `provider/model`. */
  readonly model?: string;
}

const SHA_CHARACTERS = 7;
export const PROVENANCE_START = '<!-- axe-action v=1 ';
const MISSING = '-';
const FIELDS = ['id', 'run', 'job', 'event', 'sha', 'actor', 'trust', 'model'] as const;
const LINE = new RegExp(
  `^${PROVENANCE_START}${FIELDS.map((field) => `${field}=([A-Za-z0-9._:/@+%-]+)`).join(' ')} -->\\r?$`,
);

/**
 * The provenance line of an entry, without its line break: an HTML comment that axe and markdown
 * viewers ignore (D8). Values hold `[A-Za-z0-9._:/@+-]`, everything else is percent-encoded, and
 * neither `--` nor `>` can appear in one, so no value ends the comment.
 */
export function formatProvenance(provenance: Provenance): string {
  const sha = provenance.sha?.slice(0, SHA_CHARACTERS);
  const values = FIELDS.map(
    (field) => `${field}=${encode(field === 'sha' ? sha : provenance[field])}`,
  );
  return `${PROVENANCE_START}${values.join(' ')} -->`;
}

/**
 * What a line says if it is exactly one that {@link formatProvenance} writes, or else undefined.
 */
export function parseProvenance(line: string): Provenance | undefined {
  const match = LINE.exec(line);
  if (match === null) return undefined;
  const [id, run, job, event, sha, actor, trust, model] = match
    .slice(1)
    .map((value) => (value === MISSING ? undefined : decodeField(value)));
  return id === undefined ? undefined : { id, run, job, event, sha, actor, trust, model };
}

function encode(value: string | undefined): string {
  if (value === undefined || value === '') return MISSING;
  return value === MISSING ? '%2D' : encodeField(value);
}

/**
 * What has to be between a text and an entry, so that the entry begins a line of its own even after
 * a write that was cut off.
 */
export function separatorAfter(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

/**
 * Parts one after the other, each beginning a line of its own; the time grows with their length
 * alone.
 */
export function joinOnLines(parts: readonly string[]): string {
  const full = parts.filter((part) => part !== '');
  return full.map((part, index) => separatorAfter(full[index - 1] ?? '') + part).join('');
}

export interface NewEntry {
  readonly timestamp: Date;
  readonly task: string;
  readonly result: string;
  /** Line made by `formatProvenance`; left out, the entry is axe's (D8). */
  readonly provenance?: string;
}

/** An entry as it is in a run log: from a line that starts with `## ` up to the next such line. */
export interface Entry {
  /** Index of the heading in the text. */
  readonly start: number;
  /** The heading line without `## `; axe writes a timestamp, people may write anything. */
  readonly heading: string;
  /** The entry's bytes, heading and trailing blank lines included. */
  readonly text: string;
  /** Id of the last provenance line in it, if it has one (D8). */
  readonly id?: string;
}

const HEADING = '## ';
/** What stands before an entry, with the beginning of its heading. */
const BOUNDARY = `\n${HEADING}`;
const LINE_BREAKS = /\r\n|[\n\r\u2028\u2029\u0085]/g;
const FORGED_LINE = /(?<=[\n\r\u2028\u2029\u0085])(?=## |<!-- axe-action v=|(?:<{7}|>{7}) )/g;
const PROVENANCE_LINE = new RegExp(`(?<![^\\n])${PROVENANCE_START}[^\\n]*(?:\\n|$)`, 'g');

/**
 * An entry as axe writes it (axe-behaviour §10) with the deviations of D7. Beyond D7, a line of a
 * result that looks like a provenance line or one of git's conflict markers gets a leading space,
 * so that nothing a model says is ever taken for one. Unpaired surrogates become U+FFFD, as they
 * would in the file.
 */
export function formatEntry({ timestamp, task, result, provenance }: NewEntry): string {
  const clean = (text: string) =>
    provenance === undefined ? text.toWellFormed() : withoutComments(text);
  const heading = timestamp.toISOString().replace(/\.\d+Z$/, 'Z');
  const taskLine = clean(task).replace(LINE_BREAKS, ' ');
  const resultLines = cut(clean(result)).replace(FORGED_LINE, ' ');
  const lines = [
    `${HEADING}${heading}`,
    `**Task:** ${taskLine === '' ? '(none)' : taskLine}`,
    `**Result:** ${resultLines === '' ? '(none)' : resultLines}`,
  ];
  if (provenance !== undefined) lines.push(provenance);
  return `${lines.join('\n')}\n\n`;
}

/**
 * The entries of a run log in the order of the file; text before the first heading belongs to none.
 */
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
  const id = entryId(text);
  return { start, heading, text, id };
}

/**
 * The newest `n` entries as they are in the text; 0 means the whole text, what is before the first
 * entry included, and that part is left out otherwise (axe-behaviour §10).
 */
export function lastEntries(text: string, n: number): string {
  if (n === 0) return text;
  const starts = entryStarts(text);
  const start = starts[Math.max(0, starts.length - n)];
  return start === undefined ? '' : text.slice(start);
}

/** Lines that start with `## ` (axe-behaviour §10). */
export function countEntries(text: string): number {
  return entryStarts(text).length;
}

/** The text without provenance lines, for prompts; nothing else changes (D8). */
export function stripProvenance(text: string): string {
  return text.replace(PROVENANCE_LINE, (line) =>
    parseProvenance(line.replace(/\n$/, '')) === undefined ? line : '',
  );
}

/**
 * What a model is given of a run log: readable, and without the lines that say which run wrote an
 * entry (D8).
 */
export function promptText(runLog: string): string {
  return readableText(stripProvenance(runLog));
}

/** Text that every provider takes, whatever bytes its file holds: well-formed, and without NUL. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function entryStarts(text: string): readonly number[] {
  const starts = text.startsWith(HEADING) ? [0] : [];
  for (let at = text.indexOf(BOUNDARY); at >= 0; at = text.indexOf(BOUNDARY, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

function entryId(entry: string): string | undefined {
  if (!entry.includes(PROVENANCE_START)) return undefined;
  const lines = (entry.match(PROVENANCE_LINE) ?? []).map((line) =>
    parseProvenance(line.replace(/\n$/, '')),
  );
  return lines.findLast((line) => line !== undefined)?.id;
}

/**
 * The text without `<!--` and `-->`, nor any that come together once others are taken out (D7d):
 * each is dropped the moment it is complete, so one pass reaches the fixpoint however deep they are
 * nested.
 */
function withoutComments(text: string): string {
  if (!/<!--|-->/.test(text)) return text.toWellFormed();
  const kept: string[] = [];
  for (const character of text.toWellFormed()) {
    kept.push(character);
    if (endsWith(kept, '-->')) kept.length -= 3;
    else if (endsWith(kept, '<!--')) kept.length -= 4;
  }
  return kept.join('');
}

function endsWith(characters: readonly string[], mark: string): boolean {
  const from = characters.length - mark.length;
  return from >= 0 && [...mark].every((character, index) => characters[from + index] === character);
}

/** At most 1000 code points, then `...`; a code point is never split (D7b). */
function cut(text: string): string {
  if (text.length <= MAX_RESULT_CODE_POINTS) return text;
  const points = Array.from(text);
  if (points.length <= MAX_RESULT_CODE_POINTS) return text;
  return `${points.slice(0, MAX_RESULT_CODE_POINTS).join('')}...`;
}

/**
 * Task and result of a run that has read what people without write access wrote: only what we
 * compute from closed sets, numbers, kinds of events, counts, so that nothing a stranger wrote
 * reaches a trusted run by way of memory (D19).
 */
export function computedEntry({
  trigger,
  outcome,
  published,
  apart,
}: {
  readonly trigger: Trigger;
  /** Other runs are not remembered. */
  readonly outcome: Extract<RunOutcome, { readonly kind: 'completed' }>;
  readonly published: { readonly url: string | undefined };
  /** Where the whole entry is; of the agent's file name, which is nobody's but the repository's. */
  readonly apart: string;
}): { readonly task: string; readonly result: string } {
  const { turns, toolCalls } = outcome.stats;
  const work = `completed after ${count(turns, 'turn')} and ${count(toolCalls, 'tool call')}`;
  const posted = published.url === undefined ? '' : ', and posted a comment';
  return { task: subjectOf(trigger), result: `The run ${work}${posted}. ${WHY}, in ${apart}.` };
}

const WHY =
  'It read what people without write access or the open network may have written, so its own words are kept apart';

/** What the run was about, by number: titles, branches and logins are anybody's. */
function subjectOf(trigger: Trigger): string {
  const isUnknown = trigger.kind === 'unknown' || trigger.kind === 'local';
  const kind = isUnknown ? 'run' : trigger.kind.replace('_', ' ');
  const number = subjectNumber(trigger);
  const subject =
    number === undefined ? '' : `${trigger.kind === 'comment' ? ' on' : ''} #${number}`;
  const sha =
    trigger.kind === 'workflow_run' ? trigger.headSha : 'head' in trigger ? trigger.head.sha : '';
  // The seven digits people know a commit by; of anything that is not a sha, nothing.
  const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(sha)
    ? ` at ${sha.slice(0, SHA_CHARACTERS)}`
    : '';
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${subject}${commit}`;
}

/**
 * The task as an entry keeps it (D52): its beginning with the number of characters that are left
 * out, together no longer than the limit, so that a long prompt is not sent again with every entry.
 * Cut it after redaction only.
 */
export function storedTask(task: string): string {
  const points = Array.from(task);
  if (points.length <= MAX_TASK_CODE_POINTS) return task;
  // The number has most digits where nothing is kept.
  const kept = MAX_TASK_CODE_POINTS - noteOf(points.length).length;
  return points.slice(0, kept).join('').trimEnd() + noteOf(points.length - kept);
}

function noteOf(leftOut: number): string {
  return ` [... ${formatInteger(leftOut)} characters left out]`;
}

/** What is wrong with a text of memory, as `decodeBytes` gives it; undefined for nothing. */
export function damageOf(text: string): string | undefined {
  if (/^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i.test(text)) return 'is an HTML page';
  if (/\0|\p{Surrogate}/u.test(text)) return 'holds bytes that are not text';
  return markersIn(text);
}

/** Git's, of a merge that was never finished. */
export function markersIn(text: string): string | undefined {
  return /^(?:<{7}|>{7}) /m.test(text) ? 'holds git conflict markers' : undefined;
}
