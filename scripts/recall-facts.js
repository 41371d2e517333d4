// Replays facts about lines of code over a checkout's own history, with the functions of src/:
//   npm run recall -- --facts --repo PATH [--gap 100,200] [--ends 0,100] [--files 14] [--seed 1]
// Lines of a commit are cited as facts, and looked up that many first-parent commits later. Whether a
// line is still there is what `git blame -w -M -C -C` says, in two ways:
// - by each commit in between. A line that was taken out and put back is another one then. Only first
//   parents are followed: with branches the oldest commit that is named can be another one than that
//   of the fact.
// - by the two ends, as if one commit had made the whole change. A line that was put back is there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { createBaseReader } = await import('../src/run/cite.ts');
const { checkNotes, formatCitation } = await import('../src/memory/citations.ts');
const { countWords, normalizeCode } = await import('../src/lib/text/code.ts');

const LINES_OF_A_FILE = 8;
const MAX_CODE = 200;
const LEAST_WORDS = 2;
const UNKNOWN_COMMIT = 'f'.repeat(40);
const SOURCE =
  /^(?!.*(?:^|\/)(?:vendor|node_modules|dist)\/)(?!.*\.min\.)(?!.*\.(?:md|mdx|rst|adoc|txt|lock|json|ya?ml|toml|svg|png|snap|sum|mod)$).*\.\w{1,4}$/;
