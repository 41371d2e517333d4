// Checks the docs as a whole: `npm run docs:check`. Reference pages, links, sentences, promises, snippets,
// questions and pictures, the examples, and the workflows in them; where actionlint is installed, that too.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const SUITES = [
  ...['__tests__/docs', '__tests__/examples', '__tests__/readme', '__tests__/action-yml'],
  '__tests__/runner/workflow',
];

/** GitHub's key for a longer queue, which actionlint does not know. */
const UNKNOWN_KEY = 'unexpected key "queue"';

process.chdir(join(import.meta.dirname, '..'));
const tests = run(process.execPath, ['scripts/test.js', ...SUITES]);
const lint = run('actionlint', ['-ignore', UNKNOWN_KEY, ...globSync('examples/workflows/*.yml')]);
if (lint === undefined) process.stdout.write('actionlint is not installed, so it was not run.\n');
process.exitCode = tests === 0 && (lint ?? 0) === 0 ? 0 : 1;

/** The status of a program; undefined if it is not installed. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  return error?.code === 'ENOENT' ? undefined : (status ?? 1);
}
