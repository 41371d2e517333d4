// Runs agents with the model of a server that a person has, and checks that every end is true
// (`npm run try:local -- --url … --model …`).
import './typescript.js';

const { main } = await import('./local.ts');
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
