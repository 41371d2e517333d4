import { cleanLine } from './cut.js';

const MAX_SHOWN = 200;

/** A path, pattern or address of the model's in a message of ours: quoted, on one line, not too long. */
export function shown(text: string): string {
  return JSON.stringify(cleanLine(text, MAX_SHOWN));
}
