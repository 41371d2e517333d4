import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { importedPackages } from '../helpers/imported-packages.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { branchScene, earlierEntry } from './branch-scene.js';
import { AGENT, setStage } from './stage.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const FILES = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
const KILOBYTE = 1000;
const MEGABYTE = 1000 * KILOBYTE;

/** Preloaded into a program: writes down each file that Node loads, and at the end its own modules. */
const WATCH = `import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, url + '\\n');
    return next(url, context);
  },
});
process.on('exit', () => {
  appendFileSync(process.env.LOADED_FILES, process.moduleLoadList.map((name) => name + '\\n').join(''));
});
`;

/** Node's own code for fetch and for Web Crypto: what a run needs of them, it has from modules that are loaded anyway. */
const SLOW_MODULES = ['internal/deps/undici/undici', 'internal/crypto/webcrypto'];

/** Variables that make a program write down what it loads, and the bytes of what it loaded. */
function watchLoading() {
  const folder = tempDir('loaded');
  writeFiles(folder, { 'watch.mjs': WATCH, loaded: '' });
  const loaded = join(folder, 'loaded');
  const lines = () => readFileSync(loaded, 'utf8').split('\n');
  const files = () => lines().filter((url) => url.includes('/dist/'));
  return {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'watch.mjs'))}`,
      LOADED_FILES: loaded,
    },
    files,
    ownModules: () => lines().flatMap((line) => /^NativeModule (.*)$/.exec(line)?.[1] ?? []),
    bytes: () => files().reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0),
  };
}

it('the built programs have at most 3.6 MB', () => {
  const bytes = FILES.reduce((sum, file) => sum + statSync(join(DIST, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(3600 * KILOBYTE);
});

it('the built programs have one copy of what the providers share', () => {
  const lines = readFileSync(join(ROOT, 'package-lock.json'), 'utf8').split('\n');
  const copies = lines.filter((line) => /"node_modules\/(?:.*\/)?@ai-sdk\/[\w-]+": \{/.test(line));
  const names = copies.map((line) => /@ai-sdk\/([\w-]+)": \{/.exec(line)?.[1]);
  expect(names).toContain('provider-utils');
  expect(new Set(names).size).toBe(names.length);
  const owners = FILES.filter((file) =>
    readFileSync(join(DIST, file), 'utf8').includes('"AI_DownloadError"'),
  );
  expect(owners).toHaveLength(1);
});

it('the built programs include the licences of their packages, also of indirect ones', () => {
  const lines = readFileSync(join(DIST, 'licenses.txt'), 'utf8').split('\n');
  const further = ['@ai-sdk/provider-utils', '@azure/storage-blob', '@octokit/request', 'zod'];
  expect(lines).toEqual(expect.arrayContaining([...importedPackages(), ...further]));
  expect(lines.filter((line) => line === 'undefined')).toEqual([]);
});

it('the built programs name no folder of the machine that built them', () => {
  const naming = FILES.filter((file) => readFileSync(join(DIST, file), 'utf8').includes(ROOT));
  expect(naming).toEqual([]);
});

it('a run of the action with an agent without tools loads at most one megabyte', async () => {
  const { env, bytes } = watchLoading();
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  const workspace = tempDir('workspace');
  writeFiles(workspace, { 'axe/agents/reviewer.toml': AGENT });
  const inputs = { 'github-token': '', 'memory-store': 'file' };
  expect(await stage.run({ env, inputs, workspace })).toMatchObject({ exitCode: 0 });
  expect(bytes()).toBeGreaterThan(500 * KILOBYTE);
  expect(bytes()).toBeLessThanOrEqual(MEGABYTE);
});

it('a run of the command line with an agent without tools loads at most one megabyte, and no status line', async () => {
  const { env, bytes, files, ownModules } = watchLoading();
  const model = await startModelServer([text('Because.')]);
  const cwd = tempDir('cwd');
  writeFiles(cwd, { 'axe/agents/reviewer.toml': AGENT });
  const run = await runCli(['run', 'reviewer', '--prompt', 'Why?'], { cwd, env: { ...model.env, ...env } });
  expect(run).toMatchObject({ exitCode: 0 });
  expect(bytes()).toBeGreaterThan(500 * KILOBYTE);
  expect(bytes()).toBeLessThanOrEqual(MEGABYTE);
  expect(FILES.filter((file) => file.includes('/live-status-'))).toHaveLength(1);
  expect(files().filter((file) => file.includes('/live-status-'))).toEqual([]);
  expect(ownModules()).toContain('http');
  expect(ownModules().filter((name) => SLOW_MODULES.includes(name))).toEqual([]);
});

it('a run with its memory on a branch asks GitHub and the model without fetch', async () => {
  const { env, ownModules } = watchLoading();
  const scene = await branchScene({ branch: { 'ask.md': earlierEntry('It was fine.') } });
  expect(await scene.run({ env })).toMatchObject({ exitCode: 0 });
  expect(scene.memory('ask.md')).toContain('Answer 0.');
  expect(ownModules()).toContain('http');
  expect(ownModules().filter((name) => SLOW_MODULES.includes(name))).toEqual([]);
});

it('a review with its memory in the cache asks GitHub, the cache and the model without fetch', async () => {
  const { env, ownModules } = watchLoading();
  const stage = await setStage({ event: { name: 'pull_request', action: 'opened' } });
  for (const _ of ['saves', 'restores'])
    expect(await stage.run({ env, inputs: { 'memory-store': 'cache' } })).toMatchObject({
      exitCode: 0,
      outputs: { 'memory-saved': 'true' },
    });
  expect(ownModules()).toContain('https');
  expect(ownModules().filter((name) => SLOW_MODULES.includes(name))).toEqual([]);
});

it('a post step with nothing to save loads two small files', async () => {
  const { env, bytes } = watchLoading();
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  const main = await stage.run({
    inputs: { prompt: 'Why?', agent: '', model: 'anthropic/claude-sonnet-4-5' },
  });
  expect((await stage.post(main, { env })).stdout).toBe('Memory: nothing is left to save.\n');
  expect(bytes()).toBeLessThanOrEqual(4 * KILOBYTE);
});
