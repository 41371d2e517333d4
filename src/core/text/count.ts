import { grouped } from './number.js';

/** `1 entry`, `2 entries`, `1,204 calls`. */
export function count(number: number, noun: string): string {
  if (number === 1) return `1 ${noun}`;
  return `${grouped(number)} ${noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
