// `gc` over a run log of 266 MB: the largest resident size and the processor time of the whole process. The model answers
// on loopback, and the log is trimmed.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.js';
import { rows } from './figures.js';
import { AGENT } from './start-up.js';

const BYTES = 266_000_000;
const ROOT = resolve(import.meta.dirname, '..');
const PROBE = pathToFileURL(join(ROOT, 'bench/peak-memory.js')).href;

const COMMAND = ['gc', 'bench'];

/** Lines to print. */
export async function largeLog() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  const model = await startModel();
  try {
    mkdirSync(join(folder, 'axe', 'memory'), { recursive: true });
    mkdirSync(join(folder, 'work', 'axe', 'agents'), { recursive: true });
    writeFileSync(join(folder, 'work', 'axe', 'agents', 'bench.toml'), AGENT);
    const { writeLargeLog } = await logWriter();
    const entries = writeLargeLog(join(folder, 'axe', 'memory', 'bench.md'), BYTES);
    const measured = await measure(folder, COMMAND, model.url);
    return [
      `${entries.toLocaleString('en')} entries, ${BYTES / 1e6} MB`,
      ...rows([[COMMAND.join(' '), measured]]),
    ];
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tests' writer of a log, which is TypeScript. */
async function logWriter() {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.bench-'));
  try {
    await bundle(folder, ['__tests__/helpers/large-log.ts']);
    return await import(pathToFileURL(join(folder, 'large-log.js')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder, args, url) {
  const child = spawn(process.execPath, ['--import', PROBE, join(ROOT, 'dist/cli/index.js'), ...args], {
    cwd: join(folder, 'work'),
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      XDG_DATA_HOME: folder,
      ANTHROPIC_API_KEY: 'bench',
      AXE_ANTHROPIC_BASE_URL: url,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let probed = '';
  child.stdio[3].on('data', (chunk) => {
    probed += chunk;
  });
  const status = await new Promise((exit) => child.on('close', exit));
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  const [kilobytes, seconds] = probed.split(' ').map(Number);
  return `largest ${Math.round(kilobytes / 1000)} MB, processor ${seconds.toFixed(1)} s`;
}

/** Answers every question with the same analysis. */
async function startModel() {
  const text =
    '## Patterns Found\nReviews.\n## Repeated Work\nNone.\n## Recommendations\nNo specific recommendations.';
  const body = JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.setHeader('content-type', 'application/json').end(body));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
