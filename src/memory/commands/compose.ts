import { MAX_RESULT_CODE_POINTS } from '../../core/defaults.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { formatProvenance, type Provenance } from '../provenance.js';
import { formatEntry } from '../run-log.js';
import { textId } from '../units.js';

/** What an entry is made of. */
export interface EntryParts {
  readonly timestamp: Date;
  /** The heading as it is in the file, where that must stay; otherwise it is the timestamp's. */
  readonly heading?: string | undefined;
  readonly task: string;
  readonly result: string;
  /** Undefined for an entry as axe writes it. */
  readonly provenance: Provenance | undefined;
}

/** An entry, ready to be written. */
export interface ComposedEntry {
  readonly id: string;
  readonly text: string;
  /** The result was longer than is stored. */
  readonly isCut: boolean;
}

/** The one way by which a person's words become an entry: redact, form. Without provenance it is known by its text. */
export function composeEntry(parts: EntryParts, secrets: readonly string[]): ComposedEntry {
  const text = formatParts(parts, secrets);
  const id = parts.provenance?.id ?? textId(text);
  return { id, text, isCut: isLong(parts.result) };
}

/** A provenance that says nothing but the id. */
export function bareProvenance(id: string): Provenance {
  const nothing = { run: undefined, job: undefined, event: undefined, sha: undefined };
  return { id, ...nothing, actor: undefined, trust: undefined, model: undefined };
}

function formatParts(parts: EntryParts, secrets: readonly string[]): string {
  const { timestamp, heading, provenance } = parts;
  const text = formatEntry({
    timestamp,
    task: sanitize(parts.task, 'memory', secrets),
    result: sanitize(parts.result, 'memory', secrets),
    ...(provenance === undefined ? {} : { provenance: formatProvenance(provenance) }),
  });
  return heading === undefined ? text : `## ${heading}${text.slice(text.indexOf('\n'))}`;
}

/** A result that was cut once already ends in three dots, and is not cut again. */
function isLong(result: string): boolean {
  const length = [...result].length;
  return (
    length > MAX_RESULT_CODE_POINTS && !(length === MAX_RESULT_CODE_POINTS + 3 && result.endsWith('...'))
  );
}
