/** How to start a program that is talked to in lines of text. */
export interface LineProgramOptions {
  /** Looked up in the `PATH` of `env`; no shell is involved. */
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program: nothing else is handed down. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of the folder it runs in. */
  readonly cwd: string;
  /** Longest line that is taken, in bytes. */
  readonly maxLineBytes: number;
  /** Called for each line of its standard output, without the line break. */
  onLine(line: string): void;
  /** Called for a longer line with its beginning and its end, when it is over. */
  onLongLine(ends: string): void;
  /** Called once, when the program is gone, with the reason for people: `exit status 1`. */
  onEnd(reason: string): void;
}

/** A running program that reads and writes lines, and everything it started. */
export interface LineProgram {
  /** Writes a line to its standard input. Rejects if it is gone. */
  send(line: string): Promise<void>;
  /** The last of what it wrote to standard error; empty for nothing. */
  lastWords(): string;
  /** Ends it and everything it started: asks, insists, kills. Never rejects; a second call waits for the first. */
  stop(): Promise<void>;
}

/** Starts programs. Rejects if the program cannot be started. */
export type StartLineProgram = (options: LineProgramOptions) => Promise<LineProgram>;
