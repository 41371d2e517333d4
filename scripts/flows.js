// Counts the files and functions of src/ that a flow passes through:
//   npm run flows
// A pull request up to its review, and one entry of memory up to its commit, are run with V8's own
// counters on the sources as they are; the value of `max-cost-usd-per-pr` is followed by its name.
// It fails where a flow grew over its limit. A limit rises only in a commit that says why: merging
// files to stay below it runs into the length of functions, splitting functions into their number.
import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import '../eval/typescript.js';

const SRC = new URL('../src/', import.meta.url);
const { openWorld } = await import('../eval/world.ts');
const { chooseCases, loadCases } = await import('../eval/load.ts');
const { playFirst } = await import('../eval/play.ts');
const { scriptedSetting } = await import('../eval/settings.ts');
const { endOutsideOfTests } = await import('../__tests__/helpers/test-end.ts');
const { startGitHubServer } = await import('../__tests__/helpers/github-server.ts');

/** Prints a flow. Sets the exit status to 1 where it passes through more than `most`. */
function report(name, { files, functions }, most) {
  process.stdout.write(`${name.padEnd(44)} ${files} files, ${functions} functions\n`);
  if (files <= most.files && functions <= most.functions) return;

  process.stderr.write(`${name}: at most ${most.files} files, ${most.functions} functions\n`);
  process.exitCode = 1;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
// The record is saved, looked at, and then posted; entries are chosen by subject; places of findings
// are looked up by what they quote; the diff is shown with the numbers of its lines, and read so by
// the offline rules; a call that is written loosely is read. Answers on other pull requests are read
// in one query, rules for paths with the guidance, and facts about the change with the memory; tests
// of findings are looked for; the run is kept as one record, and said in a check while it goes on.
// Each step of a run, and each surface that it is said on, has a file of its own; rules in a project's
// own words are looked for; dismissals are decided before what the same run raises; the end of a run is
// written as a record, and each surface is made of that alone. A run looks whether somebody has
// pushed since it began. Files of a hidden memory are counted in warnings, not named.
report('a pull request to its review', await counted(review), { files: 202, functions: 1554 });
report('one entry of memory to its commit', await counted(await entryToCommit()), {
  files: 15,
  functions: 84,
});
report('`max-cost-usd-per-pr`', namesOf(/perPullUsd|max-cost-usd-per-pr/), {
  files: 5,
  functions: 11,
});
await endOutsideOfTests();

/** What ran of src/ while this did. */
async function counted(flow) {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await flow();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const ran = result
    .filter(({ url }) => url.startsWith(SRC.href))
    .map(
      ({ functions }) =>
        functions.filter(({ functionName, ranges: [range] }) => functionName && range.count > 0)
          .length,
    );
  return {
    files: ran.filter((number) => number > 0).length,
    functions: ran.reduce((sum, number) => sum + number, 0),
  };
}

/** The first run of a case whose answers are scripted, with a finding and memory on a branch. */
async function review() {
  const world = await openWorld();
  const [loaded] = chooseCases(loadCases(), ['refund-retry']);
  await playFirst(world, loaded, scriptedSetting(world.gateway));
  await world.close();
}

/**
 * Save of one entry on a branch that has another, from the store's door to the commit; the client
 * is made before.
 */
async function entryToCommit() {
  const { append } = await import('../__tests__/memory/stores/entries.ts');
  const { GITHUB_TOKEN } = await import('../__tests__/helpers/github-server.ts');
  const { createGitHubClient } = await import('../src/github/client/client.ts');
  const { createClock } = await import('../src/lib/clock.ts');
  const { openBranchMemory } = await import('../src/memory/stores/branch/branch-store.ts');
  const github = await startGitHubServer({ validate: false });
  github.addRepo('octocat/hello', { contents: 'write' });
  github.commit('octocat/hello', { 'bot.md': '' }, { branch: 'axe-memory' });
  const clock = createClock();
  const { GITHUB_API_URL: apiUrl, GITHUB_GRAPHQL_URL: graphqlUrl } = github.env;
  const client = await createGitHubClient({
    token: GITHUB_TOKEN,
    apiUrl,
    graphqlUrl,
    fetch: globalThis.fetch,
    userAgent: 'axe-action/flows',
    clock,
  });
  const place = {
    client,
    owner: 'octocat',
    name: 'hello',
    branch: 'axe-memory',
    folder: '',
    env: {},
    clock,
    mayCreate: true,
  };
  return async () => {
    const saved = await openBranchMemory(place).write([append('a')], new AbortController().signal);
    if (saved.kind !== 'saved') throw new Error(`not saved: ${JSON.stringify(saved)}`);
    await github.close();
  };
}

/** Where a value is named, and in how many functions or types at the top of a file. */
function namesOf(name) {
  const texts = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(new URL(file, SRC), 'utf8'))
    .filter((text) => name.test(text));
  const parts = texts.flatMap((text) =>
    text.split(/^(?=(?:export )?(?:async )?(?:function|interface|type|const|class) )/m),
  );
  return { files: texts.length, functions: parts.filter((part) => name.test(part)).length };
}
