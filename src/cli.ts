#!/usr/bin/env node
import { keepCompiledCode } from './cli/compiled-code.js';

// A reader that has seen enough (`axe-action … | head`) is no error.
process.stdout.on('error', () => undefined);

// Whatever is loaded after this is compiled once on this machine, not at every start (D34).
keepCompiledCode(process.env);
const { main } = await import('./cli/main.js');

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
