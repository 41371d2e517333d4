import { describe, expect, it } from '@jest/globals';
import { effectiveReserve } from '../../../../src/core/memory/notes/effective-reserve.js';

describe('the reserve', () => {
  it.each<[string | undefined, number]>([
    [undefined, 1000],
    ['tiny', 1001],
    ['', 1001],
    ['a'.repeat(400), 1100],
    ['日本語日本語日本語日', 1009],
  ])('with %j from memory is %i', (memory, tokens) => {
    expect(effectiveReserve(1000, memory)).toBe(tokens);
  });
});