const AUTHOR = {
  GIT_AUTHOR_NAME: 'recall',
  GIT_AUTHOR_EMAIL: 'recall@example.com',
  GIT_COMMITTER_NAME: 'recall',
  GIT_COMMITTER_EMAIL: 'recall@example.com',
};
const NO_FACT = /^(?:import|from|package|\/\/|#|\*|\/\*)/;

/** Prints how many facts were given that are true, and how many that are not. */
export async function replayFacts({ repo, gaps, ends, files, seed }) {
  const clone = mkdtempSync(join(tmpdir(), 'recall-'));
  try {
    execFileSync('git', ['clone', '-q', '--shared', '--no-checkout', repo, clone]);
    const git = (...args) => runGit(clone, args);
    const commits = git('log', '--first-parent', '--format=%H', 'HEAD').split('\n').filter(Boolean);
    const shuffle = shuffler(seed);
    const rows = [];
    for (const gap of gaps)
      for (const end of ends) {
        const [base, old] = [commits[end], commits[end + gap]];
        if (old === undefined) continue;
        git('update-ref', '--no-deref', 'HEAD', base);
        const atOnce = git('commit-tree', '-p', old, '-m', 'All at once', `${base}^{tree}`).trim();
        const tips = { byCommits: base, byEnds: atOnce };
        const history = { git, old, tips, renamed: renamesBetween(git, old, base) };
        const candidates = shuffle(listFiles(git, old).filter((path) => SOURCE.test(path)));
        let replayed = 0;
        for (const path of candidates) {
          if (replayed === files) break;
          const facts = shuffle(factsOf(history, path)).slice(0, LINES_OF_A_FILE);
          if (facts.length === 0) continue;
          replayed += 1;
          rows.push(...(await rowsOf(history, facts, clone)));
        }
      }
    print(rows, commits.length);
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function runGit(folder, args) {
  try {
    const env = { ...process.env, ...AUTHOR };
    const stdio = ['ignore', 'pipe', 'ignore'];
    const options = { encoding: 'utf8', maxBuffer: 2 ** 30, stdio, env };
    return execFileSync('git', ['-C', folder, '-c', 'core.quotepath=false', ...args], options);
  } catch {
    return '';
  }
}

function listFiles(git, commit) {
  return git('ls-tree', '-r', '--name-only', commit).split('\n').filter(Boolean);
}

function renamesBetween(git, old, base) {
  const names = git('diff', '-M50', '--name-status', '--diff-filter=R', old, base).split('\n');
  return new Map(names.map((line) => line.split('\t').slice(1)).filter(([path]) => path));
}

/** Lines that a fact could name: each is in its file once, and says something by itself. */
function factsOf({ git, old }, path) {
  const text = git('show', `${old}:${path}`);
  if (text.includes('\0')) return [];
  const lines = text.split('\n').map(normalizeCode);
  const isCitable = (line) =>
    countWords(line) >= LEAST_WORDS &&
    line.length <= MAX_CODE &&
    !NO_FACT.test(line) &&
    lines.indexOf(line) === lines.lastIndexOf(line);
  return lines.flatMap((code, index) =>
    isCitable(code) ? [{ path, line: index + 1, code, commit: old }] : [],
  );
}

/** Each fact of a file, where its line is, and where it is given, by whether its commit is known. */
async function rowsOf(history, facts, clone) {
  const [{ path }] = facts;
  const now = history.renamed.get(path) ?? path;
  const { byCommits, byEnds } = history.tips;
  const livingByCommits = livingLines(history, byCommits, { path, now });
  const livingByEnds = livingLines(history, byEnds, { path, now });

  const rows = [];
  for (const isKnown of [true, false]) {
    const places = await placesOf(facts, isKnown, clone);
    for (const [index, fact] of facts.entries()) {
      const place = places[index];
      // A file that shares little with its former self is no rename for git, but its lines can be.
      const shown = (tip) => (place && isFromOld(history, tip, place) ? place : undefined);
      const truths = {
        byCommits: livingByCommits.get(fact.line) ?? shown(byCommits),
        byEnds: livingByEnds.get(fact.line) ?? shown(byEnds),
      };
      rows.push({ fact, truths, place, isKnown });
    }
  }
  return rows;
}

/** Current places of the lines of a file, by their former numbers. */
function livingLines(history, tip, { path, now }) {
  const living = new Map();
  for (const { former, formerLine, line } of blame(history, tip, now))
    if (former === path && !living.has(formerLine)) living.set(formerLine, { path: now, line });
  return living;
}

/** The lines of a file at a commit that are as old as the facts. */
function blame({ git, old }, tip, path, ...range) {
  const lines = [];
  let current = {};
  const options = ['--first-parent', '-w', '-M', '-C', '-C', '--line-porcelain', ...range];
  for (const row of git('blame', ...options, `${old}..${tip}`, '--', path).split('\n')) {
    const [, formerLine, line] = /^[0-9a-f]{40} (\d+) (\d+)/.exec(row) ?? [];
    if (line !== undefined) current = { formerLine: Number(formerLine), line: Number(line) };
    else if (row === 'boundary') current.isOld = true;
    else if (row.startsWith('filename ')) current.former = row.slice('filename '.length);
    else if (row.startsWith('\t') && current.isOld) lines.push(current);
  }
  return lines;
}

function isFromOld(history, tip, { path, line }) {
  return blame(history, tip, path, '-L', `${line},${line}`).length > 0;
}

/** Where each fact is given to a model; undefined for one that is withheld. */
async function placesOf(facts, isKnown, cwd) {
  const citations = facts.map((fact) => ({
    ...fact,
    repository: 'o/r',
    commit: isKnown ? fact.commit : UNKNOWN_COMMIT,
  }));
  const options = { client: undefined, cwd, env: process.env, isOnlyRepository: true };
  const readBase = createBaseReader({ kind: 'local' }, options);
  const base = await readBase(citations, new AbortController().signal);
  const notes = citations.map((citation, index) => `- ${index}: ${formatCitation(citation)}`);
  const given = checkNotes(new Map([['MEMORY.md', notes.join('\n')]]), base).lines(
    notes.join('\n'),
  );
  const places = new Map(
    given.map(({ text, paths: [path] }) => {
      const [, index, line] = /^- (\d+): \(.*?:(\d+) "/.exec(text) ?? [];
      return [Number(index), { path, line: Number(line) }];
    }),
  );
  return facts.map((_, index) => places.get(index));
}

/** The same order for the same seed. */
function shuffler(seed) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return (items) =>
    items
      .map((item) => [next(), item])
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
}

function print(rows, commits) {
  if (rows.length === 0) {
    process.stderr.write(`No facts to replay: the repository has ${commits} commits.\n`);
    process.exitCode = 1;
    return;
  }
  const kinds = { byCommits: 'by each commit', byEnds: 'by the two ends' };
  for (const [kind, name] of Object.entries(kinds)) {
    process.stdout.write(`Truth ${name}:\n`);
    const judged = rows.map(({ truths, ...row }) => ({ ...row, truth: truths[kind] }));
    for (const isKnown of [true, false])
      printFigures(judged.filter((row) => row.isKnown === isKnown));
  }
}

function printFigures(facts) {
  const living = facts.filter(({ truth }) => truth !== undefined);
  const isRight = ({ truth, place }) => place?.path === truth.path && place.line === truth.line;
  const dead = facts.filter(({ truth }) => truth === undefined);
  const given = dead.filter(({ place }) => place !== undefined);
  const [{ isKnown }] = facts;
  const knows = isKnown ? 'the commit known:  ' : 'the commit unknown:';
  process.stdout.write(
    `  ${knows} living right ${share(living.filter(isRight), living)}, dead given ${share(given, dead)}\n`,
  );
  if (isKnown)
    for (const { fact, place } of given)
      process.stdout.write(
        `    given: ${fact.path}:${fact.line} as ${place.path}:${place.line} ${fact.code}\n`,
      );
}

function share(some, all) {
  const percent = all.length === 0 ? '–' : `${((100 * some.length) / all.length).toFixed(1)} %`;
  return `${percent} (${some.length} of ${all.length})`;
}
