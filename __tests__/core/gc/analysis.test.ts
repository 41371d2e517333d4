import { expect, it } from '@jest/globals';
import { brokenAnalysis } from '../../../src/core/gc/analysis.js';

it.each([
  ['Found it.', 'stop', undefined, undefined],
  ['', 'stop', 'the analysis is empty, so nothing was trimmed', false],
  [' \n', 'stop', 'the analysis is empty, so nothing was trimmed', false],
  ['Found', 'length', 'the analysis was cut off, so nothing was trimmed', true],
  ['', 'length', 'the analysis was cut off, so nothing was trimmed', false],
  ['No.', 'content-filter', 'the model refused the analysis, so nothing was trimmed', false],
  ['Found it.', 'error', 'the analysis did not come to an end (error), so nothing was trimmed', false],
])('an analysis of %j with the end %s is classified: %s', (text, finish, message, isCut) => {
  const broken = brokenAnalysis({ text, finish });
  expect([broken?.error.message, broken?.isCut]).toEqual([message, isCut]);
});
