import { MAX_LOADED_MEMORY_BYTES } from '../../defaults.js';
import { countBytes } from '../../text/bytes.js';
import { grouped } from '../../text/number.js';
import { parseProvenance } from '../provenance.js';
import type { Entry } from '../run-log.js';
import { countLineBreaks, isTimestamped, type PlacedUnit, UnitReader } from '../units.js';
import { type MemoryEntry, readEntry } from './entry.js';
import { LineIndex } from './line-index.js';
import type { BareFinding, FindingCode, LogFinding, VerifiedLog } from './search.js';

/** Looks through a log and tells what is not as it should be, in the order of the lines. */
export function verifyLog(text: string, log: VerifiedLog): readonly LogFinding[] {
  const verifier = new LogVerifier(log);
  verifier.push(text);
  return verifier.end();
}

/**
 * {@link verifyLog} for a log that comes in pieces. Of an entry that was looked at only a few bytes are kept: which line
 * its id and its text were first seen in.
 */
export class LogVerifier {
  readonly #log: VerifiedLog;
  readonly #lines = new LineChecker();
  readonly #units = new UnitReader((...entry) => this.#visit(...entry));
  readonly #found: {
    readonly lines: BareFinding[];
    readonly headings: BareFinding[];
    readonly entries: BareFinding[];
  } = {
    lines: [],
    headings: [],
    entries: [],
  };
  readonly #among = new AmongChecker();
  #bytes = 0;
  #headings = 0;
  #entries = 0;
  #plain = 0;

  constructor(log: VerifiedLog) {
    this.#log = log;
  }

  push(piece: string): void {
    this.#bytes += countBytes(piece);
    addAll(this.#found.lines, this.#lines.push(piece));
    this.#take(this.#units.push(piece));
  }

  /** What was found, once there are no more pieces; nothing of an empty log. */
  end(): readonly LogFinding[] {
    if (this.#bytes === 0) return [];
    addAll(this.#found.lines, this.#lines.end());
    this.#take(this.#units.end());
    const { lane, path } = this.#log;
    const { lines, headings, entries } = this.#found;
    const found = [...lines, ...headings, ...entries, ...this.#among.found].toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0),
    );
    return [...found, ...this.#inTotal()].map((one) => ({ ...one, lane, path }));
  }

  #visit(entry: Entry, line: number, isBelowUnit: boolean): void {
    this.#headings += 1;
    addAll(this.#found.headings, checkHeading(entry, line, isBelowUnit));
  }

  #take(units: readonly PlacedUnit[]): void {
    for (const placed of units) {
      const entry = readEntry(placed, this.#log.lane);
      addAll(this.#found.entries, checkEntry(entry, this.#log));
      this.#among.add(entry);
      this.#entries += 1;
      if (!placed.unit.hasProvenance) this.#plain += 1;
    }
  }

  /** What is said of all entries together. */
  #inTotal(): readonly BareFinding[] {
    return [
      ...withoutProvenance(this.#plain, this.#entries),
      checkSize({ bytes: this.#bytes, entries: this.#entries, headings: this.#headings }),
    ];
  }
}

/** One after the other: a log may have more findings than a call takes arguments. */
function addAll(list: BareFinding[], more: readonly BareFinding[]): void {
  for (const one of more) list.push(one);
}

/** What an entry can only have besides others: the same id or text twice, a time before the one above. */
class AmongChecker {
  readonly found: BareFinding[] = [];
  readonly #ids = new LineIndex();
  readonly #texts = new LineIndex();
  #before: { readonly timeMs: number; readonly heading: string } | undefined;

  add({ id, line, heading, body, timeMs, unit }: MemoryEntry): void {
    const text = `${heading}\n${body}`;
    const sameId = this.#ids.lineOf(id);
    const sameText = this.#texts.lineOf(text) ?? sameId;
    if (sameId !== undefined && unit.hasProvenance) {
      this.found.push(
        problem('duplicate-id', line, `the id \`${id}\` is already that of the entry in line ${sameId}`),
      );
    } else if (sameText !== undefined) {
      this.found.push(
        problem('duplicate-text', line, `the entry in line ${sameText} has the same time and text`),
      );
    }
    this.#ids.add(id, sameId ?? line);
    this.#texts.add(text, sameText ?? line);
    const before = this.#before;
    if (before !== undefined && before.timeMs > timeMs)
      this.found.push(problem('order', line, `${heading} is below the later ${before.heading}`));
    this.#before = { timeMs, heading };
  }
}

/** Looks like a time to a person, and is none to a program. */
const ALMOST_TIME = /^\d{4}-\d{1,2}-\d{1,2}(?:\D|$)/;

/**
 * A heading that is no time: above the first entry it belongs to nobody; below one it is part of it for people and
 * commands, and an entry for what loads the newest ones (D6).
 */
function checkHeading(entry: Entry, line: number, isBelowUnit: boolean): readonly BareFinding[] {
  if (isTimestamped(entry)) return [];
  const { heading } = entry;
  const part = 'so it counts as part of the entry above';
  const whose = !isBelowUnit
    ? 'and belongs to no entry'
    : ALMOST_TIME.test(heading)
      ? part
      : `${part}, but as an entry of its own for \`last_n\` and \`max_entries\`; put a space before \`##\``;
  const message = `\`## ${heading.slice(0, 60)}\` is not a time such as 2026-02-03T04:05:06Z, ${whose}`;
  return [problem('heading', line, message)];
}

function withoutProvenance(plain: number, entries: number): readonly BareFinding[] {
  if (plain === 0) return [];
  const message = `${plain} of ${entries} entries have no provenance, as axe and the command line write them`;
  return [{ code: 'no-provenance', severity: 'information', line: undefined, message }];
}

/** Largest memory the Actions cache takes, all files together (D13). */
const MAX_CACHE_BYTES = 1024 * 1024;

function checkSize({
  bytes,
  entries,
  headings,
}: Record<'bytes' | 'entries' | 'headings', number>): BareFinding {
  const counted =
    headings === entries ? '' : ` (${headings} as \`last_n\` counts: lines that start with \`## \`)`;
  const figures = `${entries} ${entries === 1 ? 'entry' : 'entries'}${counted}, ${grouped(bytes)} bytes`;
  const limits = [
    ...(bytes > MAX_LOADED_MEMORY_BYTES
      ? [
          `of which only the newest ${grouped(MAX_LOADED_MEMORY_BYTES)} are loaded without \`last_n\` and \`max_log_bytes\``,
        ]
      : []),
    ...(bytes > MAX_CACHE_BYTES ? [`more than the ${grouped(MAX_CACHE_BYTES)} that the cache takes`] : []),
  ];
  const severity = bytes > MAX_CACHE_BYTES ? 'problem' : 'information';
  return { code: 'size', severity, line: undefined, message: [figures, ...limits].join('; ') };
}

function problem(code: FindingCode, line: number, message: string): BareFinding {
  return { code, severity: 'problem', line, message };
}

const OURS = /^<!-- axe-action\b/;
const VERSION = /^<!-- axe-action v=(\S+)/;

/** What is wrong with one entry. */
function checkEntry(entry: MemoryEntry, log: VerifiedLog): readonly BareFinding[] {
  return [...checkFields(entry), ...checkProvenance(entry), ...checkForgotten(entry, log)];
}

function checkFields({ task, result, line }: MemoryEntry): readonly BareFinding[] {
  const missing = [
    ...(task === undefined ? ['`**Task:**`'] : []),
    ...(result === undefined ? ['`**Result:**`'] : []),
  ];
  if (missing.length === 0) return [];
  return [problem('fields', line, `the entry has no ${missing.join(' and no ')} line`)];
}

function checkProvenance(entry: MemoryEntry): readonly BareFinding[] {
  const lines = entry.unit.text.split('\n').map((line) => line.replace(/\r$/, ''));
  const ours = lines.flatMap((text, index) => (OURS.test(text) ? [{ text, line: entry.line + index }] : []));
  const unread = ours.flatMap(({ text, line }) => whyUnread(text, line));
  const read = ours.filter(({ text }) => parseProvenance(text) !== undefined);
  const second = read[1];
  if (second === undefined) return unread;
  const message = `${read.length} provenance lines in one entry: the heading of another entry is missing, or it was pasted`;
  return [...unread, problem('provenance', second.line, message)];
}

function whyUnread(text: string, line: number): readonly BareFinding[] {
  if (parseProvenance(text) !== undefined) return [];
  const version = VERSION.exec(text)?.[1];
  const why =
    version === undefined || version === '1'
      ? 'a provenance line that cannot be read; the entry counts as one without'
      : `a provenance line of version ${version.slice(0, 20)}, which this version of axe-action does not know`;
  return [problem('provenance', line, why)];
}

function checkForgotten({ id, line }: MemoryEntry, { forgotten }: VerifiedLog): readonly BareFinding[] {
  if (!forgotten.has(id)) return [];
  return [problem('forgotten', line, `\`${id}\` was forgotten and is still here; \`forget\` it once more`)];
}

const CONFLICT = /^(?:<{7}|>{7}|\|{7})(?: |$)/;
const SUSPICIOUS = /<{7}|>{7}|\|{7}|\p{Surrogate}|\0/u;

/** What is wrong with the lines of a text, whatever entry they belong to; headings are looked at by entry. */
export function checkLines(text: string): readonly BareFinding[] {
  const checker = new LineChecker();
  return [...checker.push(text), ...checker.end()];
}

/** {@link checkLines} for a text that comes in pieces. */
class LineChecker {
  /** Parts of the line that is not over yet. */
  #parts: string[] = [];
  #line = 1;
  #isBegun = false;

  push(piece: string): readonly BareFinding[] {
    const end = piece.lastIndexOf('\n');
    if (end < 0) {
      this.#parts.push(piece);
      return [];
    }
    this.#parts.push(piece.slice(0, end));
    const found = this.end();
    this.#parts = [piece.slice(end + 1)];
    return found;
  }

  /** What is found in the last line, once there are no more pieces. */
  end(): readonly BareFinding[] {
    const text = this.#parts.join('');
    const [isFirst, line] = [!this.#isBegun, this.#line];
    this.#isBegun = true;
    this.#line += countLineBreaks(text) + 1;
    return [...(isFirst ? checkStart(text) : []), ...checkEachLine(text, line)];
  }
}

/** A byte order mark before the first heading hides it from axe, and so from us. */
function checkStart(text: string): readonly BareFinding[] {
  if (!text.startsWith('\uFEFF## ')) return [];
  const message = 'a byte order mark hides this heading; save the file as UTF-8 without one';
  return [{ code: 'encoding', severity: 'problem', line: 1, message }];
}

function checkEachLine(text: string, first: number): readonly BareFinding[] {
  // Nearly all texts hold nothing of it, and one look at all lines is faster than one at each.
  if (!SUSPICIOUS.test(text)) return [];
  return text.split('\n').flatMap((whole, index): readonly BareFinding[] => {
    const line = first + index;
    const content = whole.replace(/\r$/, '');
    if (CONFLICT.test(content)) {
      const message = `a conflict marker of git, \`${content.slice(0, 7)}\`; remove the three marker lines`;
      return [{ code: 'conflict-marker', severity: 'problem', line, message }];
    }
    if (/\p{Surrogate}|\0/u.test(content)) {
      const message = 'bytes that are not UTF-8 text; they stay as they are, and models see U+FFFD';
      return [{ code: 'encoding', severity: 'information', line, message }];
    }
    return [];
  });
}
