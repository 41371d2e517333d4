import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { codeSpan, fencedBlock, readSuggestion, withoutOffers } from '../../src/review/suggestion.js';
import { sanitize } from '../../src/safety/sanitize.js';

describe('a suggestion', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['unchanged lines', '  a();\n  b();', '  a();\n  b();'],
    ['one line break at the end less', 'a();\n', 'a();'],
    ['plain line breaks', 'a();\r\nb();\r\n', 'a();\nb();'],
    ['what is in a fence', '```suggestion\na();\n```', 'a();'],
    ['what is in a fence with a language', '```ts\na();\nb();\n```\n', 'a();\nb();'],
    ['a blank line', '\n\n', '\n'],
    ['nothing of an empty text', '', undefined],
    ['nothing of an empty fence', '```\n```', undefined],
    ['nothing if there is none', undefined, undefined],
    ['two fences unchanged', '```\na\n```\n```\nb\n```', '```\na\n```\n```\nb\n```'],
  ])('reads %s', (_, written, expected) => {
    expect(readSuggestion(written, 'a.ts')).toBe(expected);
  });

  it('keeps the fence inside a suggested markdown file', () => {
    expect(readSuggestion('```sh\nnpm test\n```', 'README.md')).toBe('```sh\nnpm test\n```');
    expect(readSuggestion('```suggestion\nnpm test\n```', 'README.md')).toBe('npm test');
  });

  it('is in a fence that it cannot close', () => {
    expect(fencedBlock('a\n```\nb', 'suggestion')).toBe('````suggestion\na\n```\nb\n````');
    const code = fc
      .array(fc.constantFrom('`', '```', '````', '\n', 'a', ' ', '~~~', 'suggestion'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(code, (text) => {
        const [open = '', ...rest] = fencedBlock(text, 'suggestion').split('\n');
        const fence = open.replace('suggestion', '');
        const closing = rest.findIndex(
          (line) => /^ {0,3}`+[ \t]*$/.test(line) && line.trim().length >= fence.length,
        );
        expect(closing).toBe(rest.length - 1);
        expect(rest.slice(0, -1).join('\n')).toBe(text);
      }),
    );
  });

  it('is published unchanged', () => {
    const block = fencedBlock('if (a < b) { /* @octocat fixes #1 */ }\n```\n/deploy', 'suggestion');
    expect(sanitize(block, 'comment', [])).toBe(block);
  });
});

describe('the text of a comment', () => {
  it.each<[string, string]>([
    ['```suggestion\na\n```', '```\na\n```'],
    ['x\n  ~~~~ Suggestion \na\n~~~~', 'x\n  ~~~~\na\n~~~~'],
    ['- ```suggestion:-0+1\n  a\n  ```', '- ```\n  a\n  ```'],
    ['> 1. ````SUGGESTION\n', '> 1. ````\n'],
    ['```ts\na\n```', '```ts\na\n```'],
    ['A suggestion: ```suggestion``` is code', 'A suggestion: ```suggestion``` is code'],
  ])('%j has nothing to commit: %j', (body, expected) => {
    expect(withoutOffers(body)).toBe(expected);
  });
});

it.each<[string, string]>([
  ['a.ts', '`a.ts`'],
  ['a`b', '`` a`b ``'],
  ['``', '``` `` ```'],
])('a code span of %j is %j', (text, expected) => {
  expect(codeSpan(text)).toBe(expected);
});
