import { expect, it } from '@jest/globals';
import { isBinary } from '../../src/lib/text/bytes.js';

it.each([
  ['nothing', 0, undefined, false],
  ['a NUL at the beginning', 10, 0, true],
  ['a NUL at byte 512', 600, 511, true],
  ['a NUL at byte 513', 600, 512, false],
  ['no NUL', 600, undefined, false],
])('isBinary returns true for binary content: a file with %s', (_what, length, nul, expected) => {
  const bytes = new Uint8Array(length).fill(0x61);
  if (nul !== undefined) bytes[nul] = 0;
  expect(isBinary(bytes)).toBe(expected);
});
