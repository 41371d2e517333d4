// src → lib (tsc) → dist/program (ncc: one bundle for the three entries) → minified, file by file,
// with a starter for each entry. The same sources give the same bytes on every machine.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from 'esbuild';

const PROGRAM = 'dist/program';

/**
 * What `runs:` of action.yml and `bin` of package.json name, and the entry of the program that each
 * starts.
 */
const STARTERS = {
  'dist/index.js': "import { action } from './program/index.js';\nawait action();\n",
  'dist/post.js': "import { post } from './program/index.js';\nawait post();\n",
  'dist/cli/index.js':
    "#!/usr/bin/env node\nimport { cli } from '../program/index.js';\nawait cli();\n",
};

process.chdir(resolve(import.meta.dirname, '..'));
for (const folder of ['lib', 'dist']) rmSync(folder, { recursive: true, force: true });
run('typescript', 'bin/tsc', ['-p', 'tsconfig.build.json']);
const options = ['-C', '--license', 'licenses.txt', '--target', 'es2022', '-o', PROGRAM, '--quiet'];
run('@vercel/ncc', 'dist/ncc/cli.js', ['build', 'lib/index.js', ...options]);
for (const name of readdirSync(PROGRAM).filter((file) => file.endsWith('.js'))) {
  const path = join(PROGRAM, name);
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
  });
  writeFileSync(path, code);
}
for (const [path, code] of Object.entries(STARTERS)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
}
// Without the repository's own, Node would take the starters for CommonJS.
for (const name of ['package.json', 'licenses.txt'])
  renameSync(join(PROGRAM, name), join('dist', name));
// The figures of models are data of a project that no package brings along.
appendFileSync('dist/licenses.txt', `\n\n${readFileSync('scripts/models/LICENSE', 'utf8')}`);
chmodSync('dist/cli/index.js', 0o755);

function run(name, program, words) {
  const home = createRequire(import.meta.url)
    .resolve(`${name}/package.json`)
    .replace(/package\.json$/, '');
  const { status } = spawnSync(process.execPath, [join(home, program), ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${name} failed with status ${status}`);
}
