import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseCase } from '../../eval/case.js';
import { startGateway } from '../../eval/gateway.js';
import { CASES } from '../../eval/load.js';
import { estimateUsd, reviewsToDo, runSet, type SetOptions } from '../../eval/run-set.js';
import { readSet } from '../../eval/set.js';
import { COLUMNS, formatScore, type Score, scoreChange } from '../../eval/set-score.js';
import { openWorld, type World } from '../../eval/world.js';
import { makeGitRepo } from '../helpers/git-repo.js';
import { tempDir } from '../helpers/temp.js';

const MODEL = 'anthropic/claude-sonnet-5-5';
const SIX = [
  'export-admin',
  'refund-retry',
  'invite-mail',
  'page-limit',
  'token-check',
  'discount-rule',
];

const caseOf = (name: string) => {
  const file = join(CASES, name, 'case.json');
  return parseCase(readFileSync(file, 'utf8'), file);
};

/** Six changes of two repositories, in the form of AACR-Bench, with what the cases say of them. */
function makeSet() {
  const folder = tempDir('set');
  const repositories = ['acme/one', 'acme/two'].map((name) => {
    const path = join(folder, name);
    cpSync(join(CASES, SIX[0] ?? '', 'base'), path, { recursive: true });
    return makeGitRepo(path);
  });
  const entries = SIX.map((name, index) => {
    const repo = repositories[index % 2];
    if (repo === undefined) throw new Error('two repositories');
    const commitOf = (version: string) => {
      for (const entry of readdirSync(repo.path))
        if (entry !== '.git') rmSync(join(repo.path, entry), { recursive: true });
      cpSync(join(CASES, name, version), repo.path, { recursive: true });
      return repo.commit(`${name}: ${version}`, {});
    };
    const [base, head] = [commitOf('base'), commitOf('head')];
    const comments = caseOf(name).expect.map(({ path, lines: [from, to], wordings: [note] }) => {
      return { path, note, side: 'right', from_line: from, to_line: to };
    });
    const url = `${repo.path}/pull/${index + 1}`;
    return { githubPrUrl: url, source_commit: head, target_commit: base, comments };
  });
  const file = join(folder, 'positive.json');
  const write = (set: readonly unknown[]) => writeFileSync(file, JSON.stringify(set));
  write(entries);
  return { folder, file, entries, write };
}

function optionsOf(
  set: { folder: string; file: string },
  more: Partial<SetOptions> = {},
): SetOptions {
  return {
    set: set.file,
    model: 'offline/rules',
    capUsd: undefined,
    hasMemory: false,
    isConfirmed: true,
    out: join(set.folder, 'score.json'),
    folder: join(set.folder, 'clones'),
    ...more,
  };
}

async function start(world: World, options: SetOptions, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const keep = (line: string) => void lines.push(line);
  const status = await runSet(world, options, { env, print: keep, say: keep });
  return { status, said: lines.join('\n') };
}

const readScore = ({ out }: SetOptions): Score => JSON.parse(readFileSync(out, 'utf8'));
const pageOf = ({ out }: SetOptions) => readFileSync(out.replace('.json', '.md'), 'utf8');
const timeless = (page: string) => page.replace(/\d+ \|$/gm, 'n |');

it('six changes, stopped in the middle and begun again, have the page of one start', async () => {
  const world = await openWorld();
  const set = makeSet();
  const whole = optionsOf(set, { out: join(set.folder, 'whole.json') });
  expect(await start(world, whole)).toMatchObject({ status: 0 });

  const stopped = optionsOf(set, { folder: join(set.folder, 'clones-2') });
  // As if the process had ended after the fourth of six reviews.
  let reviews = 0;
  const ending: World = {
    ...world,
    github: {
      ...world.github,
      addRepo(...args) {
        reviews += 1;
        if (reviews > 4) throw new Stopped();
        return world.github.addRepo(...args);
      },
    },
  };
  await start(ending, stopped);
  expect(readScore(stopped).results.filter(({ failure }) => failure === undefined)).toHaveLength(4);
  const again = await start(world, stopped);
  expect(again.said).toContain('offline/rules: 2 reviews. They cost nothing.');
  expect(timeless(pageOf(stopped))).toBe(timeless(pageOf(whole)));
  expect(await start(world, stopped)).toEqual({ status: 0, said: 'All changes are done.' });
});

class Stopped extends Error {}

