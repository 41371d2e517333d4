import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import plain from '../../node_modules/fast-check/lib/fast-check.js';

const ANY = fc.property(fc.nat(), () => {});
const factor = Number(process.env['PROPERTY_RUNS'] || 1);

it.each([{ seed: 1 }, { path: '1:0' }])('a property cannot set %j for itself', (settings) => {
  expect(() => fc.assert(ANY, settings)).toThrow('PROPERTY_SEED');
});

it('a property draws the configured number of values, times the factor, and logs it after it held', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'properties-'));
  const before = process.env['PROPERTY_LOG'];
  process.env['PROPERTY_LOG'] = join(folder, 'log');
  try {
    let draws = 0;
    const counting = fc.asyncProperty(fc.nat(), async () => {
      draws += 1;
    });
    await fc.assert(counting, { numRuns: 7 });
    expect(draws).toBe(7 * factor);
    const failing = fc.property(fc.nat(), () => false);
    expect(() => fc.assert(failing)).toThrow('Property failed');
    const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { draws, test: expect.stringContaining('a property draws'), testPath: import.meta.filename },
    ]);
  } finally {
    if (before === undefined) delete process.env['PROPERTY_LOG'];
    else process.env['PROPERTY_LOG'] = before;
    rmSync(folder, { recursive: true });
  }
});

describe("a text of any characters is drawn as by fast-check's own arbitrary", () => {
  const settings = { seed: 7, numRuns: 300 };

  it.each([
    {},
    { unit: 'binary' },
    { unit: 'binary', maxLength: 3 },
    { unit: 'binary', minLength: 5, maxLength: 40, size: 'max' },
    { unit: 'grapheme' },
  ] as const)('%j', (constraints) => {
    const drawn = fc.sample(fc.string(constraints), settings);
    expect(drawn).toEqual(fc.sample(plain.string(constraints), settings));
    expect(new Set(drawn).size).toBeGreaterThan(100);
  });

  it.each(['', 'aé\u{1F600}\u{10FFFF}', '\uD7FF\uE000', '__proto__', '\uD800', 'a\uDC00', 1])(
    'and shrinks the same values: %j',
    (value) => {
      const constraints = { unit: 'binary' } as const;
      expect(fc.string(constraints).canShrinkWithoutContext(value)).toBe(
        plain.string(constraints).canShrinkWithoutContext(value),
      );
    },
  );
});
