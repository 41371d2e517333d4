import { main } from './actions/main.js';
import type { Runner } from './actions/runner/runner.js';

const runner: Runner = {
  env: process.env,
  workspace: process.env['GITHUB_WORKSPACE'] ?? process.cwd(),
  cwd: process.cwd(),
  temp: process.env['RUNNER_TEMP'] ?? '',
  log: (line) => process.stdout.write(`${line}\n`),
  fail: () => {
    process.exitCode = 1;
  },
  onCancel(cancelled) {
    process.once('SIGINT', cancelled);
    process.once('SIGTERM', cancelled);
  },
};

// `post.ts` loads this file with the word `post`; the runner itself gives no arguments.
if (process.argv[2] === 'post') {
  const { post } = await import('./actions/post.js');
  await post(runner);
} else await main(runner);

// What was given up (a cache service that says nothing) would keep the step waiting otherwise.
process.stdout.write('', () => process.exit());
