import { describe, expect, it } from '@jest/globals';
import { DIALECT } from '../helpers/dialect.js';
import { GENERATED, GUIDES, RECORDS, readDocument, sentencesOf } from '../helpers/documents.js';

const LONGEST = 30;

describe.each([...GUIDES, ...GENERATED, ...RECORDS])('%s', (page) => {
  const sentences = sentencesOf(readDocument(page));

  it(`has no sentence of more than ${LONGEST} words`, () => {
    const long = sentences.filter(({ words }) => words > LONGEST);
    expect(long.map(({ line, words, text }) => `${page}:${line} (${words} words) ${text}`)).toEqual(
      [],
    );
  });

  it('uses plain words', () => {
    const found = sentences.filter(({ text }) => DIALECT.some((word) => word.test(text)));
    expect(found.map(({ line, text }) => `${page}:${line} ${text}`)).toEqual([]);
  });
});

it('sentences end at a full stop, a list item, a cell and a heading, and code counts as one word', () => {
  const markdown = [
    '# A heading',
    'One two `three four`. Five',
    'six [seven eight](https://x.y/z).',
    '- Item one',
    '- Item two',
    '',
    '```sh',
    'not a sentence',
    '```',
    '| One cell | `a \\| b` two |',
    '| --- | --- |',
  ].join('\n');
  expect(sentencesOf(markdown).map(({ line, words, text }) => [line, words, text])).toEqual([
    [1, 2, 'A heading'],
    [2, 3, 'One two CODE.'],
    [2, 4, 'Five six seven eight.'],
    [4, 2, 'Item one'],
    [5, 2, 'Item two'],
    [10, 2, 'One cell'],
    [10, 2, 'CODE two'],
  ]);
});
