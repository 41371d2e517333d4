import { type Entry, parseEntries } from './run-log.js';

/**
 * A timestamped entry with everything up to the next one: what stands under a heading that is no timestamp
 * (`## Findings` in a result that axe stored) belongs to the entry above it, moves with it and goes with it. Only a
 * part that names an id although the entry above has one already is an entry of its own: somebody changed its heading.
 */
export interface Unit {
  /** Index of its first character in the text. */
  readonly start: number;
  readonly text: string;
  /** As the heading says, or else as that of the entry above. */
  readonly timeMs: number;
  /** What it is known by: the id of its provenance line, or else {@link textId} of its text. */
  readonly id: string;
  /** Whether a provenance line gives it its id. */
  readonly hasProvenance: boolean;
}

/** A run log taken apart; joined again, the parts are the text. */
export interface Log {
  /** What stands before the first timestamp. */
  readonly preamble: string;
  readonly units: readonly Unit[];
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\s*$/;

/** Takes a run log apart into its timestamped entries. */
export function parseLog(text: string): Log {
  const starts = unitStarts(parseEntries(text));
  const units = starts.map(({ start, timeMs, id }, index): Unit => {
    const unit = text.slice(start, starts[index + 1]?.start ?? text.length);
    return { start, text: unit, timeMs, id: id ?? textId(unit), hasProvenance: id !== undefined };
  });
  return { preamble: text.slice(0, units[0]?.start ?? text.length), units };
}

interface UnitStart {
  readonly start: number;
  readonly timeMs: number;
  id: string | undefined;
}

function unitStarts(entries: readonly Entry[]): readonly UnitStart[] {
  const starts: UnitStart[] = [];
  for (const entry of entries) {
    const { start, heading, id } = entry;
    const above = starts.at(-1);
    if (isTimestamped(entry)) starts.push({ start, timeMs: Date.parse(heading.trimEnd()), id });
    else if (above !== undefined && id !== undefined) {
      if (above.id === undefined) above.id = id;
      else if (above.id !== id) starts.push({ start, timeMs: above.timeMs, id });
    }
  }
  return starts;
}

/** Whether the entry begins with a time, as those do that a program wrote. */
export function isTimestamped(entry: Entry): boolean {
  return TIMESTAMP.test(entry.heading) && !Number.isNaN(Date.parse(entry.heading.trimEnd()));
}

/**
 * The id of an entry without provenance, as axe writes them: of its text, but for line ends, trailing space and git's
 * conflict markers, which an unfinished merge leaves between entries. Two entries with the same text are the same entry.
 * Nothing secret hangs on it, so two hashes of 32 bits are enough: FNV-1a, and one that mixes by multiplying and shifting.
 */
export function textId(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replace(CONFLICT_MARKER, '').trimEnd();
  let [one, other] = [FNV_OFFSET, FNV_OFFSET];
  for (let at = 0; at < plain.length; at += 1) {
    const unit = plain.charCodeAt(at);
    one = imul(one ^ unit, FNV_PRIME);
    other = imul(other ^ unit, MIX_PRIME);
    other ^= other >>> 15;
  }
  return `t-${hex(one)}${hex(other)}`;
}

const CONFLICT_MARKER = /^(?:(?:<{7}|>{7}|\|{7})(?: [^\n]*)?|={7})(?:\n|$)/gm;
const { imul } = Math;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** The prime nearest to 2^32 divided by the golden ratio. */
const MIX_PRIME = 0x9e3779b1;

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
