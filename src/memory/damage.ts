import type { Warning } from '../core/warning.js';
import type { Place } from './store.js';

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

/** The run goes on, and what is there is left to people. */
export function damageWarning({ location, url }: Place, damage: string): Warning {
  const where = url === undefined ? `\`${location}\`` : `\`${location}\` (${url})`;
  const message = `${where} ${damage}. It was read as far as possible, and its bytes stay`;
  return { code: 'memory-damaged', message, remedy: 'Correct the file, or delete it.' };
}
