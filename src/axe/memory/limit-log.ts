import { utf8Bytes } from '../prompt/cut.js';
import { promptText } from './prompt-text.js';
import { countEntries } from './run-log.js';
import type { RestoreResult } from './store.js';
import { parseLog, type Unit } from './units.js';

/**
 * What was read, without the oldest entries that take more bytes of the prompt than `maxBytes` (`memory.max_log_bytes`);
 * 0 means no limit. Entries stay whole, so of a newest one that is larger nothing is left.
 */
export function limitLog(found: RestoreResult, maxBytes: number): RestoreResult {
  if (found.kind !== 'restored' || maxBytes === 0 || bytesOf(found.text) <= maxBytes) return found;
  const kept = newestWithin(parseLog(found.text).units, maxBytes);
  const text = kept.map((unit) => unit.text).join('');
  return { ...found, text, loaded: countEntries(text) };
}

function newestWithin(units: readonly Unit[], maxBytes: number): readonly Unit[] {
  let left = maxBytes;
  const tooOld = units.findLastIndex(({ text }) => {
    left -= bytesOf(text);
    return left < 0;
  });
  return units.slice(tooOld + 1);
}

function bytesOf(runLog: string): number {
  return utf8Bytes(promptText(runLog));
}
