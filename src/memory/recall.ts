import { MAX_RESULT_CODE_POINTS, MAX_SEARCHED_MEMORY_BYTES } from '../lib/defaults.js';
import { cutToBytes, utf8Bytes } from '../lib/text/bytes.js';
import { count, formatInteger } from '../lib/text/format.js';
import {
  countEntries,
  entryProvenance,
  lastEntries,
  parseEntries,
  stripProvenance,
  TASK_LABEL,
} from './run-log.js';
import { parseLog, partLog } from './units.js';

/** The subject of a run: its older entries are chosen by it, and its own entry names it. */
export interface Subject {
  /** The pull request or issue, `#42`; left out if there is none. */
  readonly on?: string;
  /** Paths of the change, the most changed first. */
  readonly paths: readonly string[];
  /** Words of an issue's title in small letters, which are looked for in the tasks of entries. */
  readonly words: readonly string[];
}

/** An entry that a run is given. */
export interface RecalledEntry {
  readonly text: string;
  /** The line of its heading in the text that was searched, from 1. */
  readonly line: number;
  /** The terms that it shares with the subject; empty for one of the newest. */
  readonly shares: readonly string[];
}

export interface Recalled {
  /** The chosen entries in the order of the log; without computed entries all of it, if it fits. */
  readonly text: string;
  readonly entries: readonly RecalledEntry[];
  /** Number of computed entries, which are never chosen. */
  readonly computed: number;
  /** Number of the other entries that were left out. */
  readonly leftOut: number;
}

const NEWEST = 3;
const RELATED = 7;
/** Terms of a subject that are looked for. */
const MAX_TERMS = 100;
/** A path that every entry has counts too, so that it decides between entries with nothing else. */
const LEAST_WEIGHT = 0.01;

interface SearchedEntry extends RecalledEntry {
  readonly score: number;
  readonly on: string | undefined;
}

/**
 * The bytes of a log, from its end, that a run reads to get its entries; 0 for all of it. `lastN` is
 * undefined if the agent does not say how many.
 */
export function bytesToRead(lastN: number | undefined, maxLogBytes: number): number {
  return lastN === undefined ? Math.max(maxLogBytes, MAX_SEARCHED_MEMORY_BYTES) : maxLogBytes;
}

/**
 * Chooses the entries for a run whose agent does not say how many: all that fit, or else the newest
 * three, the seven that share most with the subject, and the newest again for what is left of the
 * ten. A run without a subject gets the newest that fit. Computed entries have nothing to recall.
 */
export function recall(log: string, subject: Subject | undefined, maxBytes: number): Recalled {
  const [above, ...parts] = partLog(log);
  let line = (above?.text ?? '').split('\n').length;
  const numbered = parts.map(({ text }) => {
    const entry = { text, line, shares: [] };
    line += text.split('\n').length - 1;
    return entry;
  });
  const entries = numbered.filter((entry) => entryProvenance(entry.text)?.isComputed !== true);
  const computed = numbered.length - entries.length;
  const whole = [above, ...entries].map((part) => part?.text ?? '').join('');
  if (utf8Bytes(whole) <= maxBytes) return { text: whole, entries, computed, leftOut: 0 };

  const chosen = subject === undefined ? [] : chooseRelated(entries, subject, maxBytes);
  if (chosen.length > 0) {
    const texts = chosen.map((entry) => entry.text);
    const leftOut = entries.length - chosen.length;
    return { text: texts.join(''), entries: chosen, computed, leftOut };
  }

  const end = newestEntries(whole, 0, maxBytes);
  const newest = lastOf(entries, end.text);
  return { text: end.text, entries: newest, computed, leftOut: entries.length - newest.length };
}

/** The last entries, of which a text consists; the newest one if the text is a part of it. */
function lastOf(entries: readonly RecalledEntry[], text: string): readonly RecalledEntry[] {
  let characters = text.length;
  let number = 0;
  for (const entry of entries.toReversed()) {
    characters -= entry.text.length;
    if (characters < 0) break;
    number += 1;
  }
  return entries.slice(-Math.max(1, number));
}

/** Says to the model which entries it is given, if some are left out. */
export function describeChoice(
  { entries, leftOut }: Recalled,
  subject: Subject | undefined,
  isWholeLog: boolean,
): string {
  const related = entries.filter(({ shares }) => shares.length > 0).length;
  const newest = entries.length - related;
  const total = `${isWholeLog ? '' : 'more than '}${formatInteger(entries.length + leftOut)}`;
  const first =
    newest === 1 ? `The newest entry of ${total}` : `The ${newest} newest entries of ${total}`;
  const common = (subject?.paths ?? []).length > 0 ? 'files of this change' : 'the same subject';
  if (related === 0) return `${first}.`;
  const older = `${count(related, 'older one')} about ${common}.`;
  return newest === 0 ? `Of ${total} entries, ${older}` : `${first}, and ${older}`;
}

/** Whole entries that fit together; none if the newest ten are all too large. */
function chooseRelated(
  entries: readonly RecalledEntry[],
  subject: Subject,
  maxBytes: number,
): readonly RecalledEntry[] {
  const searched = withScores(entries, subject);
  const older = searched.slice(0, -NEWEST);
  const related = bestOfEach(older).slice(0, RELATED);
  const others = older.toReversed().filter((entry) => !related.includes(entry));
  const newest = [
    ...searched.slice(-NEWEST).toReversed(),
    ...others.slice(0, RELATED - related.length),
  ].map((entry) => ({ ...entry, shares: [] }));

  const fitting: SearchedEntry[] = [];
  let leftBytes = maxBytes;
  for (const entry of [...newest.slice(0, NEWEST), ...related, ...newest.slice(NEWEST)]) {
    const bytes = utf8Bytes(entry.text);
    if (bytes > leftBytes) continue;
    fitting.push(entry);
    leftBytes -= bytes;
  }
  return fitting.sort((a, b) => a.line - b.line);
}

