// Checks on GitHub itself what the action takes for granted of it, in a scratch repository of
// yours: see CONTRIBUTING.md, "Verify it on GitHub".
import '../eval/typescript.js';

const { main } = await import('./main.ts');

process.exitCode = await main({
  args: process.argv.slice(2),
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  say: (line) => process.stderr.write(`${line}\n`),
});
