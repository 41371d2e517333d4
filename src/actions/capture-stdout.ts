import { AsyncLocalStorage } from 'node:async_hooks';

/** What a call gave, and the lines it printed. */
export interface Captured<T> {
  readonly result:
    | { readonly kind: 'returned'; readonly value: T }
    | { readonly kind: 'threw'; readonly error: unknown };
  readonly lines: readonly string[];
}

/** Runs a call and keeps what it prints to standard output. */
export type CaptureStdout = <T>(call: () => Promise<T>) => Promise<Captured<T>>;

/** Something that can be written to, as `process.stdout`. */
export type Output = Pick<NodeJS.WriteStream, 'write'>;

/** Masks have to reach the runner, whoever sets them. */
const PASSED_ON = '::add-mask::';

/**
 * Captures by who prints, not by when: only what the call itself (and what it started) writes is kept back, lines
 * that others print meanwhile go their way. `write` is put back after the last call, whatever happens.
 */
export function createCapture(output: Output): CaptureStdout {
  const current = new AsyncLocalStorage<string[]>();
  let original = output.write;
  let running = 0;

  return async (call) => {
    const chunks: string[] = [];
    running += 1;
    if (running === 1) {
      original = output.write;
      output.write = divert;
    }
    try {
      const value = await current.run(chunks, call);
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
    const chunks = current.getStore();
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const finished = typeof encoding === 'function' ? encoding : done;
    if (chunks === undefined || text.startsWith(PASSED_ON)) {
      return original.call(output, chunk, typeof encoding === 'string' ? encoding : undefined, finished);
    }
    chunks.push(text);
    finished?.();
    return true;
  }
}

function toLines(chunks: readonly string[]): readonly string[] {
  return chunks
    .join('')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}
