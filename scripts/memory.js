// Asks what memory promises, and prints a line for each promise; the status is 0 only if all are kept.
// It starts the built dist/:
//   npm run test:memory [-- --repo PATH …]
// Each line counts the tests of one promise. For the checkouts that are named it also replays their
// histories, as `npm run recall` does: one repository scatters by a few percent, so name several.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** The tests of each promise: a file of `__tests__`, and how the test's title begins. */
const PROMISES = {
  'A1: a review is given the entries about its change; `last_n` is axe’s': [
    ['memory/recall', 'recall gives the newest three, and seven'],
    ['memory/recall', 'recall fills up with the newest'],
    ['memory/recall', 'recall counts a rare path'],
    ['memory/recall', 'recall gives whole entries within the room'],
    ['run/recall', 'a run about a change is given'],
    ['run/recall', 'an agent with `last_n` gets'],
    ['memory/run-log', 'lastEntries returns'],
    ['memory/run-log', 'any content of an entry looks the same to axe'],
  ],
  'A2: an entry is found by its paths, and one of each pull request': [
    ['memory/recall', 'recall gives one entry of each pull request'],
    ['memory/recall', 'recall passes over computed entries'],
    ['memory/recall', 'recall finds the entry that lists the path'],
    ['memory/recall', 'recall finds entries by hand that name a path'],
    ['memory/run-log', 'formatProvenance marks a computed entry'],
    ['memory/run-log', 'formatProvenance reads back a path'],
    ['run/recall', 'the computed entry of a run with strangers’ words has no files'],
  ],
  'A3: a fact is given while its line is there, and not after': [
    ['memory/citations', 'a note that rests on a line of code'],
    ['memory/citations', 'nothing whose line is not there reaches the prompt'],
    ['run/base-code', 'the base'],
  ],
  'A4: no run on another branch calls a fact outdated': [
    ['memory/citations', 'a note that rests on a line of code is not called gone'],
    ['run/base-code', 'the base that notes are held against calls nothing outdated'],
    ['run/base-code', 'the base on somebody’s own machine calls nothing outdated'],
    ['run/gc/gc-memory', 'the notes of an agent, in garbage collection'],
  ],
  'A5: a review keeps two facts with their source, and is given 4 KiB': [
    ['tools/memory/facts-tool', 'the facts that a review keeps'],
    ['memory/notes/facts', 'the facts of a review of 300'],
    ['run/facts', 'the built-in reviewer is given facts'],
  ],
  'A6: gc learns from the comments of maintainers alone': [
    ['github/reading/review-remarks', ''],
    ['run/gc/learning', 'proposed rules'],
    [
      'transcripts/garbage-collection-in-a-workflow-trims-and-suggests-once',
      'what is suggested the built-in reviewer gets rules',
    ],
  ],
  'A7: a run reads the end of a log, and saves in one request': [
    ['memory/stores/read-log', 'the end of a log is read in blocks'],
    ['memory/stores/branch/branch-store', 'the calls to GitHub are one read and one commit'],
    [
      'transcripts/the-first-run-makes-the-memory-branch-and-the-next-run-is-given-its-entry',
      'the first run reports the new branch',
    ],
    ['transcripts/a-failed-first-read-costs-no-entry', 'on the branch, a first read that is not'],
  ],
  'A8: a request that fails costs no entry': [
    ['transcripts/a-failed-first-read-costs-no-entry', 'on the branch, a first read that'],
    ['transcripts/a-failed-first-read-costs-no-entry', 'in the cache, a first read that fails'],
    ['memory/stores/branch/branch-store', 'on a branch whatever one of'],
    ['memory/stores/branch/branch-store', 'on a new branch whatever one of'],
    ['memory/stores/cache/cache-store', 'whichever call to'],
    [
      'memory/stores/file/file-store',
      'messages have axe’s text (transcript 11) for a file that can be written and not read',
    ],
  ],
  'A9: an entry is two paragraphs, and without its comment axe’s bytes': [
    ['memory/run-log', 'an entry is shown with its task and its result'],
    ['memory/run-log', 'an entry of a run has axe’s recorded bytes'],
    ['memory/run-log', 'an entry that we computed has axe’s recorded bytes'],
  ],
};

