// Measures reviews: whole runs of the action over the cases in eval/cases, against GitHub in
// memory. See docs/evaluation.md.
import './typescript.js';

const { main } = await import('./main.ts');
const { endOutsideOfTests } = await import('../__tests__/helpers/test-end.ts');

// A run takes the place of this process, its environment and its output, for as long as it lasts.
const env = { ...process.env };
const write = process.stdout.write.bind(process.stdout);
process.exitCode = await main({
  args: process.argv.slice(2),
  env,
  print: (line) => write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
});
await endOutsideOfTests();
