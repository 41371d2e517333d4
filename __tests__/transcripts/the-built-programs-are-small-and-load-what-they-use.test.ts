import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from '@jest/globals';
import { importedPackages } from '../helpers/imported-packages.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { runLine } from './cli-scene.js';
import { setStage } from './stage.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const FILES = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.js'),
);
const KILOBYTE = 1000;

/** Preloaded into a program: writes down each file and each module of its own that Node loads. */
const WATCH = `import { appendFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED_FILES, url + '\\n');
    return next(url, context);
  },
});
process.on('exit', () =>
  writeFileSync(process.env.LOADED_FILES + '-of-node', process.moduleLoadList.join('\\n')),
);
`;

/** Variables that make a program write down what it loads, and the bytes of what it loaded. */
function watchLoading() {
  const folder = tempDir('loaded');
  writeFiles(folder, { 'watch.mjs': WATCH, loaded: '' });
  const loaded = join(folder, 'loaded');
  const files = () =>
    readFileSync(loaded, 'utf8')
      .split('\n')
      .filter((url) => url.includes('/dist/'));
  return {
    env: {
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'watch.mjs'))}`,
      LOADED_FILES: loaded,
    },
    /** Modules of Node's own that an ended program has loaded. */
    ofNode: () => readFileSync(`${loaded}-of-node`, 'utf8').split('\n'),
    bytes: () => files().reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0),
  };
}

// 0.13 MB of them read workflows with their positions (yaml), which `doctor`, `init` and
// `mode: validate` load.
// 0.07 MB are findings shown by a test on request, and checks in a project's own words.
// 0.02 MB are the record of a run, from which each surface is made, and its permissions at a start.
it('the built programs have at most 4.66 MB', () => {
  const bytes = FILES.reduce((sum, file) => sum + statSync(join(DIST, file)).size, 0);
  expect(bytes).toBeLessThanOrEqual(4660 * KILOBYTE);
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
  const further = [
    '@ai-sdk/provider-utils',
    '@azure/storage-blob',
    '@octokit/request',
    'zod',
    'models.dev',
  ];
  expect(lines).toEqual(expect.arrayContaining([...importedPackages(), ...further]));
  expect(lines.filter((line) => line === 'undefined')).toEqual([]);
});

it('the built programs name no folder of the machine that built them', () => {
  const naming = FILES.filter((file) => readFileSync(join(DIST, file), 'utf8').includes(ROOT));
  expect(naming).toEqual([]);
});

it('a post step with nothing to save loads next to nothing', async () => {
  const { env, bytes } = watchLoading();
  const stage = await setStage({ event: { name: 'workflow_dispatch' } });
  const main = await stage.run({
    inputs: { prompt: 'Why?', agent: '', model: 'anthropic/claude-sonnet-4-5' },
  });
  expect((await stage.post(main, { env })).stdout).toBe('Memory: nothing is left to save.\n');
  expect(bytes()).toBeLessThanOrEqual(12 * KILOBYTE);
});

it('a run on the command line loads what it uses, and not the fetch of Node next to ours', async () => {
  const { env, bytes, ofNode } = watchLoading();
  const files = {
    'axe/agents/bench.toml': 'name = "bench"\nmodel = "anthropic/claude-sonnet-4-5"\n',
  };
  const { exitCode, stdout } = await runLine(['run', 'bench', '-p', 'Hello.'], { files, env });
  expect([exitCode, stdout]).toEqual([0, 'Done.']);
  expect(bytes()).toBeLessThanOrEqual(1455 * KILOBYTE);
  expect(ofNode()).toContain('NativeModule net');
  expect(ofNode().filter((name) => name.includes('undici'))).toEqual([]);
});
