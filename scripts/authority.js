// Asks what trust decides, and prints two lines; the status is 0 only if both are as promised:
//   npm run test:authority
// The 55 situations of docs/security.md are asked of the whole program. A model that obeys carries words
// through 20,000 histories of runs, a tenth of which `npm test` draws, also without each of the rules.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LEAST_RUNS = 150_000;
const RULES = 6;

const folder = mkdtempSync(join(tmpdir(), 'axe-action-authority-'));
const [results, runsFile] = ['results.json', 'runs'].map((name) => join(folder, name));
const jest = spawnSync(
  process.execPath,
  [
    join(import.meta.dirname, 'test.js'),
    '__tests__/authority',
    '--json',
    `--outputFile=${results}`,
    '--silent',
  ],
  {
    env: { ...process.env, PROPERTY_RUNS: '10', AUTHORITY_RUNS: runsFile },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const tests = existsSync(results)
  ? JSON.parse(readFileSync(results, 'utf8')).testResults.flatMap((file) => file.assertionResults)
  : [];
const runs = existsSync(runsFile) ? Number(readFileSync(runsFile, 'utf8')) : 0;
rmSync(folder, { recursive: true, force: true });

const situations = tests.filter(({ title }) => title.includes(' is decided as the table says'));
const differing = situations.filter(({ status }) => status !== 'passed');
const rules = tests.filter(({ title }) => / is needed: without it /.test(title));
const needed = rules.filter(({ status }) => status === 'passed');
const flow = tests.find(({ title }) => title.startsWith('no run of our own is shown'));
const breaches = flow?.status === 'passed' ? '0 breaches' : 'breached';
process.stdout.write(
  `${situations.length} situations, ${differing.length} differ from the table\n` +
    `flow: ${runs} runs, ${breaches}, ${needed.length} of ${rules.length} rules needed\n`,
);
const isHeld = runs >= LEAST_RUNS && needed.length === RULES && differing.length === 0;
process.exit(jest.status === 0 && isHeld ? 0 : 1);
