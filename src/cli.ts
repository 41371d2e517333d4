#!/usr/bin/env node
import { main } from './cli/main.js';
import { createSignalListener, endBySignal, programName } from './cli/terminal.js';

// A reader that has seen enough (`axe-action … | head`) or a terminal that was closed is not an
// error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  program: programName(process.argv[1]),
  programFolder: import.meta.dirname,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onInterrupt: createSignalListener(),
});
endBySignal(process.exitCode);
