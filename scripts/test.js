// Runs jest on the Node that runs this script (npm puts the installed Node 24 first) and says which
// it is. Without words: all tests but those that start the built dist/ or wait for minutes, which
// have scripts of their own (`npm run test:dist`, `npm run test:slow`). `--results=FILE` also
// writes there what Jest reports of each test, for `npm run test:hostile`.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

/** Folders whose tests start programs by the dozen. */
const DIST = ['__tests__/transcripts', '__tests__/races'];

/**
 * Such a test often waits for its programs, so there is one worker more than cores; whoever names
 * another number gets it.
 */
const DIST_WORKERS = `--maxWorkers=${availableParallelism() + 1}`;

/** Tests that wait for minutes on purpose; `.ci/run` starts them first, next to everything else. */
const SLOW = '__tests__/slow';

/** What the configuration leaves out; a pattern given here takes the place of its own. */
const NO_TESTS = ['/node_modules/', '__tests__/golden/axe/', '__tests__/fixtures/'];

/**
 * Both cores have a worker each: threads that collect garbage beside them only wait, and more room
 * means fewer rounds.
 */
const V8 = ['--single-threaded-gc', '--max-semi-space-size=32'];

const RESULTS = '--results=';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const given = process.argv.slice(2);
const words = given.filter((word) => !word.startsWith(RESULTS));
const duration = words.length === 0 ? ', for about five minutes on two cores' : '';
process.stdout.write(`Tests run on Node ${process.version}${duration}\n`);
const result = spawnSync(
  process.execPath,
  [...V8, '--experimental-vm-modules', '--no-warnings', jest, ...chosen(), ...results()],
  {
    stdio: 'inherit',
  },
);
process.exit(result.status ?? 1);

function chosen() {
  if (words.length === 0)
    return [`--testPathIgnorePatterns=${[...NO_TESTS, ...DIST, SLOW].join('|')}`];
  if (words[0] !== 'dist') return words;
  const isNamed = words.some((word) => /^(?:-w|--maxWorkers)\b/.test(word));
  return [...DIST, ...(isNamed ? [] : [DIST_WORKERS]), ...words.slice(1)];
}

function results() {
  const files = given
    .filter((word) => word.startsWith(RESULTS))
    .map((word) => word.slice(RESULTS.length));
  return files.flatMap((file) => ['--json', `--outputFile=${file}`]);
}
