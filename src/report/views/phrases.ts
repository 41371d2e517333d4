import { messageOf } from '../../lib/errors.js';
import { count } from '../../lib/text/format.js';
import type { GcEnd } from '../../run/gc-result.js';
import { formatGcEnd } from './gc.js';

/** The lines that people are asked to report. */
export function bugReport(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : messageOf(thrown);
  return `This is a bug in axe-action; please report it with these lines:\n${stack}`;
}

/** The end of a collection in one sentence. */
export function formatGcSentence(end: GcEnd, agent: string): string {
  return formatGcEnd(end, agent, (number) => count(number, 'entry'));
}
