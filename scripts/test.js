// Runs jest on the Node that runs this script (npm puts the installed Node 24 first) and says which
// it is:
//   npm test               all tests but those that start the built dist/ or wait for minutes
//   npm test -- portable   of these, the suites whose first line does not say that they need Linux
//   npm test -- WORD …     the suites with such a word in their path; options are jest's own
//   npm run test:dist      the tests that start the built dist/, which must be built; words as above
//   npm run test:slow      the tests that wait for minutes
// `--results=FILE` also writes there what Jest reports of each test, for `npm run test:hostile`.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const { buildArgv } = require('jest');

/** Folders whose tests start programs by the dozen. */
const DIST = ['__tests__/transcripts', '__tests__/races'];

/** Such tests often wait for their programs, so there is one worker more than cores by default. */
const DIST_WORKERS = `--maxWorkers=${availableParallelism() + 1}`;

/** Tests that wait for minutes on purpose; `.ci/run` starts them first, next to everything else. */
const SLOW = '__tests__/slow';

/** What the configuration leaves out; a pattern given here takes the place of its own. */
const NO_TESTS = ['/node_modules/', '__tests__/golden/axe/', '__tests__/fixtures/'];

const SUITES = globSync('__tests__/**/*.test.ts', { cwd: ROOT }).filter(
  (path) => !NO_TESTS.some((pattern) => `/${path}`.includes(pattern)),
);

/** How a suite begins that only Linux can run; the reason follows. */
const LINUX_ONLY = '// linux-only: ';

/**
 * Each core has a worker, so further threads that collect garbage would only wait. More room means
 * fewer rounds.
 */
const V8 = ['--single-threaded-gc', '--max-semi-space-size=32'];

const RESULTS = '--results=';

const given = process.argv.slice(2);
const words = given.filter((word) => !word.startsWith(RESULTS));
const kind = ['dist', 'portable'].includes(words[0]) ? words[0] : undefined;
const jestWords = kind === undefined ? words : words.slice(1);
const patterns = await readPatterns();

const unknown = patterns.filter((pattern) => !SUITES.some((path) => isIn(path, pattern)));
if (unknown.length > 0) {
  process.stderr.write(`No test file has this in its path: ${unknown.join(', ')}\n`);
  process.exit(2);
}

const duration = words.length === 0 ? ', for about five minutes on two cores' : '';
process.stdout.write(`Tests run on Node ${process.version}${duration}\n`);

const jest = require.resolve('jest/bin/jest');
const result = spawnSync(
  process.execPath,
  [
    ...V8,
    '--experimental-vm-modules',
    '--no-warnings',
    jest,
    ...jestArguments(),
    ...resultsArguments(),
  ],
  { stdio: 'inherit' },
);
process.exit(result.status ?? 1);

/** Jest's own parser says which words are options and their values; jest refuses unknown options. */
async function readPatterns() {
  const parsed = await buildArgv(jestWords).catch(() => ({ _: [] }));
  // With it the words are source files.
  if (parsed.findRelatedTests) return [];

  return parsed._.map(String);
}

/** Jest takes a word as a regular expression; where it is none, jest would run all tests. */
function isIn(path, pattern) {
  const whole = pattern.startsWith('/') ? join(ROOT, path) : path;
  try {
    return new RegExp(pattern.replace(/^\.\//, '^'), 'i').test(whole);
  } catch {
    return false;
  }
}

function jestArguments() {
  if (kind === 'dist')
    return [...(patterns.length > 0 ? [] : DIST), ...distWorkers(), ...jestWords];
  if (kind === 'portable') return [...jestWords, without([...DIST, SLOW, ...linuxOnlySuites()])];
  if (patterns.length > 0) return jestWords;
  return [...jestWords, without([...DIST, SLOW])];
}

function distWorkers() {
  const isNamed = jestWords.some((word) => /^(?:-w|--maxWorkers)\b/.test(word));
  return isNamed ? [] : [DIST_WORKERS];
}

function linuxOnlySuites() {
  return SUITES.filter((path) => readFileSync(join(ROOT, path), 'utf8').startsWith(LINUX_ONLY));
}

function without(paths) {
  return `--testPathIgnorePatterns=${[...NO_TESTS, ...paths].join('|')}`;
}

function resultsArguments() {
  const files = given
    .filter((word) => word.startsWith(RESULTS))
    .map((word) => word.slice(RESULTS.length));
  return files.flatMap((file) => ['--json', `--outputFile=${file}`]);
}
