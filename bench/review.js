// How long a run on a pull request takes until the model is asked, and to its end, where GitHub
// takes its time: what waits for what shows as a multiple of the pause, whatever the machine.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.js';
import { figures, rows, showMs } from './figures.js';

const ROOT = resolve(import.meta.dirname, '..');
const PAUSE_MS = 150;

/**
 * Where memory is, is known of a built-in agent at once, and of one of the repository when its file
 * was read.
 */
const AGENTS = ['builtin/ask', 'reviewer'];

/** Lines to print. */
export async function review() {
  // Inside the checkout, where the packages and the built action are found.
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.bench-'));
  try {
    await bundle(folder, ['bench/review/stage.ts']);
    return AGENTS.flatMap((agent) => measure(folder, agent));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measure(folder, agent) {
  const [quick, slow] = runStage(folder, agent, [0, PAUSE_MS]);
  const of = (runs, name) => runs.map((run) => run[name]);
  const roundTrips = (name) =>
    ((figures(of(slow, name)).median - figures(of(quick, name)).median) / PAUSE_MS).toFixed(1);
  return [
    ...rows([
      [`${agent}, to the first model request, GitHub at once`, showMs(of(quick, 'firstMs'))],
      [
        `${agent}, to the first model request, GitHub after ${PAUSE_MS} ms`,
        showMs(of(slow, 'firstMs')),
      ],
      [`${agent}, to the end, GitHub at once`, showMs(of(quick, 'endMs'))],
      [`${agent}, to the end, GitHub after ${PAUSE_MS} ms`, showMs(of(slow, 'endMs'))],
    ]),
    `${roundTrips('firstMs')} round trips to GitHub before the model, ${roundTrips('endMs')} in all, in ${slow[0].requests} requests`,
  ];
}

/** The figures of some runs of the built action on a pull request, for each pause of GitHub's. */
export function runStage(folder, agent, pauses) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(folder, 'stage.js'), agent, ...pauses.map(String)],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').map(JSON.parse);
}
