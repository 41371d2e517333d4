// The first model request of a review beside Claude Code's, of a change of 100 lines: its size, its
// tools, and the time until it is sent. Installs that package from npm into a temporary folder; its
// requests go to a server on loopback.
//   npm run bench rival
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.js';
import { rows, showMs } from './figures.js';
import { runStage } from './review.js';

const ROOT = resolve(import.meta.dirname, '..');
const PACKAGE = '@anthropic-ai/claude-code@2.1.332';
const ROUNDS = 7;

/** Lines to print. */
export async function rival() {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.bench-'));
  try {
    await bundle(folder, ['bench/review/stage.ts']);
    const [ours] = runStage(folder, 'builtin/pr-reviewer', [0]);
    const packages = join(folder, 'packages');
    execFileSync('npm', ['install', '--prefix', packages, PACKAGE], { stdio: 'ignore' });
    const theirs = await measure(folder, programIn(packages));
    const [kilobytes] = execFileSync('du', ['-sk', packages], { encoding: 'utf8' }).split('\t');
    return rows([
      ['axe-action', describe(ours, 0)],
      [PACKAGE, describe(theirs, Number(kilobytes) / 1000)],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function describe(runs, megabytes) {
  const [{ bytes, tools }] = runs;
  const first = `${(bytes / 1000).toFixed(0)} KB with ${tools} tools after ${showMs(runs.map(({ firstMs }) => firstMs))}`;
  return `${first}, ${megabytes.toFixed(0)} MB installed`;
}

async function measure(folder, program) {
  let seen;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (body.length > 0)
      seen ??= { at: performance.now(), bytes: body.length, tools: JSON.parse(body).tools.length };
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(
      '{"type":"error","error":{"type":"invalid_request_error","message":"That is all."}}',
    );
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${server.address().port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ANTHROPIC_API_KEY: 'bench',
    ANTHROPIC_BASE_URL: url,
  };
  const cwd = makeChange(folder);
  const runs = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    seen = undefined;
    const startedAt = performance.now();
    const words = ['-p', 'Review the changes of this branch: git diff main...HEAD'];
    const child = spawn(program, words, { cwd, env, stdio: 'ignore' });
    await new Promise((exit) => child.on('exit', exit));
    if (seen === undefined) throw new Error(`${program} asked no model`);
    if (round > 0) runs.push({ ...seen, firstMs: seen.at - startedAt });
  }
  server.close();
  return runs;
}

/** A repository whose branch adds 100 lines. */
function makeChange(folder) {
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const git = (...words) => {
    const author = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];
    execFileSync('git', [...author, ...words], { cwd, stdio: 'ignore' });
  };
  git('init', '--initial-branch=main');
  git('commit', '--allow-empty', '--message=Begin');
  git('switch', '--create', 'change');
  const lines = Array.from(
    { length: 100 },
    (_, n) => `export const price${n} = (cents: number) => cents * ${n};\n`,
  );
  writeFileSync(join(cwd, 'prices.ts'), lines.join(''));
  git('add', '--all');
  git('commit', '--message=Add prices');
  return cwd;
}

/**
 * The program for this machine, which the package would link in a script after its installation.
 */
function programIn(packages) {
  const scope = join(packages, 'node_modules', '@anthropic-ai');
  const native = readdirSync(scope).find((name) => name.startsWith('claude-code-'));
  return join(scope, native, 'claude');
}
