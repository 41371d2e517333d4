// src → lib (tsc) → dist (ncc, then minified): one bundle for main and post of the action, one for the command line,
// and the small entry of post, which loads the first only if something is left to save.
// `dist/` is cleaned first, because the numbers of ncc's chunks change from build to build.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build, buildSync } from 'esbuild';

const require = createRequire(import.meta.url);
const tsc = require.resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');
const ncc = require.resolve('@vercel/ncc/package.json').replace(/package\.json$/, 'dist/ncc/cli.js');

const OUTPUT = { minify: true, platform: 'node', format: 'esm', target: 'node20.19', legalComments: 'none' };

rmSync('lib', { recursive: true, force: true });
node(tsc, '-p', 'tsconfig.build.json');
rmSync('dist', { recursive: true, force: true });
bundle('lib/action.js', 'dist');
bundle('lib/cli.js', 'dist/cli');
await bundlePost('lib/post.js', 'dist/post.js');

/** Runs a Node program and stops the build if it fails. */
function node(program, ...args) {
  const { status } = spawnSync(process.execPath, [program, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) {
    process.stderr.write(`${program} ${args.join(' ')} failed with status ${status}\n`);
    process.exit(1);
  }
}

/** ncc keeps the chunks of `import()` unminified, so esbuild goes over every file. */
function bundle(entry, outDir) {
  node(ncc, 'build', entry, '-o', outDir, '--license', 'licenses.txt', '--no-cache');
  completeLicenses(outDir);
  for (const name of readdirSync(outDir)) {
    if (!name.endsWith('.js')) continue;
    const file = join(outDir, name);
    buildSync({
      ...OUTPUT,
      entryPoints: [file],
      outfile: file,
      allowOverwrite: true,
      bundle: false,
      // As `new RegExp('…')`: V8 checks a literal whenever it reads past it, and for `\p{…}` builds sets of characters.
      supported: { 'regexp-unicode-property-escapes': false },
    });
  }
}

/** The entry of post with what it always needs; the action's bundle stays a file of its own, where ncc has put it. */
async function bundlePost(entry, outfile) {
  const action = {
    name: 'action',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\/action\.js$/ }, () => ({ path: './index.js', external: true })),
  };
  await build({ ...OUTPUT, entryPoints: [entry], outfile, bundle: true, plugins: [action] });
}

/** ncc's list leaves out what went into the entry's own file; until it is minified, comments name where it is from. */
function completeLicenses(outDir) {
  const list = join(outDir, 'licenses.txt');
  const listed = new Set(readFileSync(list, 'utf8').split('\n'));
  const code = readFileSync(join(outDir, 'index.js'), 'utf8');
  const folders = code.match(/(?<= MODULE: )\S*node_modules\/(?:@[^/\s]+\/)?[^/\s]+/g) ?? [];
  for (const folder of [...new Set(folders)].sort()) {
    const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (listed.has(name)) continue;
    const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
    appendFileSync(list, `\n\n${name}\n${license}\n${readFileSync(join(folder, file), 'utf8')}`);
  }
}
