import { Writable } from 'node:stream';

/** A terminal whose last line is drawn again and again, above it what stays. */
export interface FakeScreen {
  readonly stream: Writable & { readonly isTTY: true; readonly columns: number };
  /** Lines that were ended by a line break. */
  kept(): readonly string[];
  /** The line that the cursor is in. */
  line(): string;
  /** All that was written, with its control sequences. */
  written(): string;
}

/** A screen as wide as said. */
export function createFakeScreen(columns = 100): FakeScreen {
  let raw = '';
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      raw += chunk;
      done();
    },
  });
  const lines = () => raw.split('\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  return {
    stream: Object.assign(stream, { isTTY: true as const, columns }),
    kept: () => lines().slice(0, -1),
    line: () => lines().at(-1) ?? '',
    written: () => raw,
  };
}
