// From the start of the process to the arrival of its first model request, over an empty script. Beside the time on the
// clock the time that the main thread had a processor (Linux): it says more where other programs run too.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 15;
const ROOT = resolve(import.meta.dirname, '..');
const IMPORTS = [
  '@actions/core',
  '@actions/cache',
  '@actions/github',
  'undici',
  '@ai-sdk/anthropic/internal',
  '@ai-sdk/openai',
  'smol-toml',
  'valibot',
];

/** The agent of the benchmarks that run one. */
export const AGENT = `name = "bench"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You are fast."
[memory]
enabled = true
last_n = 10
`;

/** Lines to print. */
export async function startUp() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  const model = await startModel();
  try {
    prepare(folder, model.url);
    const runs = {
      'empty script': () => timeEmpty(folder),
      // What asking alone costs with Node's own means.
      'script that only fetches': () => timeRequest(model, fetchCommand(folder)),
      'command line': () => timeRequest(model, cliCommand(folder, model.url)),
      action: () => timeRequest(model, actionCommand(folder, model.url)),
      ...Object.fromEntries(IMPORTS.map((name) => [`import ${name}`, () => timeImport(name)])),
    };
    const times = Object.fromEntries(Object.keys(runs).map((label) => [label, []]));
    const processor = Object.fromEntries(Object.keys(runs).map((label) => [label, []]));
    // In turns, so that a change of the machine's speed meets all of them.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [label, run] of Object.entries(runs)) {
        const { ms, processorMs } = await run();
        if (round === 0) continue;
        times[label].push(ms);
        if (processorMs !== undefined) processor[label].push(processorMs);
      }
    }
    const empty = figures(times['empty script']).median;
    return rows(
      Object.entries(times).map(([label, values]) => [
        label,
        label === 'empty script'
          ? showMs(values)
          : `${showMs(values)}, ${(figures(values).median - empty).toFixed(1)} ms over the empty script${showProcessor(processor[label])}`,
      ]),
    );
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function showProcessor(values) {
  return values.length === 0 ? '' : `; processor ${showMs(values)}`;
}

function prepare(folder, url) {
  mkdirSync(join(folder, 'work', 'axe', 'agents'), { recursive: true });
  mkdirSync(join(folder, 'temp'));
  writeFileSync(join(folder, 'work', 'axe', 'agents', 'bench.toml'), AGENT);
  writeFileSync(join(folder, 'empty.js'), '');
  writeFileSync(join(folder, 'fetch.js'), `fetch('${url}', { method: 'POST', body: '{}' });\n`);
  const repository = {
    name: 'hello',
    owner: { login: 'octocat' },
    default_branch: 'main',
    full_name: 'octocat/hello',
  };
  const event = { repository, sender: { login: 'octocat', type: 'User' }, inputs: {}, workflow: 'bench.yml' };
  writeFileSync(join(folder, 'event.json'), JSON.stringify(event));
  for (const name of ['output', 'state', 'summary']) writeFileSync(join(folder, name), '');
}

function fetchCommand(folder) {
  return { args: [join(folder, 'fetch.js')], cwd: folder, env: { PATH: process.env.PATH } };
}

function cliCommand(folder, url) {
  return {
    args: [join(ROOT, 'dist/cli/index.js'), 'run', 'bench'],
    cwd: join(folder, 'work'),
    env: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder, HOME: folder, ...modelEnv(url) },
  };
}

function actionCommand(folder, url) {
  return {
    args: [join(ROOT, 'dist/index.js')],
    cwd: join(folder, 'work'),
    env: {
      INPUT_AGENT: 'bench',
      'INPUT_MEMORY-STORE': 'file',
      GITHUB_EVENT_NAME: 'workflow_dispatch',
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_WORKSPACE: join(folder, 'work'),
      GITHUB_REPOSITORY: 'octocat/hello',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STATE: join(folder, 'state'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      RUNNER_TEMP: join(folder, 'temp'),
      HOME: folder,
      ...modelEnv(url),
    },
  };
}

function modelEnv(url) {
  return { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'bench', AXE_ANTHROPIC_BASE_URL: url };
}

async function startModel() {
  const body = JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'Fine.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  let arrived = () => {};
  const server = createServer((request, response) => {
    arrived();
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end(body));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    nextRequest: (processor) =>
      new Promise((asked) => {
        arrived = () => asked({ at: performance.now(), processorMs: processor() });
      }),
    close: () => server.close(),
  };
}

async function timeRequest(model, { args, cwd, env }) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore' });
  const requested = model.nextRequest(() => processorMs(child.pid));
  const ended = new Promise((exit) => child.on('exit', exit));
  const asked = await Promise.race([requested, ended.then(() => undefined)]);
  if (asked === undefined) throw new Error(`${args.join(' ')} asked no model`);
  await ended;
  return { ms: asked.at - startedAt, processorMs: asked.processorMs };
}

/** How long the main thread had a processor; undefined where the system does not say. */
function processorMs(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return undefined;
  }
}

async function timeEmpty(folder) {
  return await timeNode([join(folder, 'empty.js')]);
}

async function timeImport(name) {
  return await timeNode(['--input-type=module', '-e', `await import(${JSON.stringify(name)})`]);
}

async function timeNode(args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
  await new Promise((exit) => child.on('exit', exit));
  return { ms: performance.now() - startedAt };
}
