import { expect, it } from '@jest/globals';
import { brokenAnalysis } from '../../../src/axe/gc/analysis.js';

it.each([
  ['Found it.', 'stop', undefined],
  ['', 'stop', 'the analysis is empty, so nothing was trimmed'],
  [' \n', 'stop', 'the analysis is empty, so nothing was trimmed'],
  ['Found', 'length', 'the analysis was cut off, so nothing was trimmed'],
  ['', 'length', 'the analysis was cut off, so nothing was trimmed'],
  ['No.', 'content-filter', 'the model refused the analysis, so nothing was trimmed'],
  ['Found it.', 'error', 'the analysis did not come to an end (error), so nothing was trimmed'],
])('takes %j with the end %s for: %s', (text, finish, message) => {
  expect(brokenAnalysis({ text, finish })?.message).toBe(message);
});
