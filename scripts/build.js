// src → lib (tsc) → dist (esbuild): one bundling for all three entries, so that what they share is there once. What a run may
// not need lies in chunks of its own, which `import()` loads. The same sources give the same bytes on every machine: names
// of chunks come from their content, and no path of the machine is among it.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { followPlan, planChunks } from './build-chunks.js';
import { licensesOf } from './build-licenses.js';
import {
  builtinModules,
  lazyEventStream,
  slimAzure,
  slimSdks,
  slimToolkit,
  withoutLocales,
} from './build-plugins.js';

/** The modules that a process starts with; the command line's own entry only turns on the cache of compiled code before. */
const STARTS = ['lib/action.js', 'lib/cli/main.js'];

const ROOT = resolve(import.meta.dirname, '..');
const PLUGINS = [builtinModules, lazyEventStream, slimAzure, slimSdks, slimToolkit, withoutLocales];
const OPTIONS = {
  absWorkingDir: ROOT,
  entryPoints: { index: 'lib/action.js', post: 'lib/post.js', 'cli/index': 'lib/cli.js' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  metafile: true,
  // As `new RegExp('…')`: V8 checks a literal whenever it reads past it, and for `\p{…}` builds sets of characters.
  supported: { 'regexp-unicode-property-escapes': false },
};

process.chdir(ROOT);
rmSync('lib', { recursive: true, force: true });
compile();
const { metafile: first } = await build({ ...OPTIONS, plugins: PLUGINS, minify: false, write: false });
rmSync('dist', { recursive: true, force: true });
const plan = followPlan(planChunks(first, STARTS), ROOT);
const { metafile } = await build({ ...OPTIONS, plugins: [...PLUGINS, plan] });
writeFileSync('dist/package.json', `${JSON.stringify({ type: 'module' })}\n`);
writeFileSync('dist/licenses.txt', licensesOf(metafile));

function compile() {
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace(/package\.json$/, 'bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return;
  process.stderr.write(`the compiler failed with status ${status}\n`);
  process.exit(1);
}
