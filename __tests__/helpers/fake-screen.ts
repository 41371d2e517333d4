import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/** A terminal of one line that is drawn again and again, above it what stays. */
export interface FakeScreen {
  readonly stream: Writable & { readonly isTTY: true; readonly columns: number };
  /** Lines that were ended by a line break. */
  kept(): readonly string[];
  /** The line that the cursor is in. */
  line(): string;
  readonly isCursorHidden: boolean;
  /** All that was written, with its control sequences. */
  written(): string;
}

/** A screen as wide as said, with the methods of a terminal's stream that a spinner uses. */
export function createFakeScreen(columns = 100): FakeScreen {
  const lines = [''];
  let raw = '';
  let isCursorHidden = false;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      raw += chunk;
      if (chunk.includes('\u001b[?25l')) isCursorHidden = true;
      if (chunk.includes('\u001b[?25h')) isCursorHidden = false;
      const [first = '', ...rest] = stripVTControlCharacters(chunk).split('\n');
      lines.push((lines.pop() ?? '') + first, ...rest);
      done();
    },
  });
  const methods = {
    isTTY: true as const,
    columns,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine() {
      lines.splice(-1, 1, '');
      return true;
    },
  };
  return {
    stream: Object.assign(stream, methods),
    kept: () => lines.slice(0, -1),
    line: () => lines.at(-1) ?? '',
    get isCursorHidden() {
      return isCursorHidden;
    },
    written: () => raw,
  };
}
