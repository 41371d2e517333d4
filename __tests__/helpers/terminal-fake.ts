import { Readable, Writable } from 'node:stream';
import type { StopSignal, Terminal } from '../../src/cli/terminal.js';

/** A terminal that keeps what is written to it. Nothing is typed in it. */
export interface FakeTerminal extends Terminal {
  /** The content of standard output. */
  output(): string;
  /** The content of standard error. */
  talk(): string;
  /** Does what a signal does. */
  interrupt(signal: StopSignal): void;
}

/** Opens a terminal with this environment, and nothing else of the machine's. */
export function createFakeTerminal({
  env = {},
  cwd = '/',
  isTTY = false,
  programFolder = '/',
}: {
  readonly env?: Terminal['env'];
  readonly cwd?: string;
  readonly isTTY?: boolean;
  readonly programFolder?: string;
} = {}): FakeTerminal {
  const stdout = createSheet();
  const stderr = createSheet();
  const listeners: ((signal: StopSignal) => void)[] = [];
  return {
    env,
    cwd,
    program: 'axe-action',
    programFolder,
    stdin: Object.assign(Readable.from([]), { fd: CLOSED }),
    stdout: Object.assign(stdout.stream, { isTTY }),
    stderr: stderr.stream,
    output: stdout.text,
    talk: stderr.text,
    onInterrupt: (interrupted) => void listeners.push(interrupted),
    interrupt(signal) {
      for (const interrupted of listeners) interrupted(signal);
    },
  };
}

/** A descriptor that is never open. */
const CLOSED = 2 ** 31 - 1;

function createSheet(): { readonly stream: Writable; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

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
