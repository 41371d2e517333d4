// From the start of the command line to its first request for a model, through GitHub's SDK and, for comparison, through a
// provider package alone; with the memory of the program and of the SDK's runtime when that request arrives (Linux).
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 10;
const CLI = join(resolve(import.meta.dirname, '..'), 'dist/cli/index.js');

/** Lines to print. */
export async function copilot() {
  const sdk = process.env.AXE_COPILOT_SDK ?? '';
  if (sdk === '') return ['left out: AXE_COPILOT_SDK does not name a folder with the SDK'];
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  const service = await startService();
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  const scenes = [
    ['a provider package', 'openai/gpt-4.1', { OPENAI_API_KEY: 'bench', AXE_OPENAI_BASE_URL: service.url }],
    [
      'the Copilot SDK',
      'copilot/gpt-5-mini',
      { COPILOT_GITHUB_TOKEN: 'ghs_bench', AXE_COPILOT_SDK: sdk, AXE_COPILOT_BASE_URL: service.url },
    ],
  ];
  try {
    const measured = scenes.map(() => []);
    // In turns, so that a change of the machine's speed meets all of them.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, [, model, own]] of scenes.entries()) {
        const one = await run(model, { ...env, ...own }, service);
        if (round > 0) measured[index].push(one);
      }
    }
    return rows(scenes.map(([label], index) => [label, describe(measured[index])]));
  } finally {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(runs) {
  const median = (name) => figures(runs.map((one) => one[name])).median;
  const first = showMs(runs.map(({ requestMs }) => requestMs));
  const memory = `${median('ownMegabytes').toFixed(0)} MB, programs it started ${median('startedMegabytes').toFixed(0)} MB`;
  return `first request ${first}; end ${median('endMs').toFixed(1)} ms; memory ${memory}`;
}

async function run(model, env, service) {
  const startedAt = performance.now();
  const args = [CLI, 'run', 'builtin/ask', '--model', model, '--prompt', 'Hi'];
  const child = spawn(process.execPath, args, { cwd: env.HOME, env, stdio: 'ignore' });
  const ended = new Promise((exit) => child.on('exit', exit));
  const requested = service.nextRequest(() => ({
    requestMs: performance.now() - startedAt,
    ownMegabytes: megabytes(child.pid),
    startedMegabytes: descendants(child.pid).reduce((sum, id) => sum + megabytes(id), 0),
  }));
  const asked = await Promise.race([requested, ended.then(() => undefined)]);
  if (asked === undefined) throw new Error(`${model} was not asked`);
  const status = await ended;
  if (status !== 0) throw new Error(`the run of ${model} ended with status ${status}`);
  return { ...asked, endMs: performance.now() - startedAt };
}

function descendants(pid) {
  const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
  return children.flatMap((id) => [id, ...descendants(id)]);
}

function megabytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Offers one model and answers it at once. */
async function startService() {
  const limits = {
    max_context_window_tokens: 128_000,
    max_output_tokens: 16_000,
    max_prompt_tokens: 128_000,
  };
  const model = {
    id: 'gpt-5-mini',
    name: 'gpt-4.1',
    object: 'model',
    vendor: 'bench',
    version: 'gpt-4.1',
    preview: false,
    model_picker_enabled: true,
    supported_endpoints: ['/chat/completions'],
    capabilities: {
      family: 'gpt-4.1',
      type: 'chat',
      object: 'model_capabilities',
      tokenizer: 'o200k_base',
      limits,
      supports: { tool_calls: true, parallel_tool_calls: true, streaming: true },
    },
    policy: { state: 'enabled' },
  };
  const reply = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  let arrived = () => {};
  const server = createServer((request, response) => {
    const isList = request.url === '/models';
    if (!isList) arrived();
    request.resume();
    request.on('end', () =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(isList ? { data: [model] } : reply)),
    );
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    nextRequest: (look) =>
      new Promise((asked) => {
        arrived = () => asked(look());
      }),
    close: () => server.close(),
  };
}
