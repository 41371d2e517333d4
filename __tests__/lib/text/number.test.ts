import { expect, it } from '@jest/globals';
import { duration, grouped, stepDuration } from '../../../src/lib/text/number.js';

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
  [0, '0.0 s'],
  [4_230, '4.2 s'],
  [41_200, '41 s'],
  [119_400, '119 s'],
  [200_000, '3 min 20 s'],
])('%d ms are written for people', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

it.each([
  [0, '0 ms'],
  [12.4, '12 ms'],
  [4_230, '4.2 s'],
])('tells a step of %d ms as a person would', (ms, text) => {
  expect(stepDuration(ms)).toBe(text);
});