it('a recorded model is scored by what it found, and its cost is said before it is asked', async () => {
  const world = await openWorld();
  const upstream = await startGateway();
  const set = makeSet();
  const [name = ''] = SIX;
  const { answers, verdicts } = caseOf(name);
  upstream.answerFrom({ kind: 'script', script: { turns: answers[0] ?? [], verdicts } });
  set.write(set.entries.slice(0, 1));
  const env = { ANTHROPIC_API_KEY: 'eval-no-key', AXE_ANTHROPIC_BASE_URL: upstream.url };
  const options = optionsOf(set, { model: MODEL, capUsd: 5, hasMemory: true });
  const unconfirmed = await start(world, { ...options, isConfirmed: false }, env);
  expect(unconfirmed.status).toBe(2);
  expect(unconfirmed.said).toMatch(
    /3 reviews\. They will cost about \$0\.\d\d, and stop at \$5\.00\.\nAdd --yes/,
  );
  expect(upstream.requests()).toEqual([]);
  expect(existsSync(options.out)).toBe(false);

  expect(await start(world, options, env)).toMatchObject({ status: 0 });
  const { results } = readScore(options);
  expect(results.map(({ column }) => column)).toEqual(COLUMNS);
  for (const result of results)
    expect(result).toMatchObject({ found: caseOf(name).expect.length, missed: 0, wrongPlace: 0 });
  const requests = upstream.requests().map(({ body }) => JSON.stringify(body));
  const calls = results.reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(calls).toBe(requests.length);
  // Only the reviewer with notes is offered to keep facts.
  const withNotes = requests.slice(-(results.at(-1)?.usage.calls ?? 0));
  const offering = requests.filter((body) => body.includes('"memory_write"'));
  expect(offering[0]).toBe(withNotes[0]);
});

it.each([
  [
    'a repository that is gone',
    { githubPrUrl: '/nowhere/acme/gone/pull/7' },
    /it cannot be checked out/,
  ],
  ['a commit that is gone', { source_commit: '0'.repeat(39) + '1' }, /it cannot be checked out/],
])('%s ends one change', async (_, patch, words) => {
  const world = await openWorld();
  const set = makeSet();
  set.write([{ ...set.entries[0], ...patch }, set.entries[1]]);
  const options = optionsOf(set);
  expect(await start(world, options)).toMatchObject({ status: 1 });
  const { results } = readScore(options);
  expect(results.map(({ failure }) => failure)).toEqual([expect.stringMatching(words), undefined]);
  expect(pageOf(options)).toContain('1 of 2 changes.');
});

it('a key that ends in the middle ends its changes, and the next start tries them again', async () => {
  const world = await openWorld();
  const set = makeSet();
  set.write(set.entries.slice(0, 2));
  const options = optionsOf(set, { model: MODEL, capUsd: 5 });
  const refusing = await startGateway();
  const env = { ANTHROPIC_API_KEY: 'eval-no-key', AXE_ANTHROPIC_BASE_URL: refusing.url };
  const first = await start(world, options, env);
  expect(first.status).toBe(1);
  expect(first.said).toContain('2 reviews failed. Start it again, and it tries them again.');
  refusing.answerFrom({
    kind: 'script',
    script: { turns: [[{ tool: 'submit_review', input: { summary: 'Nothing.' } }]], verdicts: [] },
  });
  expect(await start(world, options, env)).toMatchObject({ status: 0 });
  expect(readScore(options).results.map(({ failure }) => failure)).toEqual([undefined, undefined]);
});

it('a score of another model is not overwritten', async () => {
  const world = await openWorld();
  const set = makeSet();
  const options = optionsOf(set);
  writeFileSync(
    options.out,
    JSON.stringify({ model: 'other', version: '1', set: 's', columns: [] }),
  );
  await expect(start(world, options)).rejects.toThrow(/is the score of other/);
});

const ENTRY = {
  githubPrUrl: 'https://github.com/a/b/pull/3',
  source_commit: 'abcdef1',
  target_commit: 'abcdef2',
  comments: [],
};

