import { AsyncLocalStorage } from 'node:async_hooks';

/** What a call gave, and the lines it printed. */
export interface Captured<T> {
  readonly result:
    | { readonly kind: 'returned'; readonly value: T }
    | { readonly kind: 'threw'; readonly error: unknown };
  readonly lines: readonly string[];
}

/**
 * Runs a call and keeps what it prints to standard output. `watch` sees each text before the call goes on; what it
 * throws, the call meets where it prints.
 */
export type CaptureStdout = <T>(
  call: () => Promise<T>,
  watch?: (text: string) => void,
) => Promise<Captured<T>>;

/** Something that can be written to, as `process.stdout`. */
export type Output = Pick<NodeJS.WriteStream, 'write'>;

/** Masks have to reach the runner, whoever sets them. */
const PASSED_ON = '::add-mask::';

interface Printed {
  readonly chunks: string[];
  readonly watch: ((text: string) => void) | undefined;
}

/**
 * Captures by who prints, not by when: only what the call itself (and what it started) writes is kept back, lines
 * that others print meanwhile go their way. `write` is put back after the last call, whatever happens.
 */
export function createCapture(output: Output): CaptureStdout {
  const current = new AsyncLocalStorage<Printed>();
  let original = output.write;
  let running = 0;

  return async (call, watch) => {
    const chunks: string[] = [];
    running += 1;
    if (running === 1) {
      original = output.write;
      output.write = divert;
    }
    try {
      const value = await current.run({ chunks, watch }, call);
      return { result: { kind: 'returned', value }, lines: toLines(chunks) };
    } catch (error) {
      return { result: { kind: 'threw', error }, lines: toLines(chunks) };
    } finally {
      running -= 1;
      if (running === 0) output.write = original;
    }
  };

  function divert(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean {
    const printed = current.getStore();
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const finished = typeof encoding === 'function' ? encoding : done;
    if (printed === undefined || text.startsWith(PASSED_ON)) {
      return original.call(output, chunk, typeof encoding === 'string' ? encoding : undefined, finished);
    }
    printed.chunks.push(text);
    finished?.();
    printed.watch?.(text);
    return true;
  }
}

function toLines(chunks: readonly string[]): readonly string[] {
  return chunks
    .join('')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}
