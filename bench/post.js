// The post step with nothing to save, which is nearly all of them: processor time of the whole process, over an empty
// script. The clock would say less where other programs run too.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 40;
const POST = resolve(import.meta.dirname, '../dist/post.js');
const NOTHING = 'Memory: nothing is left to save.\n';

/** Loaded before each program: at its end it writes the milliseconds of processor time to descriptor 3. */
const PROBE = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeSync(3, String((user + system) / 1000));
});
`;

/** Lines to print. */
export function post() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  try {
    const probe = join(folder, 'probe.cjs');
    const empty = join(folder, 'empty.mjs');
    writeFileSync(probe, PROBE);
    writeFileSync(empty, '');
    const times = { 'empty script': [], 'post, nothing to save': [] };
    // In turns, so that a change of the machine's speed meets both; the first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const measured = {
        'empty script': processorMs(probe, empty, ''),
        'post, nothing to save': processorMs(probe, POST, NOTHING),
      };
      if (round > 0) for (const [label, ms] of Object.entries(measured)) times[label].push(ms);
    }
    const over = figures(times['post, nothing to save']).median - figures(times['empty script']).median;
    return [
      ...rows(Object.entries(times).map(([label, values]) => [label, `processor ${showMs(values)}`])),
      `${over.toFixed(1)} ms over the empty script`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function processorMs(probe, script, expected) {
  const { status, output } = spawnSync(process.execPath, ['--require', probe, script], {
    env: { PATH: process.env.PATH, STATE_pending: '[]' },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0 || output[1] !== expected) throw new Error(`${script} ended with ${status}: ${output[1]}`);
  return Number(output[3]);
}
