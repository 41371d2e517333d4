import { sanitize } from '../../sanitize/sanitize.js';
import { joinOnLines } from '../run-log.js';
import { parseLog } from '../units.js';

/** What an imported log brings to the one that is there. */
export interface Incoming {
  /** What it has that the log has not; redacted, otherwise as it is there. */
  readonly text: string;
  readonly added: number;
  /** Entries that were there already. */
  readonly known: number;
  /** Entries that are left out since they were forgotten. */
  readonly forgotten: number;
}

/** Compares a log that is to be imported with the log that is there, by the ids of their entries. */
export function compareImport(
  log: string,
  imported: string,
  { forgotten, secrets }: { readonly forgotten: ReadonlySet<string>; readonly secrets: readonly string[] },
): Incoming {
  const ours = parseLog(log);
  const theirs = parseLog(imported);
  const known = new Set(ours.units.map(({ id }) => id));
  const seen = new Set<string>();
  const fresh: string[] = [];
  let [knownCount, forgottenCount] = [0, 0];
  for (const { id, text } of theirs.units) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (forgotten.has(id)) forgottenCount += 1;
    else if (known.has(id)) knownCount += 1;
    else fresh.push(text);
  }
  // What is before the first entry is somebody's heading; a log that has one keeps its own.
  const preamble = ours.preamble.trim() === '' ? theirs.preamble : '';
  const text = fresh.length === 0 ? '' : joinOnLines([preamble, ...fresh]);
  return {
    text: sanitize(text, 'memory', secrets),
    added: fresh.length,
    known: knownCount,
    forgotten: forgottenCount,
  };
}
