import { describe, expect, it } from '@jest/globals';
import { formatFloat } from '../../src/agent/format-agent.js';

describe('formatFloat', () => {
  it.each([
    [0, '0'],
    [1, '1'],
    [0.3, '0.3'],
    [-3.5, '-3.5'],
    [100_000, '100000'],
    [1_000_000, '1e+06'],
    [1_234_567, '1.234567e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e-7, '1e-07'],
    [1e100, '1e+100'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('prints %p as Go does: %s', (value, text) => {
    expect(formatFloat(value)).toBe(text);
  });
});
