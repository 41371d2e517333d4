// Many runs that save at the same time, in virtual time, under GitHub's latency and limits
// (`append/github-limits.ts`): the real stores and the real GitHub client; the cache service is the
// fake of the tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.js';
import { rows } from './figures.js';

const SLOW = { BENCH_SLOWER: '2' };
const FREE = { BENCH_FAILURES_COUNT: 'no' };
/** The store's name first. */
const WORLDS = {
  branch: {},
  'branch, latency doubled': SLOW,
  'branch, failed commits not counted': FREE,
  'branch, latency doubled, failed commits not counted': { ...SLOW, ...FREE },
  cache: {},
  'cache, latency doubled': SLOW,
};
const RUNS = [1, 2, 5, 10, 20, 30, 50, 100];

/** Lines to print. */
export async function appends() {
  // Inside the checkout, where the packages are found.
  const folder = mkdtempSync(join(resolve(import.meta.dirname, '..'), 'node_modules', '.bench-'));
  try {
    await bundle(folder, ['bench/append/modelled.ts']);
    const program = join(folder, 'modelled.js');
    return rows(
      Object.entries(WORLDS).flatMap(([world, env]) =>
        RUNS.map((runs) => [
          `${world}, ${runs} at once`,
          describe(model(program, world, runs, env)),
        ]),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function model(program, world, runs, env) {
  const { stdout } = spawnSync(process.execPath, [program, world.split(',', 1)[0], String(runs)], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

function describe({ runs, requests, content, saved, post, lost, lastMs, missing, doubled }) {
  return [
    `${saved} saved (${post} by the post step), ${lost} not saved`,
    `${(requests / runs).toFixed(1)} requests each`,
    `${content} that change something`,
    `the last after ${(lastMs / 1000).toFixed(0)} s`,
    `${missing} of what was saved lost, ${doubled} doubled`,
  ].join(', ');
}
