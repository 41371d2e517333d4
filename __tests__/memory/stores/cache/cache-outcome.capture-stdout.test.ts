import { describe, expect, it } from '@jest/globals';
import { createCapture } from '../../../../src/memory/stores/cache/cache-outcome.js';

/** An output that keeps what reaches it. */
function fakeOutput() {
  const chunks: string[] = [];
  const write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  return { output: { write } as { write: NodeJS.WriteStream['write'] }, written: () => chunks.join('') };
}

describe('the output of a captured call', () => {
  it('is separated from the output of others, and from its own output after it was abandoned', async () => {
    const { output, written } = fakeOutput();
    const capture = createCapture(output);
    const [begun, ready] = [deferred(), deferred()];
    const pending = capture(async () => {
      output.write('mine\n');
      begun.resolve();
      await ready.promise;
      output.write('::warning::late\n');
      throw new Error('boom');
    });
    await begun.promise;
    output.write('::warning::theirs\n');
    ready.resolve();
    expect(await pending).toEqual({
      result: { kind: 'threw', error: new Error('boom') },
      lines: ['mine', '::warning::late'],
    });
    expect(written()).toBe('::warning::theirs\n');
  });

  it('is given back after captures that do not end in the order in which they began', async () => {
    const { output, written } = fakeOutput();
    const [first, second] = [createCapture(output), createCapture(output)];
    const [firstReady, secondReady] = [deferred(), deferred()];
    const firstEnd = first(() => firstReady.promise);
    const secondEnd = second(async () => {
      await secondReady.promise;
      output.write('kept back\n');
    });
    firstReady.resolve();
    await firstEnd;
    secondReady.resolve();
    expect((await secondEnd).lines).toEqual(['kept back']);
    expect((await first(async () => void output.write('too\n'))).lines).toEqual(['too']);
    output.write('shown\n');
    expect(written()).toBe('shown\n');
  });
});

function deferred(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((defer) => {
    resolve = defer;
  });
  return { promise, resolve: () => resolve() };
}
