import { describe, expect, it } from '@jest/globals';
import {
  brokenAnalysis,
  hasRecommendations,
  recommendationsDigest,
} from '../../../src/memory/gc/analysis.js';

it.each([
  ['Found it.', 'stop', undefined],
  ['', 'stop', 'the analysis is empty, so nothing was trimmed'],
  [' \n', 'stop', 'the analysis is empty, so nothing was trimmed'],
  ['Found', 'length', 'the analysis was cut off, so nothing was trimmed'],
  ['No.', 'content-filter', 'the model refused the analysis, so nothing was trimmed'],
  ['Found it.', 'error', 'the analysis did not come to an end (error), so nothing was trimmed'],
])('an analysis of %j with the end %s is classified: %s', (text, finish, message) => {
  expect(brokenAnalysis({ text, finish })?.message).toBe(message);
});

const analysis = (recommendations: string, patterns = 'x') =>
  `## Patterns Found\n${patterns}\n\n## Repeated Work\ny\n\n## Recommendations\n${recommendations}`;

describe('the recommendations of an analysis', () => {
  it.each([
    [analysis('No specific recommendations.'), false],
    [analysis('- No specific recommendations\n'), false],
    [analysis('No specific recommendations. But look at the tests.'), true],
    [analysis('Write tests.', 'No specific recommendations.'), true],
    ['Write tests.', true],
  ])('are present or absent: %j', (text, isThere) => {
    expect(hasRecommendations(text)).toBe(isThere);
  });

  it('have one digest for the same words', () => {
    const digest = recommendationsDigest(analysis('Write  tests.'));
    expect(digest).toMatch(/^[0-9a-f]{16}$/);
    expect(recommendationsDigest(analysis('write\ntests.\n', 'z'))).toBe(digest);
    expect(recommendationsDigest(analysis('Write more tests.'))).not.toBe(digest);
  });
});
