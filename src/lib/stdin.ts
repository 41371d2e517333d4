import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AxeError } from './errors.js';
import { fileError } from './files.js';

/**
 * Standard input to its end; empty for a terminal, `/dev/null` and a closed descriptor, which are no input
 * (axe-behaviour §6). A pipe that nobody closes is waited for until the signal aborts, whose reason is thrown.
 * Throws an AxeError if reading fails.
 */
export async function readStdin(
  stdin: Readable & { readonly fd?: number },
  signal: AbortSignal,
): Promise<string> {
  if (!hasInput(stdin.fd ?? 0)) return '';
  const chunks: Buffer[] = [];
  signal.addEventListener('abort', () => stdin.destroy(new Error('stopped')), { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  } catch (thrown) {
    signal.throwIfAborted();
    const { message } = fileError('read', '/dev/stdin', thrown);
    throw new AxeError(`failed to read stdin: ${message}`, { cause: thrown });
  }
  return Buffer.concat(chunks).toString('utf8');
}

function hasInput(fd: number): boolean {
  try {
    return !fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}
