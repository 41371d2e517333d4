// One entry by each of several programs at once, through each store with its real client, against servers on loopback:
// time and requests for each append, attempts beyond the first, and entries that are missing afterwards. Then the same in
// virtual time, under GitHub's latency and limits (`append/github-limits.ts`): the real stores and the real GitHub client;
// the cache service is the fake of the tests.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from './bundle.js';
import { figures, rows } from './figures.js';

const ROOT = resolve(import.meta.dirname, '..');
const STORES = ['file', 'cache', 'branch'];
const WRITERS = [1, 5, 20, 50];
const MODELLED = ['branch', 'cache'];
const RUNS = [1, 2, 5, 10, 20, 30, 50, 100];

/** Lines to print. */
export async function appends() {
  // Inside the checkout, where the packages are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.bench-'));
  const work = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  let servers;
  try {
    await bundle(
      folder,
      ['servers', 'writer', 'modelled'].map((name) => `bench/append/${name}.ts`),
    );
    const names = WRITERS.map((writers) => sceneName('branch', writers));
    servers = start(join(folder, 'servers.js'), names, { cwd: work });
    const env = await servers.next();
    const measured = [];
    for (const store of STORES) {
      for (const writers of WRITERS) {
        const scene = { folder, work, env, servers, store, writers };
        measured.push([`${store}, ${count(writers, 'writer')}`, await measure(scene)]);
      }
    }
    const modelled = MODELLED.flatMap((store) => RUNS.map((runs) => modelledRow(folder, store, runs)));
    return [
      'Measured on loopback, without latency or limits:',
      ...rows(measured),
      '',
      "Modelled, with GitHub's latency and limits:",
      ...rows(modelled),
    ];
  } finally {
    servers?.process.stdin.end();
    rmSync(folder, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true });
  }
}

function sceneName(store, writers) {
  return `bench-${store}-${writers}`;
}

function modelledRow(folder, store, runs) {
  return [`${store}, ${count(runs, 'run')} at once`, describeModel(model(folder, store, runs))];
}

/** One scene in virtual time. */
function model(folder, store, runs) {
  const file = join(folder, 'modelled.js');
  const { stdout } = spawnSync(process.execPath, [file, store, String(runs)], { encoding: 'utf8' });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

function describeModel({ runs, requests, content, saved, post, lost, lastMs, missing, doubled }) {
  return [
    `${saved} saved (${post} by the post step), ${lost} not saved`,
    `${(requests / runs).toFixed(1)} requests each`,
    `${content} that change something`,
    `the last after ${(lastMs / 1000).toFixed(0)} s`,
    `${missing} of what was saved lost, ${doubled} doubled`,
  ].join(', ');
}

async function measure({ folder, work, env, servers, store, writers }) {
  const name = sceneName(store, writers);
  const shared = { ...env, BENCH_NAME: name, BENCH_FOLDER: join(work, name), BENCH_TOKEN: env.GITHUB_TOKEN };
  const run = (words, index) => {
    const cwd = join(work, name, `workspace-${index}`);
    mkdirSync(cwd, { recursive: true });
    return start(join(folder, 'writer.js'), [store, ...words], {
      cwd,
      env: { ...shared, GITHUB_WORKSPACE: cwd, RUNNER_TEMP: cwd },
    });
  };
  // What only the first append costs (a branch is created, a server builds its schema) is told by none of the others.
  const first = run([`first-${name}`], 'first');
  await first.next();
  first.process.stdin.write('\n');
  await first.next();
  const all = Array.from({ length: writers }, (_, index) => run([`e${index}-${name}`], index));
  for (const writer of all) await writer.next();
  await requestsSince(servers);
  for (const writer of all) writer.process.stdin.write('\n');
  const results = await Promise.all(all.map((writer) => writer.next()));
  const requests = await requestsSince(servers);
  const reader = await run(['read'], 'reader').next();
  return describe(results, { requests: requests.github + requests.cache, found: reader.entries - 1 });
}

function describe(results, { requests, found }) {
  const saved = results.filter(({ kind }) => kind === 'saved');
  const refused = results.length - saved.length;
  const { median, min } = figures(saved.map(({ ms }) => ms));
  const max = Math.max(...saved.map(({ ms }) => ms));
  const attempts = saved.map((result) => result.attempts);
  const retries = attempts.reduce((sum, each) => sum + each - 1, 0);
  return [
    `${median.toFixed(0)} ms an append (${min.toFixed(0)}-${max.toFixed(0)})`,
    `${(requests / results.length).toFixed(1)} requests each`,
    `${count(retries, 'retry')}, at most ${Math.max(...attempts) - 1} for one`,
    `${saved.length - found} of ${saved.length} lost`,
    ...(refused === 0 ? [] : [`${refused} refused: ${results.find(({ why }) => why !== undefined)?.why}`]),
  ].join(', ');
}

async function requestsSince(servers) {
  servers.process.stdin.write('\n');
  return await servers.next();
}

/** A program whose lines are read one by one. */
function start(file, words, { cwd, env = {} }) {
  const child = spawn(process.execPath, [file, ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async next() {
      // The cache client's library writes lines of its own between ours.
      for (let line = await lines.next(); !line.done; line = await lines.next()) {
        if (line.value.startsWith('{')) return JSON.parse(line.value);
      }
      await once(child, 'exit').catch(() => {});
      throw new Error(`${file} ended with status ${child.exitCode}`);
    },
  };
}

function count(number, noun) {
  if (number === 1) return `1 ${noun}`;
  return noun.endsWith('y') ? `${number} ${noun.slice(0, -1)}ies` : `${number} ${noun}s`;
}
