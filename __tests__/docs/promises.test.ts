import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readDocument, sectionOf, sentencesOf } from '../helpers/documents.js';

/** A sentence that users rely on, and what holds it. */
interface PromiseRow {
  readonly page: string;
  /** A part of the page, whatever its white space. */
  readonly phrase: string;
  readonly test: string;
  /** Of the test, or of its row in a table. */
  readonly title: string;
  /** The name of a mutant that this test notices. */
  readonly mutant?: string;
}

interface Mutant {
  readonly name?: string;
  readonly tests: string;
}

const ROOT = join(import.meta.dirname, '../..');
const PROMISES: readonly PromiseRow[] = JSON.parse(readDocument('docs/internals/promises.json'));
const MUTANTS: readonly Mutant[] = JSON.parse(readDocument('scripts/mutants.json'));
const PAGE = /^(?:README\.md|SECURITY\.md|action\.yml|docs\/(?:reference\/)?[\w-]+\.md)$/;

function foldSpaces(text: string): string {
  return text.replace(/\s+/g, ' ');
}

describe.each(PROMISES)('the promise “$phrase” of $page', ({ page, phrase, test, title }) => {
  it('is on its page, in three to ten words', () => {
    expect(page).toMatch(PAGE);
    expect(foldSpaces(readDocument(page))).toContain(phrase);
    expect(phrase).toMatch(/^\S+(?: \S+){2,9}$/);
  });

  it('has its test', () => {
    expect(test).toMatch(/^__tests__\/.*\.test\.ts$/);
    const source = existsSync(join(ROOT, test)) ? readDocument(test) : '';
    const written = [`'${title}'`, `"${title}"`, `\`${title}\``];
    const isThere = written.some((text) => source.includes(text));
    expect(isThere ? title : `${test} has no test of this title`).toBe(title);
  });
});

it('each sentence of the README’s first screen, of its safety, and with “never” or “nothing” is a promise, so it has a test', () => {
  const phrases = PROMISES.filter(({ page }) => page === 'README.md').map(({ phrase }) => phrase);
  const README = readDocument('README.md')
    // Generated: it says "never" until somebody has verified it.
    .replace(/<!-- status -->.*<!-- \/status -->/, '');
  const [first = ''] = README.split('\n## ');
  const safety = sectionOf(README, 'safe-by-construction')
    .split('\n')
    .filter((line) => /^\d\./.test(line));
  const strong = sentencesOf(README).filter(({ text }) => /\b(?:never|nothing)\b/i.test(text));
  const claims = [...sentencesOf(first), ...sentencesOf(safety.join('\n')), ...strong]
    .map(({ text }) => text)
    // A label, such as the name of the project, claims nothing.
    .filter((text) => text.split(' ').length > 2);
  expect(claims.length).toBeGreaterThan(15);
  const isPromised = (text: string) => phrases.some((phrase) => text.includes(phrase));
  expect(claims.filter((text) => !isPromised(text))).toEqual([]);
});

it('each mutant of a promise exists, and is for the test of the promise', () => {
  const named = MUTANTS.flatMap(({ name, tests }) => (name === undefined ? [] : [[name, tests]]));
  const promised = PROMISES.flatMap(({ mutant, test }) =>
    mutant === undefined ? [] : [[mutant, test]],
  );
  expect(promised.toSorted()).toEqual(named.toSorted());
});
