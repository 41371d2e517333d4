// Asks what trust decides and what becomes of findings, and prints four lines; the status is 0 only if
// all are as promised. It starts the built dist/:
//   npm run test:authority
// The 55 situations of docs/security.md are asked of the whole program. A model that obeys carries words
// through 20,000 histories of runs, and 6,500 pull requests are lived through step by step; `npm test`
// draws a tenth of both. Nine stories that findings must survive run through the built program.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LEAST_RUNS = 150_000;
const LEAST_STEPS = 100_000;
const RULES = 6;

/** The test of each story: a file of `__tests__/transcripts`, and how the test's title begins. */
const STORIES = {
  'P0: a red check takes no right': [
    'a-red-check-takes-no-right',
    'a pull request with a red check keeps its titles',
  ],
  'P1: without a memory, a finding that blocks can be settled': [
    'what-was-decided-of-a-finding-stays-true',
    'without a memory, a finding that blocks is settled',
  ],
  'P2: what was deleted does not come back': [
    'what-was-decided-of-a-finding-stays-true',
    'a deleted line is evidence',
  ],
  'P3: a fault that is back is raised, although a person had closed it': [
    'a-finding-lives-until-the-code-or-a-person-ends-it',
    'a finding is back when its fix is removed again',
  ],
  'P4: an Unresolve is heard': [
    'what-was-decided-of-a-finding-stays-true',
    'an Unresolve opens a finding again',
  ],
  'P5: two faults on one line are two findings': [
    'a-finding-lives-until-the-code-or-a-person-ends-it',
    'two faults',
  ],
  'P6: a range is in its order': [
    'what-was-decided-of-a-finding-stays-true',
    'lines in the wrong order are one range',
  ],
  'P7: a killed run loses nothing, and nothing is said twice': [
    'what-was-found-is-said-however-a-run-ends',
    'a run that is killed',
  ],
  'P8: an edited comment stays the one of its finding': [
    'what-was-decided-of-a-finding-stays-true',
    'a comment of ours that a person has edited',
  ],
};
const TRANSCRIPTS = new Set(Object.values(STORIES).map(([file]) => file));

const folder = mkdtempSync(join(tmpdir(), 'axe-action-authority-'));
const [results, runsFile, stepsFile] = ['results.json', 'runs', 'steps'].map((name) =>
  join(folder, name),
);
const jest = spawnSync(
  process.execPath,
  [
    join(import.meta.dirname, 'test.js'),
    '__tests__/authority',
    ...[...TRANSCRIPTS].map((file) => `__tests__/transcripts/${file}`),
    '--json',
    `--outputFile=${results}`,
    '--silent',
  ],
  {
    env: {
      ...process.env,
      PROPERTY_RUNS: '10',
      AUTHORITY_RUNS: runsFile,
      AUTHORITY_STEPS: stepsFile,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
const files = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')).testResults : [];
const tests = files.flatMap((file) => file.assertionResults);
const numberIn = (file) => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
const [runs, steps] = [numberIn(runsFile), numberIn(stepsFile)];
rmSync(folder, { recursive: true, force: true });

const situations = tests.filter(({ title }) => title.includes(' is decided as the table says'));
const differing = situations.filter(({ status }) => status !== 'passed');
const rules = tests.filter(({ title }) => / is needed: without it /.test(title));
const needed = rules.filter(({ status }) => status === 'passed');
const hasPassed = (start) =>
  tests.find(({ title }) => title.startsWith(start))?.status === 'passed';
const breachesOf = (start) => (hasPassed(start) ? '0 breaches' : 'breached');
const isTold = ([file, start]) => {
  const { assertionResults = [] } = files.find(({ name }) => name.includes(`/${file}.test.`)) ?? {};
  const meant = assertionResults.filter(({ fullName }) => fullName.startsWith(start));
  return meant.length > 0 && meant.every(({ status }) => status === 'passed');
};
const untold = Object.entries(STORIES).flatMap(([name, test]) => (isTold(test) ? [] : [name]));
const stories = Object.keys(STORIES).length;

const FLOW = 'no run of our own is shown';
const LIVES = 'keeps its promises in every life';
process.stdout.write(
  [
    `${situations.length} situations, ${differing.length} differ from the table`,
    `flow: ${runs} runs, ${breachesOf(FLOW)}, ${needed.length} of ${rules.length} rules needed`,
    `lives: ${steps} steps on the product's own functions, ${breachesOf(LIVES)}`,
    `P0–P8: ${stories - untold.length} of ${stories}`,
    ...untold.map((name) => `  not so: ${name}`),
    '',
  ].join('\n'),
);
const isHeld = runs >= LEAST_RUNS && needed.length === RULES && differing.length === 0;
const isLived = steps >= LEAST_STEPS && hasPassed(LIVES) && untold.length === 0;
process.exit(jest.status === 0 && isHeld && isLived ? 0 : 1);
