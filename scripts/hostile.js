// Runs the tests that play rows of the corpus of attacks and faults, and prints how each row ended:
//   npm run test:hostile                      runs them alone; dist/ must be built
//   npm run test:hostile -- results FILE...   reads what `npm test -- --results=FILE` wrote, and runs nothing
// The status is not 0 if a row failed or is missing, or if a number is not listed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CORPUS } from '../__tests__/hostile/corpus.ts';
import { formatRow, reportRows, unlistedRows } from '../__tests__/hostile/rows.ts';

const ROOT = join(import.meta.dirname, '..');
const [word, ...files] = process.argv.slice(2);
let isClean = true;
const tests = word === 'results' ? files.flatMap(readResults) : runAlone();
const sources = {
  corpus: CORPUS,
  tests,
  security: readFileSync(join(ROOT, 'SECURITY.md'), 'utf8'),
};
const rows = reportRows(sources);
const unlisted = unlistedRows(sources);
for (const row of rows) process.stdout.write(`${formatRow(row)}\n`);
for (const row of unlisted)
  process.stdout.write(`${row.padEnd(6)}  is not in __tests__/hostile/corpus.ts\n`);
const isPlayed = rows.every(({ state }) => state === 'passed' || state === 'named');
process.exit(isClean && isPlayed && unlisted.length === 0 ? 0 : 1);

function runAlone() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-hostile-'));
  const file = join(folder, 'results.json');
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const chosen = [
    '--testNamePattern',
    'C\\d+ \\d+: ',
    '--json',
    `--outputFile=${file}`,
    '--runTestsByPath',
  ];
  try {
    const { status } = spawnSync(
      process.execPath,
      ['--experimental-vm-modules', '--no-warnings', jest, ...chosen, ...numberedFiles()],
      { stdio: 'inherit', cwd: ROOT },
    );
    // A suite that cannot even be loaded reports no test.
    isClean = status === 0;
    return readResults(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tests in a results file of Jest. */
function readResults(file) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

/** The test files that hold numbered titles, or that import a file that does. */
function numberedFiles() {
  const texts = new Map(
    readdirSync(join(ROOT, '__tests__'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
  const numbered = new Set(
    [...texts.keys()].filter((path) => /['"`]C\d+ \d+: /.test(texts.get(path))),
  );
  for (const path of numbered)
    for (const [other, text] of texts)
      if (importsOf(other, text).includes(path)) numbered.add(other);
  return [...numbered].filter((path) => path.endsWith('.test.ts')).sort();
}

function importsOf(path, text) {
  return [...text.matchAll(/from '(\.{1,2}\/[^']+)\.js'/g)].map(([, to]) =>
    resolve(dirname(path), `${to}.ts`),
  );
}
