import { expect, it } from '@jest/globals';
import { usd } from '../../../src/lib/text/number.js';

it.each([
  ['nothing', 0, '$0.00'],
  ['cents', 0.2, '$0.20'],
  ['less than cents', 0.0012, '$0.0012'],
  ['parts of cents', 0.405, '$0.405'],
  ['what sums of binary fractions leave', 0.5 - 0.405, '$0.095'],
  ['millionths', 0.000_001, '$0.000001'],
  ['dollars', 12, '$12.00'],
  ['dollars and parts of cents', 12.345, '$12.35'],
])('an amount of %s is written', (_, amount, text) => {
  expect(usd(amount)).toBe(text);
});