/** A term counts for more, the fewer entries have it. */
function withScores(entries: readonly RecalledEntry[], subject: Subject): readonly SearchedEntry[] {
  const sharing = entries.map((entry) => ({ ...entry, ...shareWith(subject, entry) }));
  const holders = new Map<string, number>();
  for (const term of sharing.flatMap(({ shares }) => shares))
    holders.set(term, (holders.get(term) ?? 0) + 1);

  const weightOf = (term: string) =>
    Math.max(Math.log((entries.length + 1) / ((holders.get(term) ?? 0) + 0.5)), LEAST_WEIGHT);
  return sharing.map((entry) => ({
    ...entry,
    score: entry.shares.reduce((sum, term) => sum + weightOf(term), 0),
  }));
}

/** An entry has a path that its files list or its text names, and a word that its task has. */
function shareWith(
  { on, paths, words }: Subject,
  { text: written }: RecalledEntry,
): Pick<SearchedEntry, 'shares' | 'on'> {
  const origin = entryProvenance(written);
  const listed = new Set([origin?.on, ...(origin?.files ?? [])]);
  // A file can have the name of an account or of a field, which every entry has.
  const text = stripProvenance(written);
  const tasks = text.split('\n').filter((line) => line.startsWith(TASK_LABEL));
  const task = tasks.join('\n').toLowerCase();

  const searched = [...(on === undefined ? [] : [on]), ...paths.slice(0, MAX_TERMS)];
  const places = searched.filter((place) => listed.has(place) || names(text, place));
  const sharedWords = words.slice(0, MAX_TERMS).filter((word) => task.includes(word));
  return { on: origin?.on, shares: [...places, ...sharedWords] };
}

/** Finds a path or number that is not only a part of a longer one. */
function names(text: string, term: string): boolean {
  for (let start = text.indexOf(term); start >= 0; start = text.indexOf(term, start + 1)) {
    const end = start + term.length;
    const before = text.slice(Math.max(0, start - 1), start);
    const after = text.slice(end, end + 2);
    if (!/[\p{L}\p{N}_./-]/u.test(before) && !/^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/u.test(after))
      return true;
  }
  return false;
}

/** Entries that share something, best and newest first; of one pull request only the best. */
function bestOfEach(entries: readonly SearchedEntry[]): readonly SearchedEntry[] {
  const related = entries.filter(({ score }) => score > 0);
  related.sort((a, b) => b.score - a.score || b.line - a.line);

  const best = new Map<string, SearchedEntry>();
  for (const entry of related) {
    const subject = entry.on ?? `line ${entry.line}`;
    if (!best.has(subject)) best.set(subject, entry);
  }
  return [...best.values()];
}

/**
 * The newest entries of a log, as they are in it; `lastN` 0 means all of it. If they need more than
 * `maxBytes` (0 for no limit), those that fit, or the two ends of a single entry that is too large.
 * A heading that is not a time belongs to the entry above it, so nothing is cut there, unless the
 * log has no time at all: then people wrote it.
 */
export function newestEntries(
  log: string,
  lastN: number,
  maxBytes: number,
): { readonly text: string; readonly loaded: number; readonly truncated: boolean } {
  const wanted = lastEntries(log, lastN);
  if (maxBytes === 0 || utf8Bytes(wanted) <= maxBytes)
    return { text: wanted, loaded: countEntries(wanted), truncated: false };
  const { units } = parseLog(log);
  const entries = units.length > 0 ? units : parseEntries(log);
  let first = entries.length;
  for (let freeBytes = maxBytes; first > 0; first -= 1) {
    freeBytes -= utf8Bytes(entries[first - 1]?.text ?? '');
    if (freeBytes < 0) break;
  }
  const fitting = entries.slice(first);
  const text =
    fitting.length > 0
      ? fitting.map((entry) => entry.text).join('')
      : withoutMiddle(entries.at(-1)?.text ?? wanted, maxBytes);
  return { text, loaded: countEntries(text), truncated: true };
}

/** The beginning of a cut entry has its heading. */
const LEAST_FIRST_BYTES = 256;
/** Its end has a whole result as we write it. */
const LEAST_LAST_BYTES = 4 * MAX_RESULT_CODE_POINTS + 1024;
/** Room for the note between the two. */
const NOTE_BYTES = 64;

/**
 * An entry without its middle. It takes at most `maxBytes`, or the room of a heading and a result if
 * that is more. No character is split.
 */
function withoutMiddle(entry: string, maxBytes: number): string {
  const room = maxBytes - NOTE_BYTES;
  const lastBytes = Math.max(Math.floor(room / 2), LEAST_LAST_BYTES);
  const firstBytes = Math.max(room - lastBytes, LEAST_FIRST_BYTES);
  const bytes = new TextEncoder().encode(entry);
  if (bytes.length <= firstBytes + lastBytes) return entry;
  const { text: first } = cutToBytes(entry, firstBytes);
  const last = new TextDecoder().decode(bytes.subarray(-lastBytes)).replace(/^\uFFFD+/, '');
  const leftOut = bytes.length - utf8Bytes(first) - utf8Bytes(last);
  return `${first} [... ${formatInteger(leftOut)} bytes left out ...] ${last}`;
}
