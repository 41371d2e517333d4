import { describe, expect, it } from '@jest/globals';
import { MAX_CONTEXT_BYTES, MAX_CONTEXT_FILES } from '../../src/lib/defaults.js';
import { createContextBudget, isBinary } from '../../src/prompt/context.js';

describe('isBinary', () => {
  it.each([
    ['nothing', 0, undefined, false],
    ['a NUL at the beginning', 10, 0, true],
    ['a NUL at byte 512', 600, 511, true],
    ['a NUL at byte 513', 600, 512, false],
    ['no NUL', 600, undefined, false],
  ])('returns true for binary content: a file with %s', (_what, length, nul, expected) => {
    const bytes = new Uint8Array(length).fill(0x61);
    if (nul !== undefined) bytes[nul] = 0;
    expect(isBinary(bytes)).toBe(expected);
  });
});

describe('createContextBudget', () => {
  it('leaves out what does not fit and still accepts smaller files after it', () => {
    const budget = createContextBudget();
    expect(budget.take('a', MAX_CONTEXT_BYTES - 10)).toBe(true);
    expect(budget.take('b', 11)).toBe(false);
    expect(budget.take('c', 10)).toBe(true);
    expect(budget.isSpent()).toBe(false);
    expect(budget.warnings()).toMatchObject([{ code: 'context-file-skipped' }]);
    expect(budget.warnings()[0]?.message).toMatch(/^1 context file was left out, .*"b"\./);
  });

  it('C1 11: accepts a limited number of files and counts the rest in one warning', () => {
    const budget = createContextBudget();
    for (let index = 0; index < MAX_CONTEXT_FILES; index += 1) expect(budget.take(`f${index}`, 1)).toBe(true);
    expect(budget.isSpent()).toBe(true);
    for (let index = 0; index < 100_000; index += 1) expect(budget.take(`g${index}`, 0)).toBe(false);
    const [warning, ...others] = budget.warnings();
    expect(others).toEqual([]);
    expect(warning?.message).toContain('100000 context files were left out');
    expect(warning?.message).toContain('"g0", "g1", "g2", "g3", "g4" and 99995 more');
  });
});
