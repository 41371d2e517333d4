import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startChild } from '../helpers/child.js';

const ROOT = join(import.meta.dirname, '../..');
/** Without those of the recordings, which are data. */
const SUITES = globSync('__tests__/**/*.test.ts', { cwd: ROOT })
  .filter((suite) => !suite.startsWith('__tests__/golden/axe/'))
  .sort();

const textOf = (suite: string) => readFileSync(join(ROOT, suite), 'utf8');
const LINUX_ONLY = SUITES.filter((suite) => textOf(suite).startsWith('// linux-only'));

/** Runs `npm test -- <words>`. */
async function runScript(...words: readonly string[]) {
  const args = [join(ROOT, 'scripts/test.js'), ...words];
  const env = { PATH: process.env['PATH'] ?? '' };
  return await startChild({ command: process.execPath, args, cwd: ROOT, env }).finished;
}

/** The suites that `npm test -- <words>` would run. */
async function listSuites(...words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout } = await runScript(...words, '--listTests');
  expect(exitCode).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .map((path) => relative(ROOT, path))
    .sort();
}

describe('npm test', () => {
  it('names words that are in no test file’s path, and does not start jest', async () => {
    const result = await runScript('__tests__/gone', '__tests__/packaging', 'a(', '--listTests');
    expect(result).toEqual({
      exitCode: 2,
      signal: null,
      stdout: '',
      stderr: 'No test file has this in its path: __tests__/gone, a(\n',
    });
  });

  it('takes an option’s value for no such word', async () => {
    const named = ['-t', '__tests__/gone', '--maxWorkers', '1', './__tests__/packaging/paths'];
    expect(await listSuites(...named)).toEqual(['__tests__/packaging/paths.test.ts']);
  });

  it('without words runs the suites that neither start dist/ nor wait for minutes', async () => {
    const others = /^__tests__\/(?:transcripts|races|slow)\//;
    expect(await listSuites()).toEqual(SUITES.filter((suite) => !others.test(suite)));
  });

  it('with `dist` runs the suites that start dist/, or of them those that a word names', async () => {
    const built = /^__tests__\/(?:transcripts|races)\//;
    expect(await listSuites('dist')).toEqual(SUITES.filter((suite) => built.test(suite)));
    expect(await listSuites('dist', 'transcripts/a-dry-run')).toEqual([
      '__tests__/transcripts/a-dry-run-sends-nothing-and-writes-nothing.test.ts',
    ]);
  });

  it('with `portable` leaves out the suites that need Linux', async () => {
    const portable = new Set(await listSuites('portable'));
    const leftOut = (await listSuites()).filter((suite) => !portable.has(suite));
    expect(leftOut).toEqual(LINUX_ONLY);
  });
});

it.each(LINUX_ONLY)('%s says why it needs Linux', (suite) => {
  expect(textOf(suite)).toMatch(/^\/\/ linux-only: \S/);
});

it('no suite says further down that it needs Linux, where `portable` does not look', () => {
  expect(SUITES.filter((suite) => textOf(suite).includes('\n// linux-only'))).toEqual([]);
});
