import { expect, it } from '@jest/globals';
import { formatParams } from '../../src/cli/format-json.js';

it.each([
  [undefined, 0, 'temperature=0, max_tokens=0'],
  [0, 512, 'temperature=0, max_tokens=512'],
  [0.7, 4096, 'temperature=0.7, max_tokens=4096'],
  [1, 1_000_000, 'temperature=1, max_tokens=1000000'],
  [0.1 + 0.2, 1, 'temperature=0.30000000000000004, max_tokens=1'],
  [123_456.5, 0, 'temperature=123456.5, max_tokens=0'],
  [1_000_000, 0, 'temperature=1e+06, max_tokens=0'],
  [0.0001, 0, 'temperature=0.0001, max_tokens=0'],
  [0.00001, 0, 'temperature=1e-05, max_tokens=0'],
  [1e-7, 0, 'temperature=1e-07, max_tokens=0'],
])(
  'a temperature of %p with %p tokens is printed as Go does (axe-behaviour §15)',
  (temperature, maxTokens, text) => {
    expect(formatParams({ temperature, maxTokens, responseFormat: undefined })).toBe(text);
  },
);
