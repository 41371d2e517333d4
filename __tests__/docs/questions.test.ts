import { expect, it } from '@jest/globals';
import { cellsOf, markedTable, readDocument, sectionOf } from '../helpers/documents.js';

/** What people ask, where the answer is, and words that the section there has. */
const ANSWERS: readonly (readonly [question: string, target: string, phrase: string])[] = [
  ['another comment', 'reviews.md#what-is-posted', 'if something was raised, closed or came back'],
  ['after a rebase', 'reviews.md#what-a-second-review-looks-at', 'only if its patch differs'],
  ['nits on old code', 'reviews.md#what-is-posted', 'Faults outside of the diff'],
  ['provider has a limit', 'cost-and-limits.md#stay-green-when-the-provider-fails', 'fail-on:'],
  ['stop it on one pull request', 'events.md#commands-in-comments', '`/axe pause`'],
  ['only when somebody asks', 'events.md#run-it-only-when-asked', 'Remove `pull_request:`'],
  ['docs only', 'reviews.md#which-files', 'one of docs only, ends `skipped`'],
  ['generated files', 'reviews.md#which-files', 'Generated, vendored, lock and binary files'],
  ['Azure', 'models.md#use-azure-openai', 'model: azure/'],
  ['Ollama', 'models.md#a-small-context-window', 'ollama serve'],
  ['Dependabot', 'forks-and-bots.md#let-bots-in', 'Secrets and variables → Dependabot'],
  ['review forks', 'forks-and-bots.md#review-forks', 'set the label `review`'],
  ['subscription', 'models.md#keys', "can't be used"],
  ['remember nothing', 'memory.md#where-memory-lives', 'for this pull request only'],
  ['poisoned', 'memory.md#see-it-correct-it-remove-it', 'Removes an entry for good'],
  [
    'adds the workflow',
    'getting-started.md#3-merge-it-and-open-a-pull-request',
    'is reviewed, but',
  ],
  ['large pull requests', 'reviews.md#how-thoroughly-it-reviews', 'are read in parts'],
  ['description', 'migrate.md#from-pr-agent-or-qodo-merge', '**not possible**'],
  ['How long', 'cost-and-limits.md#other-costs', 'takes about a second'],
  ['approve or merge', 'security.md#what-it-can-and-cannot-do', 'approve, merge'],
  ['memory public', 'memory.md', 'public repository is public'],
  ['read-only tokens', 'events.md#permissions', 'is read-only'],
  ['start our CI', 'memory.md#where-memory-lives', 'starts no workflow'],
  ['two reviewers', 'agents.md#two-reviewers-on-one-pull-request', 'belong to one agent'],
  ['by hand', 'events.md#run-it-only-when-asked', 'gh pr comment 123'],
  ['required check', 'reviews.md#the-check', 'check-run: true'],
  ['monorepo', 'memory.md#share-one-store', 'package of a monorepo'],
  ['my code go', 'security.md#what-it-can-and-cannot-do', 'Where your code goes'],
  [
    'Who maintains it',
    '../CONTRIBUTING.md#support-and-versions',
    'Fixes go into the newest release',
  ],
  ['pin and verify', '../SECURITY.md#how-a-release-is-verified', 'gh attestation verify'],
];

const [, ...ROWS] = markedTable('docs/questions.md', 'questions');

it.each(ANSWERS)('the question “%s” is answered at %s', (question, target, phrase) => {
  const rows = ROWS.filter(([asked]) => asked?.includes(question));
  expect(rows.map(([, answer]) => answer?.includes(`](${target})`))).toEqual([true]);
  const [page = '', section] = target.split('#');
  const text = readDocument(page.replace(/^(?:\.\.\/)?/, (up) => (up === '' ? 'docs/' : '')));
  expect(section === undefined ? text : sectionOf(text, section)).toContain(phrase);
});

it('no question is without a place that answers it', () => {
  const isKnown = (row: string) => ANSWERS.some(([question]) => row.includes(question));
  expect(ROWS.filter(([asked = '']) => !isKnown(asked))).toEqual([]);
  expect(ROWS).toHaveLength(ANSWERS.length);
});

it('ten words are explained, each in one line', () => {
  const words = sectionOf(readDocument('docs/questions.md'), 'ten-words').split('\n').map(cellsOf);
  expect(words.filter(({ length }) => length > 0)).toHaveLength(12);
});
