// Benchmarks: `npm run bench [name …]`. They print figures and ratios and judge nothing; a test
// never asserts a time. `rival` installs a package and runs only by its name.
import { appends } from './appends.js';
import { review } from './review.js';
import { rival } from './rival.js';
import { startUp } from './start-up.js';

const BENCHMARKS = { 'start-up': startUp, review, appends, rival };

const wanted = process.argv.slice(2);
process.stdout.write(`Node ${process.version}, ${process.platform} ${process.arch}\n`);
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 ? !wanted.includes(name) : name === 'rival') continue;
  process.stdout.write(`\n${name}\n`);
  for (const line of await run()) process.stdout.write(`  ${line}\n`);
}
