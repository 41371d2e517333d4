import { expect, it } from '@jest/globals';
import { grouped, stepDuration, usd } from '../../../src/lib/text/format.js';

it.each([
  [0, '0'],
  [999, '999'],
  [999.6, '1,000'],
  [24_730, '24,730'],
  [1_200_000, '1,200,000'],
  [-1_234.5, '-1,234'],
  [-0.4, '0'],
])('the digits of %d are grouped', (number, text) => {
  expect(grouped(number)).toBe(text);
});

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [4_230, '4.2 s'],
])('tells a step of %d ms as a person would', (ms, text) => {
  expect(stepDuration(ms)).toBe(text);
});

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
