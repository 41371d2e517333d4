// Whole runs of the command line: tools side by side and sub-agents below sub-agents, beside a run without either.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { figures, rows, showMs } from './figures.js';

const ROUNDS = 10;
const ROOT = resolve(import.meta.dirname, '..');
const CLI = join(ROOT, 'dist/cli/index.js');
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'peak-memory.js')).href;

const TOOL_CALLS = 20;
const FILE_LINES = 500;
const LEVELS = 3;
/** Sub-agents that each agent calls in one turn, and so 2 + 4 + 8 below the first one. */
const WIDTH = 2;

/** The agents that are run, with the requests and tool results that the model must have got in the end. */
const SCENES = [
  { label: 'no tools', agent: 'plain', requests: 1, calls: 0 },
  { label: `${TOOL_CALLS} tool calls in parallel`, agent: 'reader', requests: 2, calls: TOOL_CALLS },
  { label: `${LEVELS} levels of sub-agents`, agent: 'level-0', requests: 22, calls: 14 },
  { label: 'both', agent: 'both', requests: 22, calls: TOOL_CALLS + 14 },
];

/** Lines to print. */
export async function agents() {
  const folder = mkdtempSync(join(tmpdir(), 'axe-action-bench-'));
  const model = await startModel();
  try {
    prepare(folder);
    const measured = SCENES.map(() => ({ ms: [], megabytes: [] }));
    // In turns, so that a change of the machine's speed meets all of them.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, scene] of SCENES.entries()) {
        const { ms, megabytes } = await run(scene, folder, model);
        if (round === 0) continue;
        measured[index].ms.push(ms);
        measured[index].megabytes.push(megabytes);
      }
    }
    return rows(SCENES.map(({ label }, index) => [label, describe(measured[index], measured[0])]));
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(one, base) {
  const memory = figures(one.megabytes).median;
  const shown = `${showMs(one.ms)}, peak ${memory.toFixed(0)} MB`;
  if (one === base) return shown;
  const moreMs = figures(one.ms).median - figures(base.ms).median;
  const moreMemory = memory - figures(base.megabytes).median;
  return `${shown}: ${moreMs.toFixed(0)} ms and ${moreMemory.toFixed(0)} MB more`;
}

function prepare(folder) {
  const lines = Array.from(
    { length: FILE_LINES },
    (_, line) => `export const value${line} = ${line};\n`,
  ).join('');
  mkdirSync(join(folder, 'axe', 'agents'), { recursive: true });
  for (let file = 0; file < TOOL_CALLS; file += 1) writeFileSync(join(folder, `file-${file}.ts`), lines);
  const write = (name, toml) =>
    writeFileSync(join(folder, 'axe', 'agents', `${name}.toml`), agent(name, toml));
  write('plain', '');
  write('reader', 'tools = ["read_file"]\n');
  write('both', 'tools = ["read_file"]\nsub_agents = ["level-1"]\n');
  for (let level = 0; level < LEVELS; level += 1)
    write(`level-${level}`, `sub_agents = ["level-${level + 1}"]\n`);
  write(`level-${LEVELS}`, '');
}

/** The name stands in the system prompt, so that the model knows who asks. */
function agent(name, toml) {
  return `name = "${name}"\nmodel = "anthropic/claude-sonnet-4-5"\nsystem_prompt = "I am ${name}."\n${toml}`;
}

async function run({ agent, requests, calls }, folder, model) {
  model.reset();
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', PRELOAD, CLI, 'run', agent, '--json'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ANTHROPIC_API_KEY: 'bench',
      AXE_ANTHROPIC_BASE_URL: model.url,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [output, kilobytes, status] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stdio[3]),
    new Promise((exit) => child.on('exit', exit)),
  ]);
  const ms = performance.now() - startedAt;
  const seen = model.seen();
  if (status !== 0 || JSON.parse(output).content !== 'Fine.')
    throw new Error(`${agent} ended with ${status}: ${output}`);
  if (seen.requests !== requests || seen.results !== calls || seen.errors !== 0)
    throw new Error(`${agent} did something else: ${JSON.stringify(seen)}`);
  return { ms, megabytes: Number(kilobytes.split(' ')[0]) / 1024 };
}

async function textOf(stream) {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk;
  return text;
}

/** A model that has each agent do its part in its first turn and say that all is fine in its second. */
async function startModel() {
  let seen;
  const reset = () => {
    seen = { requests: 0, results: 0, errors: 0 };
  };
  const server = createServer(async (request, response) => {
    const { system, messages } = JSON.parse(await textOf(request));
    const results = messages.at(-1).content.filter(({ type }) => type === 'tool_result');
    seen.requests += 1;
    seen.results += results.length;
    seen.errors += results.filter((result) => result.is_error === true).length;
    const [, name] = /I am ([\w-]+)\./.exec(JSON.stringify(system));
    const content = results.length > 0 ? [] : callsOf(name);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(reply(content)));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    reset,
    seen: () => seen,
    close: () => server.close(),
  };
}

function callsOf(name) {
  const reads = Array.from({ length: TOOL_CALLS }, (_, file) =>
    call(`r${file}`, 'read_file', { path: `file-${file}.ts` }),
  );
  if (name === 'plain' || name === `level-${LEVELS}`) return [];
  if (name === 'reader') return reads;
  const level = name === 'both' ? 0 : Number(name.split('-')[1]);
  const asks = Array.from({ length: WIDTH }, (_, nth) =>
    call(`a${nth}`, 'call_agent', { agent: `level-${level + 1}`, task: `Do part ${nth}.` }),
  );
  return name === 'both' ? [...reads, ...asks] : asks;
}

function call(id, name, input) {
  return { type: 'tool_use', id, name, input };
}

function reply(calls) {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: calls.length > 0 ? calls : [{ type: 'text', text: 'Fine.' }],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
