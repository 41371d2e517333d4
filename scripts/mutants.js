// Applies the mutants of mutants.json to src/ one after the other, each alone, and says which of
// them a test notices. Forty lines, drawn once: a room that is written anew brings its line and its
// tests along, and must not notice fewer.
//   npm run mutants -- 3 17    these two; without numbers all of them
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MUTANTS = JSON.parse(readFileSync('scripts/mutants.json', 'utf8'));
const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

const wanted = process.argv.slice(2).map(Number);
const survivors = [];
for (const [index, mutant] of MUTANTS.entries()) {
  const number = index + 1;
  if (wanted.length > 0 && !wanted.includes(number)) continue;
  const isKilled = tryOut(mutant, number);
  if (!isKilled) survivors.push(number);
  process.stdout.write(`${number} ${isKilled ? 'killed' : 'SURVIVED'}  ${mutant.replace}\n`);
}
const tried = wanted.length || MUTANTS.length;
process.stdout.write(`${tried - survivors.length} of ${tried} killed\n`);

/**
 * Throws where the line is not there exactly once: it has to be named anew then. Also where Jest
 * cannot even start.
 */
function tryOut({ find, replace, tests }, number) {
  const places = SOURCES.filter((file) => readFileSync(file, 'utf8').includes(find));
  const [file] = places;
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  if (places.length !== 1 || text.split(find).length !== 2)
    throw new Error(`mutant ${number} is in ${places.length} places: ${find}`);
  const stop = () => process.exit(130);
  process.once('SIGINT', stop);
  const restore = () => writeFileSync(file, text);
  process.once('exit', restore);
  try {
    writeFileSync(
      file,
      text.replace(find, () => replace),
    );
    const words = ['scripts/test.js', '--bail', tests];
    const { status, stderr } = spawnSync(process.execPath, words, {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (!/^Test Suites: /m.test(stderr)) throw new Error(`the tests did not run: ${stderr}`);
    return status !== 0;
  } finally {
    restore();
    process.off('exit', restore).off('SIGINT', stop);
  }
}
