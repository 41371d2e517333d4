import { fstatSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AxeError, messageOf } from '../axe/errors.js';

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
  try {
    signal.throwIfAborted();
    for await (const chunk of abortable(stdin, signal)) chunks.push(Buffer.from(chunk));
  } catch (thrown) {
    signal.throwIfAborted();
    throw new AxeError(`failed to read stdin: ${messageOf(thrown)}`, { cause: thrown });
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

/** The stream's chunks; ends with the signal's reason when it aborts, even in the middle of a wait. */
function abortable(stdin: Readable, signal: AbortSignal): AsyncIterable<Buffer | string> {
  signal.addEventListener('abort', () => stdin.destroy(new Error('aborted')), { once: true });
  return stdin;
}
