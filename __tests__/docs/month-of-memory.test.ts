import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { MAX_RECALLED_BYTES } from '../../src/lib/defaults.js';
import { describeChoice, recall } from '../../src/memory/recall.js';
import {
  formatEntry,
  formatProvenance,
  parseEntries,
  promptText,
} from '../../src/memory/run-log.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/memory.md'), 'utf8');
const DAY_MS = 24 * 60 * 60 * 1000;

type Review = readonly [title: string, result: string, files: readonly string[]];

/** Reviews of a small service that have nothing to do with its log-in. */
const OTHERS: readonly Review[] = [
  [
    'Cache the price list',
    'The cache has no limit; it is kept, since prices are few.',
    ['src/prices.ts'],
  ],
  ['Update the release notes', 'Fine.', ['CHANGELOG.md']],
  ['Retry the mail server', 'Retries lacked a limit.', ['src/mail.ts', 'src/retry.ts']],
  ['Speed up the search', 'The index is rebuilt on each start.', ['src/search.ts']],
  ['Translate the menu', 'Fine.', ['src/menu.ts', 'src/texts.ts']],
];

/** The others, by the number of their pull request. */
const ABOUT_LOG_IN: ReadonlyMap<number, Review> = new Map([
  [103, ['Compare tokens in constant time', '`==` tells how much is right.', ['src/auth.ts']]],
  [109, ['Let sessions last 12 hours', 'Longer than the import, on purpose.', ['src/session.ts']]],
  [117, ['Log in with a link', 'The link must not be logged.', ['src/auth.ts', 'src/log.ts']]],
  [124, ['Sign out everywhere', 'Ends the sessions of all devices.', ['src/session.ts']]],
  [131, ['Limit failed log-ins', 'Counts by account, not by address.', ['src/auth.ts']]],
  [
    140,
    ['Store sessions in Redis', 'Keys end with the session.', ['src/session.ts', 'src/redis.ts']],
  ],
  [152, ['Check tokens before the body is read', 'Every route relies on it.', ['src/auth.ts']]],
]);

/** The 62 reviews of February 2026. */
function month(): string {
  const entries = Array.from({ length: 62 }, (_, index) => {
    const number = 101 + index;
    const [title, result, files] = ABOUT_LOG_IN.get(number) ?? OTHERS[index % OTHERS.length] ?? [];
    const about = 'Read the change, its callers and the tests of the files. '.repeat(3);
    return formatEntry({
      timestamp: new Date(Date.UTC(2026, 1, 1, 9) + Math.floor((index * 28 * DAY_MS) / 62)),
      task: `Review pull request #${number}: ${title}`,
      result: `Posted a review on #${number}: 1 finding.\n${result} ${about}`.trim(),
      provenance: formatProvenance({ id: `01kg${index}`, on: `#${number}`, files }),
    });
  });
  return entries.join('');
}

it('the page of memory shows what a review after a month is given', () => {
  const subject = { on: '#163', paths: ['src/auth.ts', 'src/session.ts'], words: [] };
  const chosen = recall(month(), subject, MAX_RECALLED_BYTES);
  const titles = parseEntries(promptText(chosen.text)).map(({ text }) => {
    const [, day = '', title = ''] =
      /^## \d{4}-(\d\d-\d\d)T[^\n]*\n\*\*Task:\*\* ([^\n]*)/.exec(text) ?? [];
    return `${day}  ${title}`;
  });
  const shown = [describeChoice(chosen, subject, true), '', ...titles].join('\n');
  expect(PAGE).toContain(`\`\`\`text\n${shown}\n\`\`\``);
});
