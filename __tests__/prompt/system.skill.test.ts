import { describe, expect, it } from '@jest/globals';
import { skillBody } from '../../src/prompt/system.js';

describe('skillBody', () => {
  it.each([
    [
      'front matter and the blank line behind it',
      '---\nname: review\ndescription: Reviews.\n---\n\n# Review\n',
      '# Review\n',
    ],
    [
      'front matter with lists and continued lines',
      '---\nname: x\ntools:\n  - a\n  - b\nabout: >\n  two\n  lines\n---\nGo.',
      'Go.',
    ],
    ['front matter with Windows line ends', '---\r\nname: x\r\n---\r\nGo.\r\n', 'Go.\r\n'],
    ['front matter alone', '---\nname: x\n---', ''],
  ])('leaves out %s', (_what, text, body) => {
    expect(skillBody(text)).toBe(body);
  });

  it.each([
    ['no front matter', '# Review\n\n---\n\nname: x\n'],
    ['a rule at the top', '---\n\n# Review\n\n---\nmore\n'],
    ['front matter that is never closed', '---\nname: x\n# Review\n'],
    ['an empty file', ''],
    ['a text between two rules', '---\nJust a sentence: with a colon\n---\n'],
  ])('returns a skill with %s whole', (_what, text) => {
    expect(skillBody(text)).toBe(text);
  });
});
