import { stripProvenance } from './run-log.js';

/** What a model is given of a run log: readable, and without the lines that say which run wrote an entry (D8). */
export function promptText(runLog: string): string {
  return readableText(stripProvenance(runLog));
}

/** Text that every provider takes, whatever bytes its file holds: well-formed, and without NUL. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
