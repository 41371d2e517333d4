#!/usr/bin/env node
import { main } from './cli/main.js';

// A reader that has seen enough (`axe-action … | head`) is no error.
process.stdout.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
