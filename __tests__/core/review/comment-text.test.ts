import { describe, expect, it } from '@jest/globals';
import { commentText } from '../../../src/core/review/comment-text.js';
import type { Finding } from '../../../src/core/review/finding.js';
import { placed } from './change.js';

describe('the text of a comment', () => {
  it.each<[string, Partial<Finding>, string]>([
    ['is what was found', {}, 'B'],
    ['says which line it is about', { line: 20 }, '(about line 20)\n\nB'],
    ['says which lines it is about', { startLine: 13, line: 20 }, '(about lines 13-20)\n\nB'],
    ['says that a line is gone', { line: 20, side: 'LEFT' }, '(about line 20 of the old version)\n\nB'],
    ['offers a suggestion', { suggestion: 'x' }, 'B\n\n```suggestion\nx\n```'],
    ['offers one for a range', { startLine: 8, suggestion: 'x' }, 'B\n\n```suggestion\nx\n```'],
    [
      'shows one for a removed line as code',
      { line: 40, side: 'LEFT', suggestion: 'x' },
      'B\n\nSuggested:\n\n```\nx\n```',
    ],
    [
      'shows one for a line that was moved as code',
      { line: 20, suggestion: 'x' },
      '(about line 20)\n\nB\n\nSuggested:\n\n```\nx\n```',
    ],
    [
      'shows one for a range that was cut as code',
      { startLine: 12, line: 40, suggestion: 'x' },
      'B\n\nSuggested:\n\n```\nx\n```',
    ],
    [
      'shows one without a line as code',
      { path: 'other.ts', suggestion: 'x' },
      'B\n\nSuggested:\n\n```\nx\n```',
    ],
  ])('%s', (_, parts, expected) => {
    expect(commentText(placed({ body: 'B', ...parts }), (text) => text)).toBe(expected);
  });
});
