// From the start of the process to the arrival of its first model request, and the post step with
// nothing to save, over an empty script and over a script that only fetches. Then the processor time
// of whole runs, as multiples of the empty script's in the same round: it holds on a busy machine.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 15;
const ROOT = resolve(import.meta.dirname, '..');

const AGENT = `name = "bench"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You are fast."
[memory]
enabled = true
last_n = 10
`;

const REPLY = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Fine.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
});

/** Preloaded into a program: writes down the milliseconds of processor time that it took. */
const METER = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeFileSync(process.env.BENCH_METER, String((user + system) / 1000));
});
`;

/** Lines to print. */
export async function startUp() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  let requestedAt;
  const model = createServer((request, response) => {
    requestedAt ??= performance.now();
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end(REPLY));
  });
  await new Promise((listening) => model.listen(0, '127.0.0.1', listening));
  try {
    const programs = prepare(folder, `http://127.0.0.1:${model.address().port}`);
    const times = Object.fromEntries(Object.keys(programs).map((label) => [label, []]));
    const efforts = structuredClone(times);
    // In turns, so that a change of the machine's speed meets all of them; the first round warms
    // up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [label, program] of Object.entries(programs)) {
        requestedAt = undefined;
        const startedAt = performance.now();
        await run(program);
        const end = program.asks ? requestedAt : performance.now();
        if (end === undefined) throw new Error(`${label} asked no model`);
        if (round === 0) continue;
        times[label].push(end - startedAt);
        efforts[label].push(Number(readFileSync(join(folder, 'meter'), 'utf8')));
      }
    }
    const empty = figures(times['empty script']).median;
    return rows(
      Object.entries(times).map(([label, values]) => [
        label,
        `${showMs(values)}, ${(figures(values).median - empty).toFixed(1)} ms over the empty script; processor ${showEffort(efforts, label)}`,
      ]),
    );
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `median 300.1 ms (min 280.0), 7.5 times the empty script`. */
function showEffort(efforts, label) {
  const ratios = efforts[label].map((ms, round) => ms / efforts['empty script'][round]);
  return `${showMs(efforts[label])}, ${figures(ratios).median.toFixed(1)} times the empty script`;
}

/** The programs by their labels; `asks` says that the time to the first model request counts. */
function prepare(folder, url) {
  const work = join(folder, 'work');
  mkdirSync(join(work, 'axe', 'agents'), { recursive: true });
  writeFileSync(join(work, 'axe', 'agents', 'bench.toml'), AGENT);
  writeFileSync(join(folder, 'meter.cjs'), METER);
  writeFileSync(join(folder, 'empty.js'), '');
  writeFileSync(join(folder, 'fetch.js'), `fetch('${url}', { method: 'POST', body: '{}' });\n`);
  const repository = {
    name: 'hello',
    owner: { login: 'octocat' },
    default_branch: 'main',
    full_name: 'octocat/hello',
  };
  const event = {
    repository,
    sender: { login: 'octocat', type: 'User' },
    inputs: {},
    workflow: 'bench.yml',
  };
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
  for (const name of ['output', 'state', 'summary']) writeFileSync(join(folder, name), '');
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    ANTHROPIC_API_KEY: 'bench',
    AXE_ANTHROPIC_BASE_URL: url,
  };
  const job = {
    INPUT_AGENT: 'bench',
    'INPUT_MEMORY-STORE': 'file',
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_WORKSPACE: work,
    GITHUB_REPOSITORY: 'octocat/hello',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STATE: join(folder, 'state'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    RUNNER_TEMP: folder,
  };
  const program = (file, words = [], more = {}) => ({
    args: ['--require', join(folder, 'meter.cjs'), file, ...words],
    cwd: work,
    env: { BENCH_METER: join(folder, 'meter'), ...more },
  });
  return {
    'empty script': program(join(folder, 'empty.js')),
    'script that only fetches': { ...program(join(folder, 'fetch.js')), asks: true },
    'command line': {
      ...program(join(ROOT, 'dist/cli/index.js'), ['run', 'bench'], env),
      asks: true,
    },
    action: { ...program(join(ROOT, 'dist/index.js'), [], { ...env, ...job }), asks: true },
    'post step, nothing to save': program(join(ROOT, 'dist/post.js'), [], { STATE_pending: '[]' }),
  };
}

async function run({ args, cwd, env }) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'ignore',
  });
  const status = await new Promise((exit) => child.on('exit', exit));
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
}