/** What the replays of histories have to show, in percent. */
const FIGURES = {
  A1: [
    { words: [], name: 'blame', find: /^chosen:.* blame [^(]*\((\d+) of (\d+)\)/gm, least: 80 },
    { words: [], name: 'SZZ', find: /^chosen:.* SZZ [^(]*\((\d+) of (\d+)\)/gm, least: 75 },
  ],
  A3: [
    {
      words: ['--facts'],
      name: 'living right',
      find: /living right [^(]*\((\d+) of (\d+)\)/g,
      least: 98,
    },
    {
      words: ['--facts'],
      name: 'dead given',
      find: /dead given [^(]*\((\d+) of (\d+)\)/g,
      most: 1,
    },
  ],
};

/** What replays print above the figures that count: there a line that was put back is there. */
const TRUTH = 'Truth by the two ends:';

const { values } = parseArgs({
  options: { repo: { type: 'string', multiple: true, default: [] } },
});
const { status, files } = runTests();
const replays = new Map();
const lines = Object.entries(PROMISES).map(([promise, tests]) => {
  const asked = tests.map((test) => ({ test, rows: rowsOf(test) }));
  const rows = [...new Set(asked.flatMap((answer) => answer.rows))];
  const kept = rows.filter((row) => row.status === 'passed');
  const missing = asked.filter((answer) => answer.rows.length === 0);
  const figures = (FIGURES[promise.slice(0, 2)] ?? []).flatMap(figureOf);
  const isKept =
    kept.length === rows.length && missing.length === 0 && figures.every(({ isMet }) => isMet);
  const broken = rows.filter((row) => !kept.includes(row)).map(({ fullName }) => fullName);
  const none = missing.map(({ test }) => `no test: ${test.join(': ')}`);
  const text = [
    `${promise}: ${kept.length} of ${rows.length}${isKept ? '' : ', not so'}`,
    ...figures.map((figure) => figure.text),
    ...broken,
    ...none,
  ].join('\n  ');
  return { isKept, text };
});
process.stdout.write(`${lines.map(({ text }) => text).join('\n')}\n`);
process.exit(status === 0 && lines.every(({ isKept }) => isKept) ? 0 : 1);

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-memory-'));
  const results = join(folder, 'results.json');
  const suites = new Set(Object.values(PROMISES).flatMap((tests) => tests.map(([file]) => file)));
  const run = spawnSync(
    process.execPath,
    [
      join(import.meta.dirname, 'test.js'),
      ...[...suites].map((file) => `__tests__/${file}.test.ts`),
      ...['--json', `--outputFile=${results}`, '--silent'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const reported = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true, force: true });
  return { status: run.status, files: reported };
}

function rowsOf([suite, start]) {
  const { assertionResults = [] } =
    files.find(({ name }) => name.endsWith(`/__tests__/${suite}.test.ts`)) ?? {};
  return assertionResults.filter(({ fullName }) => fullName.startsWith(start));
}

/** A figure of all named checkouts together; none without a checkout. */
function figureOf({ words, name, find, least = 0, most = 100 }) {
  if (values.repo.length === 0) return [];
  const text = values.repo.map((repo) => replay(repo, words).split(TRUTH).at(-1)).join('');
  const counts = [...text.matchAll(find)];
  const [some, all] = [1, 2].map((at) => counts.reduce((sum, count) => sum + Number(count[at]), 0));
  const percent = all === 0 ? 0 : (100 * some) / all;
  const isMet = all > 0 && percent >= least && percent <= most;
  const wanted = least > 0 ? `at least ${least} %` : `at most ${most} %`;
  return [{ isMet, text: `${name} ${percent.toFixed(1)} % (${some} of ${all}), ${wanted}` }];
}

function replay(repo, words) {
  const key = [repo, ...words].join(' ');
  if (!replays.has(key)) {
    const script = join(import.meta.dirname, 'recall.js');
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
    const { stdout } = spawnSync(process.execPath, [script, '--repo', repo, ...words], options);
    replays.set(key, stdout);
  }
  return replays.get(key);
}
