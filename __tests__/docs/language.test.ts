import { describe, expect, it } from '@jest/globals';
import { COMMENT_COMMANDS } from '../../src/event/comment-commands.js';
import { DIALECT } from '../helpers/dialect.js';
import {
  DOCS,
  GENERATED,
  GUIDES,
  RECORDS,
  readDocument,
  type Sentence,
  sentencesOf,
} from '../helpers/documents.js';

const LONGEST = 30;
/** On the pages that a newcomer reads first. */
const LONGEST_AT_FIRST = 25;
const FIRST_PAGES = ['README.md', 'docs/getting-started.md'];

/** Pages for people who use the action, or who decide whether to. */
const FOR_PEOPLE = [
  ...GUIDES,
  ...GENERATED,
  'SECURITY.md',
  'CONTRIBUTING.md',
  'RELEASING.md',
  'docs/reference/differences-from-axe.md',
];

/** A reader who begins here does not know what is meant. */
const POINTS_BACK = /^(?:It|They|One of (?:them|these)|Those|Whoever)\b/;

/** One word for one thing; the others are for those who change the program. */
const OTHER_WORDS = /\bsecond look\b|\bstate file\b|\blanes?\b|\btaint/i;

/** Sentences that were untrue, or that nobody understood; their places say it in other words. */
const NO_LONGER = [
  'you lose what it’s for',
  "you lose what it's for",
  'another conversation for each place',
  'edits files that `changes-allowed` names',
  'known by value or by shape',
  'Many runs can save at once',
  'it pushes nothing else',
  'is about a commit that was reviewed, or',
  "doesn't recognise what was posted under another name",
  'pushes exactly its suggestion',
  'No run goes on without',
  '`memory-repo` can name a private one',
  "can't end a finding because of a stranger's answer",
  'one sentence, never the diff',
  'first six characters',
];

/** What a person reads to know all of it, counted as `wc -w` does. */
const MOST_WORDS = 23_000;
/** Pages that scripts write; the last two exist once somebody has run theirs. */
const WRITTEN_BY_SCRIPTS = [...GENERATED, 'docs/score.md', 'docs/verified-on-github.md'];

it('the pages that people write have at most 23,000 words', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...DOCS].filter(
    (page) => !page.startsWith('docs/internals/') && !WRITTEN_BY_SCRIPTS.includes(page),
  );
  const words = pages.flatMap((page) => readDocument(page).trim().split(/\s+/));
  expect(pages.length).toBeGreaterThan(20);
  expect(words.length).toBeLessThanOrEqual(MOST_WORDS);
});

describe.each([...GUIDES, ...GENERATED, ...RECORDS])('%s', (page) => {
  const sentences = sentencesOf(readDocument(page));
  const longest = FIRST_PAGES.includes(page) ? LONGEST_AT_FIRST : LONGEST;

  it(`has no sentence of more than ${longest} words`, () => {
    expect(placesOf(page, sentences, ({ words }) => words > longest)).toEqual([]);
  });

  it('uses plain words', () => {
    expect(
      placesOf(page, sentences, ({ text }) => DIALECT.some((word) => word.test(text))),
    ).toEqual([]);
  });
});

describe.each(FOR_PEOPLE)('%s, for people', (page) => {
  const markdown = readDocument(page);
  const sentences = sentencesOf(markdown);

  it('begins no paragraph, item or cell with a word that points back', () => {
    expect(
      placesOf(page, sentences, ({ text, begins }) => begins && POINTS_BACK.test(text)),
    ).toEqual([]);
  });

  it('has one word for one thing, and no number that disagrees with its noun', () => {
    expect(placesOf(page, sentences, ({ text }) => OTHER_WORDS.test(text))).toEqual([]);
    expect(placesOf(page, sentences, ({ text }) => /\b1 [a-z]+s\b/.test(text))).toEqual([]);
  });

  it('says nothing that it no longer says', () => {
    const text = markdown.replace(/\s+/g, ' ');
    expect(NO_LONGER.filter((old) => text.includes(old))).toEqual([]);
  });

  it('names commands of comments that exist', () => {
    const known = COMMENT_COMMANDS.map(({ name }) => name);
    const named = [...markdown.matchAll(/`\/axe (\w+)[^`]*`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
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
    '| It | is |',
  ].join('\n');
  expect(
    sentencesOf(markdown).map(({ line, words, text, begins }) => [line, words, text, begins]),
  ).toEqual([
    [1, 2, 'A heading', false],
    [2, 3, 'One two CODE.', true],
    [2, 4, 'Five six seven eight.', false],
    [4, 2, 'Item one', true],
    [5, 2, 'Item two', true],
    [10, 2, 'One cell', false],
    [10, 2, 'CODE two', false],
    [12, 1, 'It', true],
    [12, 1, 'is', true],
  ]);
});

function placesOf(
  page: string,
  sentences: readonly Sentence[],
  isWrong: (sentence: Sentence) => boolean,
): readonly string[] {
  return sentences
    .filter(isWrong)
    .map(({ line, words, text }) => `${page}:${line} (${words} words) ${text}`);
}
