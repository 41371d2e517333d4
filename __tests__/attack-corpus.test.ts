import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/**
 * Attacks and faults that the tests answer by number: of GitHub's API and events (C5), of text that reaches a prompt or
 * a memory (C6), and of what leaves a run (C8). A test that plays one begins its name with the number.
 */
const CORPUS: readonly (readonly [row: string, what: string])[] = [
  ['C5 68', 'a diff that is refused, binary, renamed, empty or too large'],
  ['C5 69', 'payloads with nothing in them, unknown events, deleted accounts and forks'],
  ['C5 70', 'a comment that is refused, too long, on a locked conversation, or created with its answer lost'],
  ['C5 71', 'a push, a closing or an edit while the run is at work'],
  ['C5 72', 'a permission that cannot be asked'],
  ['C5 73', 'merge queues, schedules, and runs that follow another workflow, of forks too'],
  ['C6 74', 'orders in titles, descriptions, names of branches, files and labels, and commit messages'],
  ['C6 75', 'orders that markdown hides'],
  ['C6 76', 'orders in characters that no screen shows'],
  ['C6 77', 'forged ends of fences, roles and tool results'],
  ['C6 78', 'a fork that wants something remembered'],
  ['C6 79', 'a trusted run that reads a stranger’s words'],
  ['C6 80', 'many small lies, and entries that call themselves trusted'],
  ['C6 81', 'a pull request that changes what it is reviewed by'],
  ['C6 82', 'links, submodules and filters in the place of a skill'],
  ['C6 83', 'secrets in other clothes'],
  ['C6 84', 'orders to spend without end'],
  ['C8 94', 'workflow commands in what a model says'],
  ['C8 95', 'answers that look like the files of the runner'],
  ['C8 96', 'images that carry something away'],
  ['C8 97', 'mentions, closing words and commands to other bots'],
  ['C8 98', 'a forged mark of ours in somebody else’s comment'],
  ['C8 99', 'markup that swallows what comes behind it'],
  ['C8 100', 'comments of any length, and text that turns around'],
  ['C8 101', 'a summary of any length'],
  ['C8 102', 'a debug log'],
  ['C8 103', 'outputs that end up in a script'],
];

const NAMES = namesOfTests(import.meta.dirname);

it.each(CORPUS)('%s: %s', (row) => {
  expect(NAMES.filter((name) => name.startsWith(`${row}:`)).length).toBeGreaterThan(0);
});

it('no test of these sections has a number that is not listed', () => {
  const numbers = NAMES.flatMap((name) => /^C[568] \d+(?=:)/.exec(name) ?? []);
  expect([...new Set(numbers)].filter((row) => !CORPUS.some(([listed]) => listed === row))).toEqual([]);
});

/** The texts in quotation marks that begin with the number of a row. */
function namesOfTests(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.test.ts') && entry.name !== 'attack-corpus.test.ts',
  );
  return files.flatMap(({ parentPath, name }) =>
    [...readFileSync(join(parentPath, name), 'utf8').matchAll(/(?<=['"`])C\d \d+:[^\n]*/g)].map(
      ([text]) => text,
    ),
  );
}
