import { MAX_RESULT_CODE_POINTS } from '../../lib/defaults.js';
import { sanitize } from '../../safety/sanitize.js';
import type { Change } from '../change.js';
import { formatProvenance, type Provenance } from '../provenance.js';
import { formatEntry } from '../run-log.js';
import { textId, withEntry, withoutEntries } from '../units.js';
import type { MemoryEntry } from './entry.js';

export interface EntryParts {
  readonly timestamp: Date;
  /** The heading as it is in the file, where that must stay; otherwise it is the timestamp's. */
  readonly heading?: string | undefined;
  readonly task: string;
  readonly result: string;
  /** Undefined for an entry as axe writes it. */
  readonly provenance: Provenance | undefined;
}

export interface ComposedEntry {
  readonly id: string;
  readonly text: string;
  /** The result was longer than is stored. */
  readonly isCut: boolean;
}

/** The one way by which a person's words become an entry: redact, form. Without provenance it is known by its text. */
export function composeEntry(parts: EntryParts, secrets: readonly string[]): ComposedEntry {
  const { timestamp, heading, task, result, provenance } = parts;
  const written = formatEntry({
    timestamp,
    task: sanitize(task, 'memory', secrets),
    result: sanitize(result, 'memory', secrets),
    provenance: provenance && formatProvenance(provenance),
  });
  const text = heading === undefined ? written : `## ${heading}${written.slice(written.indexOf('\n'))}`;
  return { id: provenance?.id ?? textId(text), text, isCut: isLong(result) };
}

/** A result that was cut once already ends in three dots, and is not cut again. */
function isLong(result: string): boolean {
  const length = [...result].length;
  return (
    length > MAX_RESULT_CODE_POINTS && !(length === MAX_RESULT_CODE_POINTS + 3 && result.endsWith('...'))
  );
}

/** Takes the old entry out and puts the new one to its place by time. */
export function placeEntry(path: string, oldId: string, entry: ComposedEntry): Change {
  const gone = new Set([oldId]);
  return { kind: 'rewrite', path, rewrite: (text) => withEntry(withoutEntries(text, gone), entry.text) };
}

export interface Fields {
  readonly task: string;
  readonly result: string;
}

/** The fields of an entry; of one without them, all it says is the result. */
export function fieldsOf({ task, result, body }: MemoryEntry): Fields {
  if (task === undefined && result === undefined) return { task: '', result: body.trim() };
  return { task: task ?? '', result: result ?? '' };
}

/** Takes the entry of an id out of a log; every other byte stays. */
export function forgetEntry(path: string, id: string): Change {
  const ids = new Set([id]);
  return { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, ids) };
}
