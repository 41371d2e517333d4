import { Readable, Writable } from 'node:stream';
import type { StopSignal, Terminal } from '../../src/cli/terminal.js';

/**
 * Opens a terminal with this environment, and nothing else of the machine's. It keeps what is
 * written to it; nothing is typed in it.
 */
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
} = {}) {
  const stdout = createSheet();
  const stderr = createSheet();
  const listeners: ((signal: StopSignal) => void)[] = [];
  const terminal: Terminal = {
    env,
    cwd,
    program: 'axe-action',
    programFolder,
    stdin: Object.assign(Readable.from([]), { fd: CLOSED }),
    stdout: Object.assign(stdout.stream, { isTTY }),
    stderr: stderr.stream,
    onInterrupt: (interrupted) => void listeners.push(interrupted),
  };
  return {
    ...terminal,
    /** The contents of standard output and of standard error. */
    output: stdout.text,
    talk: stderr.text,
    /** Does what a signal does. */
    interrupt(signal: StopSignal) {
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

/** A terminal as wide as said, whose last line is drawn again and again, above it what stays. */
export function createFakeScreen(columns = 100) {
  const { stream, text } = createSheet();
  const lines = () =>
    text()
      .split('\n')
      .map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  return {
    stream: Object.assign(stream, { isTTY: true as const, columns }),
    /** Lines that were ended by a line break. */
    kept: () => lines().slice(0, -1),
    /** The line that the cursor is in. */
    line: () => lines().at(-1) ?? '',
    /** All that was written, with its control sequences. */
    written: text,
  };
}
