// Draws fresh seeds over all properties, again and again, until the time is over or one fails:
//   npm run soak -- [--minutes 10] [--runs 5] [--seed <first seed>] [--workers <processes>] [<part of a path> ...]
// Leaves a core to others and runs at low priority. Ends with status 1 at the first round that
// fails.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, constants, setPriority, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');

/** The suites whose properties let several runs meet in one store. */
const INTERLEAVINGS = /[\\/]memory[\\/]stores[\\/].*\.test\.ts$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    runs: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    workers: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
  },
});
const minutes = positive('minutes');
const runs = positive('runs');
const workers = positive('workers');
let seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) refuse(`--seed ${values.seed}: expected a whole number`);

const suites = propertySuites(join(ROOT, '__tests__')).filter(
  (path) => positionals.length === 0 || positionals.some((part) => path.includes(part)),
);
if (suites.length === 0)
  refuse(`no suite with properties has a path with ${positionals.join(' or ')}`);
const folder = mkdtempSync(join(tmpdir(), 'soak-'));
const deadlineMs = Date.now() + minutes * 60_000;
const total = { rounds: 0, draws: 0, interleavings: 0, failed: 0 };
let running;
let isStopped = false;
let isTimeUp = false;

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
say(
  `Soaking ${suites.length} suites for ${minutes} min on Node ${process.version}: ${workers} at a time, ${runs} times the draws`,
);
while (!isStopped && !isTimeUp && total.failed === 0) {
  await round();
  seed = (seed + 1) % 2 ** 31;
}
rmSync(folder, { recursive: true, force: true });
say(
  `${total.rounds} rounds begun, ${count(total.draws)} draws, ${count(total.interleavings)} of them interleavings of the stores, ${total.failed} failures`,
);
const codeWithoutFailures = isStopped ? 130 : 0;
process.exitCode = total.failed > 0 ? 1 : codeWithoutFailures;

/**
 * All suites with one seed; what is still running when the time is over is ended, and what it had
 * shown is counted.
 */
async function round() {
  total.rounds += 1;
  const log = join(folder, `${seed}.jsonl`);
  const env = {
    ...process.env,
    PROPERTY_SEED: String(seed),
    PROPERTY_RUNS: String(runs),
    PROPERTY_LOG: log,
  };
  const args = ['--experimental-vm-modules', '--no-warnings', jest, `--maxWorkers=${workers}`];
  const reporter = `--reporters=${join(ROOT, 'scripts/soak-reporter.js')}`;
  running = spawn(process.execPath, [...args, reporter, '--runTestsByPath', ...suites], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
    detached: true,
  });
  let errors = '';
  running.stderr.on('data', (bytes) => {
    errors = `${errors}${bytes}`.slice(-20_000);
  });
  const timer = setTimeout(
    () => {
      isTimeUp = true;
      end();
    },
    Math.max(0, deadlineMs - Date.now()),
  );
  const status = await new Promise((resolve) => running.on('close', resolve));
  clearTimeout(timer);
  const wasEnded = isStopped || isTimeUp;
  running = undefined;
  const held = summed(log);
  total.draws += held.draws;
  total.interleavings += held.interleavings;
  total.failed += held.failed;
  if (held.failed === 0 && status !== 0 && !wasEnded) {
    total.failed += 1;
    say(`jest ended with status ${status}:\n${errors}`);
  }
  say(
    `seed ${seed}: ${count(held.draws)} draws, ${count(held.interleavings)} interleavings of the stores, ${held.failed} failures${wasEnded ? ' (ended with the time)' : ''}`,
  );
}

function summed(log) {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
  const sum = { draws: 0, interleavings: 0, failed: 0 };
  for (const { testPath, draws = 0, failed = 0 } of lines.map((line) => JSON.parse(line))) {
    sum.draws += draws;
    sum.failed += failed;
    if (INTERLEAVINGS.test(testPath)) sum.interleavings += draws;
  }
  return sum;
}

/**
 * Test files that draw values, relative to the root; those that start the built dist/ draw a sample
 * only.
 */
function propertySuites(from) {
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'utf8').includes("from 'fast-check'"))
    .map((path) => relative(ROOT, path))
    .filter((path) => !path.startsWith('__tests__/transcripts'))
    .sort();
}

/** jest and the processes it started, which are a group of their own. */
function end() {
  if (running?.pid === undefined) return;
  try {
    process.kill(-running.pid, 'SIGTERM');
  } catch {
    // It has ended in this moment.
  }
}

function stop() {
  isStopped = true;
  end();
}

function positive(name) {
  const number = Number(values[name]);
  const isWhole = name === 'minutes' || Number.isInteger(number);
  if (!(number > 0) || !isWhole) refuse(`--${name} ${values[name]}: expected a number above 0`);
  return number;
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function count(number) {
  return number.toLocaleString('en-US');
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
