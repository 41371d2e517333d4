import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as after } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { CUT_MARGIN, withoutCutStart } from '../../lib/text/bytes.js';
import { cleanLine } from '../../lib/text/format.js';
import { guardGroup, killGroup } from '../process/programs.js';

/** Time for a program to end after each step: end of its input, SIGTERM, SIGKILL. */
const GRACE_MS = 1000;

/** Time to receive the rest of the output after a program has ended. */
const DRAIN_MS = 250;

/** Characters of a program's last output that are quoted. */
const MAX_WORDS = 1000;

/**
 * An MCP server that is a program, one JSON message per line, in a process group of its own. The
 * client's own transport would add our environment and leave the program's children behind; here
 * the group ends with the program, with `close`, and with this process, even if that is killed (not
 * on Windows). Only a process that leaves the group on purpose (`setsid`) survives.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** By this and `pid` the client recognises a pipe, on which silence means an older server. */
  readonly stderr = null;
  pid: number | undefined;
  /** Describes how the program ended by itself, for people; undefined if it has not. */
  ending: string | undefined;
  readonly #program;
  #child: ChildProcessWithoutNullStreams | undefined;
  #closed: Promise<unknown> | undefined;
  #isClosing = false;
  #words = '';

  /** `env` is the program's whole environment, `cwd` an absolute path. */
  constructor(program: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    /** Removes secrets from the program's words. */
    clean(text: string): string;
  }) {
    this.#program = program;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#program;
    const child = spawn(command, [...args], {
      env: { ...env },
      cwd,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.#child = child;
    // A program that ends without reading closes its end of the pipe.
    child.stdin.on('error', () => undefined);

    // Only `\n` ends a message: JSON may hold what Node's line reader also takes for the end of a
    // line.
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#receive(line);
    });
    child.stdout.once('end', () => this.#receive(rest));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep(text));

    this.#closed = new Promise((resolve) => child.once('close', resolve));
    child.once('exit', (code, signal) => {
      if (!this.#isClosing)
        this.ending = signal === null ? `exit status ${code}` : `ended by ${signal}`;
      this.#kill('SIGKILL');
      void this.#drain(child);
    });

    await once(child, 'spawn');
    this.pid = child.pid;
    const guard = guardGroup(child.pid ?? 0);
    child.once('close', () => {
      guard.dismiss();
      this.onclose?.();
    });
    if (this.#isClosing) await this.close();
  }

  /** Never fails: if the program has ended, `onclose` ends the requests that wait for answers. */
  async send(message: JSONRPCMessage): Promise<void> {
    this.#child?.stdin.write(`${JSON.stringify(message)}\n`, () => undefined);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#child?.stdin.end();
    if (this.pid === undefined || (await this.#endsSoon())) return;
    this.#kill('SIGTERM');
    if (await this.#endsSoon()) return;
    this.#kill('SIGKILL');
    await this.#endsSoon();
  }

  /** The end of the program's output that was not a message, for people; empty if there is none. */
  lastWords(): string {
    const cleaned = this.#program.clean(this.#words);
    const isCut = this.#words.length === MAX_WORDS + CUT_MARGIN;
    const end = (isCut ? withoutCutStart(cleaned) : cleaned).slice(-MAX_WORDS);
    const words = cleanLine(end, MAX_WORDS);
    return words === '' ? '' : `; its last words: ${words}`;
  }

  /** Programs print greetings and errors on standard output; they can explain missing messages. */
  #receive(line: string): void {
    try {
      this.onmessage?.(JSON.parse(line));
    } catch {
      this.#keep(`${line}\n`);
    }
  }

  #keep(text: string): void {
    this.#words = (this.#words + text).slice(-MAX_WORDS - CUT_MARGIN);
  }

  #kill(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) killGroup(this.#child.pid, signal);
  }

  /** Closes the pipes, because a process outside the group can hold them open. */
  async #drain(child: ChildProcessWithoutNullStreams): Promise<void> {
    await after(DRAIN_MS);
    child.stdout.destroy();
    child.stderr.destroy();
  }

  async #endsSoon(): Promise<boolean> {
    const hasEnded = this.#closed?.then(() => true) ?? true;
    return await Promise.race([hasEnded, after(GRACE_MS, false, { ref: false })]);
  }
}
