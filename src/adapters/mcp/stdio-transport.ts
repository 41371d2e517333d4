import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { McpServerConfig } from '../../core/agent/config.js';
import { cleanLine } from '../../core/text/cut.js';
import type { LineProgram } from '../../core/tools/files/line-program.js';
import { MAX_MESSAGE_BYTES, MAX_NOISE_LINES } from './limits.js';
import { lostAnswer, type McpTransport, type TransportDependencies } from './transport.js';

/** Longest line of a server that is quoted, in code points. */
const MAX_QUOTE = 200;

/** What says why a program ended, and is no line of its code; else its last lines may. */
const REASON = /(?:error|fatal)\b(?![(;.])/i;
const LAST_LINES = 5;

/**
 * A server that is a program, one JSON message per line (MCP specification, transports, stdio). The client's own
 * transport would hand parts of our environment down and end the program without its children.
 */
export async function createStdioTransport(
  { command, args, env }: McpServerConfig,
  { childEnv, cwd, startProgram }: TransportDependencies,
): Promise<McpTransport> {
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js');
  let program: LineProgram | undefined;
  let isClosing = false;
  let ending: string | undefined;
  let noiseLines = 0;
  let firstNoise = '';
  const waiting = new Set<RequestId>();

  const transport: Transport = {
    async start() {
      program = await startProgram({
        command,
        args,
        env: { ...childEnv, ...env },
        cwd,
        maxLineBytes: MAX_MESSAGE_BYTES,
        onLine: receive,
        onLongLine: miss,
        onEnd: end,
      });
      if (isClosing) await program.stop();
    },
    async send(message) {
      if ('method' in message && 'id' in message) waiting.add(message.id);
      // A program that is about to end refuses its input first; `onclose` tells all who wait.
      await program?.send(JSON.stringify(message)).catch(() => undefined);
    },
    async close() {
      isClosing = true;
      if (program === undefined) transport.onclose?.();
      else await program.stop();
    },
  };

  function receive(line: string): void {
    if (line.trim() === '' || ending !== undefined) return;
    const message = JSONRPCMessageSchema.safeParse(parse(line));
    if (message.success) {
      if (!('method' in message.data) && message.data.id !== undefined) waiting.delete(message.data.id);
      transport.onmessage?.(message.data);
    } else hearNoise(line);
  }

  /** An answer that is too long fails its request: the id stands at one of its ends, else all that wait are meant. */
  function miss(ends: string): void {
    const named = [...waiting].filter((id) => new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`).test(ends));
    for (const id of named.length === 1 ? named : [...waiting]) {
      waiting.delete(id);
      transport.onmessage?.(lostAnswer(id, `its answer is larger than ${MAX_MESSAGE_BYTES} bytes`));
    }
  }

  /** Programs greet on standard output; one that never stops is not a server. */
  function hearNoise(line: string): void {
    if (noiseLines === 0) firstNoise = cleanLine(line.slice(0, 4 * MAX_QUOTE), MAX_QUOTE);
    noiseLines += 1;
    if (noiseLines !== MAX_NOISE_LINES || isClosing) return;
    ending = `it wrote ${MAX_NOISE_LINES} lines that are not messages, the first one: ${firstNoise}`;
    void transport.close();
  }

  function end(reason: string): void {
    if (!isClosing) ending = reason;
    transport.onclose?.();
  }

  function lastOutput(): string {
    const lines = (program?.lastWords() ?? '').split('\n').filter((line) => line.trim() !== '');
    const reason = lines.find((line) => REASON.test(line));
    const said = reason === undefined ? lines.slice(-LAST_LINES) : [reason];
    const words = said.map((line) => cleanLine(line, MAX_QUOTE)).join(' | ');
    if (words !== '') return words;
    return noiseLines === 0 || ending !== undefined ? '' : `${firstNoise} (which is not a message)`;
  }

  return {
    transport,
    ending: () => ending,
    lastWords: lastOutput,
    isFatal: () => false,
    leave: async () => undefined,
  };
}

function parse(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line);
    return value;
  } catch {
    return undefined;
  }
}