it.each([
  ['no JSON', '{', /cannot be read/],
  ['nothing', '[]', /has no changes/],
  ['no address', JSON.stringify([{ ...ENTRY, githubPrUrl: 'x' }]), /not the address of a pull/],
  ['no commit', JSON.stringify([{ ...ENTRY, source_commit: '--upload-pack=x' }]), /not the sha/],
  ['one change twice', JSON.stringify([ENTRY, ENTRY]), /has a\/b#3 twice/],
])('a set with %s is refused', (_, text, words) => {
  const file = join(tempDir(), 'set.json');
  writeFileSync(file, text);
  expect(() => readSet(file)).toThrow(words);
});

it('the changes of a repository come together, the oldest first, with ranges in order', () => {
  const file = join(tempDir(), 'set.json');
  const comment = { path: 'a.ts', note: 'x', from_line: 9, to_line: 4 };
  const entry = (pull: string, more = {}) => ({
    ...ENTRY,
    githubPrUrl: `https://github.com/${pull}`,
    ...more,
  });
  const entries = [
    entry('a/b/pull/10', { comments: [comment], change_line_count: 7 }),
    entry('a/c/pull/1'),
    entry('a/b/pull/9'),
  ];
  writeFileSync(file, JSON.stringify(entries));
  const read = readSet(file);
  expect(read.map(({ name }) => name)).toEqual(['a/b#9', 'a/b#10', 'a/c#1']);
  expect(read.map(({ changedLines }) => changedLines)).toEqual([250, 7, 250]);
  expect(read[1]?.annotations).toEqual([{ path: 'a.ts', text: 'x', lines: [4, 9] }]);
});

const note = 'The connection is never returned to the pool after a timeout';
const at = (path: string, line: number, text = 'x') => ({ path, line, text });

it.each([
  ['on its lines', [at('a.ts', 12)], [1, 0, 0, 0]],
  ['five lines away', [at('a.ts', 20)], [1, 0, 0, 0]],
  ['six lines away', [at('a.ts', 21)], [0, 0, 1, 1]],
  ['elsewhere, in its words', [at('b.ts', 90, note)], [0, 1, 0, 0]],
  ['twice on its lines', [at('a.ts', 12), at('a.ts', 13)], [1, 0, 0, 0]],
  ['and something else', [at('a.ts', 12), at('a.ts', 90)], [1, 0, 0, 1]],
  ['nothing', [], [0, 0, 1, 0]],
])('an annotation is compared with a finding %s', (_, posted, counts) => {
  const score = scoreChange([{ path: 'a.ts', lines: [10, 15], text: note }], posted);
  expect([score.found, score.wrongPlace, score.missed, score.unconfirmed]).toEqual(counts);
});

it('all columns of a change are reviewed before the next one, but for those that are done', () => {
  const usage = { calls: 2, inputTokens: 1000, outputTokens: 500, costUsd: 0.0125 };
  const counts = { found: 1, wrongPlace: 2, missed: 3, unconfirmed: 4, usage, seconds: 10.4 };
  const results = [
    { name: 'a/b#1', column: 'without memory' as const, ...counts },
    { name: 'a/b#2', column: 'with memory' as const, ...counts, failure: 'no key' },
  ];
  const changes = [{ name: 'a/b#1' }, { name: 'a/b#2' }];
  const todo = reviewsToDo({ columns: COLUMNS.slice(0, 2), results }, changes);
  expect(todo.map(({ column, change }) => `${change.name} ${column}`)).toEqual([
    'a/b#1 with memory',
    'a/b#2 without memory',
    'a/b#2 with memory',
  ]);
});

it('the cost of a review grows with its change', () => {
  const price = { input: 3, output: 15 };
  expect(estimateUsd(0, price)).toBeCloseTo((6 * 12_000 * 3 + 4_000 * 15) / 1e6);
  expect(estimateUsd(500, price)).toBeCloseTo((6 * 22_000 * 3 + 4_000 * 15) / 1e6);
});

it('the page sums what was scored, and lists what failed', () => {
  const usage = { calls: 2, inputTokens: 1000, outputTokens: 500, costUsd: 0.0125 };
  const column = 'without memory' as const;
  const counts = { found: 1, wrongPlace: 2, missed: 3, unconfirmed: 4, usage, seconds: 10.4 };
  const page = formatScore({
    model: MODEL,
    version: '1.0.0',
    date: '2026-01-02',
    set: 'set.json (0123abcd)',
    columns: [column],
    changes: 4,
    results: [
      { name: 'a/b#1', column, ...counts },
      { name: 'a/b#2', column, ...counts },
      { name: 'a/b#3', column, ...counts, failure: 'refused: no | key' },
    ],
  });
  expect(page).toContain('2 of 4 changes.');
  expect(page).toContain('| a/b#1 | 1 | 2 | 3 | 4 | 2 | 1,500 | 0.0125 | 10 |');
  expect(page).toContain('| **Sum** | 2 | 4 | 6 | 8 | 4 | 3,000 | 0.0250 | 21 |');
  expect(page).toContain('- a/b#3 failed: refused: no \\| key');
});
