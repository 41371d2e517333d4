// Replays the choice of memory entries over a checkout's own history, with the functions of src/:
//   npm run recall -- --repo PATH [--changes 100] [--pool 200]
// Each first-parent commit counts as one pull request with one entry. For each of the newest
// changes it says whether the entries that a review would load include one about a touched file
// (hit), one whose lines the change deletes or is next to (blame), and for a fix, the one that
// brought the fault in (SZZ). Only `git` is asked; a shallow clone has no history to replay.
import '../eval/typescript.js';
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { recall } = await import('../src/memory/recall.ts');
const { formatEntry, formatProvenance } = await import('../src/memory/run-log.ts');
const { MAX_RECALLED_BYTES } = await import('../src/lib/defaults.ts');

const NEWEST = 10;
const MAX_CHANGED_FILES = 40;
const MAX_BLAMED_FILES = 8;
const MAX_BLAMED_HUNKS = 25;
const MAX_BLAMED_LINES = 60;
const NO_SOURCE = /\.(?:md|mdx|rst|adoc|txt|lock|json|ya?ml|toml|svg|png|snap|sum|mod)$/;
const FIX =
  /\b(?:fix(?:es|ed)?|bug|regress\w*|broken|crash\w*|leak\w*|race|wrong|incorrect\w*|revert)\b/i;
const ABOUT =
  'The change is about what its title says, and every file that it touches was read. '.repeat(4);

const { values } = parseArgs({
  options: {
    repo: { type: 'string', default: '.' },
    changes: { type: 'string', default: '100' },
    pool: { type: 'string', default: '200' },
    facts: { type: 'boolean', default: false },
    gap: { type: 'string', default: '100,200' },
    ends: { type: 'string', default: '0,100' },
    files: { type: 'string', default: '14' },
    seed: { type: 'string', default: '1' },
  },
});
const repo = values.repo;
const pool = Number(values.pool);
const commits = values.facts ? [] : readCommits(Number(values.changes) + pool + 50);
const entries = commits.map(entryOf);
if (values.facts) await facts();
else print(changes().map(replay));

async function facts() {
  const { replayFacts } = await import('./recall-facts.js');
  const numbers = (list) => list.split(',').map(Number);
  await replayFacts({
    repo,
    gaps: numbers(values.gap),
    ends: numbers(values.ends),
    files: Number(values.files),
    seed: Number(values.seed),
  });
}

function changes() {
  const count = Math.min(Number(values.changes), commits.length - pool);
  return commits.slice(0, Math.max(0, count)).flatMap(readChange);
}

function git(...args) {
  try {
    const options = { encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['-C', repo, ...args], options);
  } catch {
    return '';
  }
}

/** The newest first-parent commits, newest first. */
function readCommits(count) {
  const format = '--format=%x01%H%x02%P%x02%cI%x02%s%x02%b%x03';
  const log = git(
    ...['log', '--first-parent', '-m', '--numstat', '--no-renames', format, '-n', String(count)],
    'HEAD',
  );
  return log
    .split('\x01')
    .slice(1)
    .map((text, at) => {
      const [head, stat = ''] = text.split('\x03');
      const [hash, parents, date, subject, body = ''] = head.split('\x02');
      const isMerge = /^Merge (?:pull request|branch)/.test(subject);
      const title = isMerge ? `${subject} ${body.trim().split('\n')[0]}` : subject;
      const [, number, merged] = /\(#(\d+)\)|pull request #(\d+)/.exec(title) ?? [];
      const on = `#${number ?? merged ?? `c${at}`}`;
      return { at, hash, parent: parents.split(' ')[0], date, title, files: filesOf(stat), on };
    });
}

/** The paths of a commit, the most changed first. */
function filesOf(stat) {
  const files = stat.split('\n').flatMap((line) => {
    const [added, removed, path] = line.split('\t');
    return path === undefined ? [] : [{ path, lines: (+added || 0) + (+removed || 0) }];
  });
  files.sort((a, b) => b.lines - a.lines || (a.path < b.path ? -1 : 1));
  return files.map(({ path }) => path);
}

function entryOf({ at, date, title, on, files }) {
  return formatEntry({
    timestamp: new Date(date),
    task: `Review pull request ${on}: ${title} (entry-${at}-)`,
    result: `Posted a review on ${on}: 1 finding (minor).\n${ABOUT}`,
    provenance: formatProvenance({ id: `e${at}`, on, files }),
  });
}

/** A change of code with the older commits that wrote the lines which it deletes or is next to. */
function readChange(commit) {
  const { files, parent, hash, title } = commit;
  const sources = files.filter((path) => !NO_SOURCE.test(path));
  if (sources.length === 0 || files.length > MAX_CHANGED_FILES || parent === '') return [];

  const read = sources.toSorted().slice(0, MAX_BLAMED_FILES);
  const diff = git('diff', '-U0', '--no-renames', '-w', parent, hash, '--', ...read);
  const numbers = new Map(commits.map(({ hash: id, at }) => [id, at]));
  const [linked, written] = [new Set(), new Set()];
  for (const { path, ranges, isDeleted } of rangesOf(diff)) {
    const lines = ranges.slice(0, MAX_BLAMED_HUNKS).flatMap((range) => ['-L', range]);
    const blame = git(
      ...['blame', '--first-parent', '-w', '-l', '-s', ...lines, parent, '--', path],
    );
    for (const line of blame.split('\n')) {
      const at = numbers.get(line.replace(/^\^/, '').slice(0, 40));
      if (at === undefined) continue;
      linked.add(at);
      if (isDeleted) written.add(at);
    }
  }
  return [{ ...commit, sources, isFix: FIX.test(title), linked, written }];
}

/** The deleted ranges of each file of a diff, and the lines next to added ones. */
function rangesOf(diff) {
  const found = new Map();
  let path = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('--- ')) path = line.startsWith('--- a/') ? line.slice(6) : '';
    const [, start, length] = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line) ?? [];
    if (start === undefined || path === '') continue;
    const [first, count] = [Number(start), Number(length ?? 1)];
    const isDeleted = count > 0;
    const last = Math.min(first + count - 1, first + MAX_BLAMED_LINES);
    const range = isDeleted ? `${first},${last}` : `${Math.max(1, first)},+1`;
    const key = `${path}\n${isDeleted}`;
    const known = found.get(key) ?? { path, isDeleted, ranges: [] };
    found.set(key, { ...known, ranges: [...known.ranges, range] });
  }
  return found.values();
}

/** The entries that a review of a change loads, and those that it would need. */
function replay(change) {
  const older = entries.slice(change.at + 1, change.at + 1 + pool);
  const subject = { paths: change.files, words: [] };
  const chosen = recall(older.toReversed().join(''), subject, MAX_RECALLED_BYTES);
  const loaded = [...chosen.text.matchAll(/\(entry-(\d+)-\)/g)].map(([, at]) => Number(at));
  const newest = older.slice(0, NEWEST).map((_, index) => change.at + 1 + index);
  return { change, newest, loaded, bytes: Buffer.byteLength(chosen.text) };
}

function print(rows) {
  if (rows.length === 0) {
    process.stderr.write(`No changes to replay in ${repo}: it has ${commits.length} commits.\n`);
    process.exitCode = 1;
    return;
  }
  const lines = [
    `${rows.length} changes, each with the ${pool} entries before it`,
    `the newest ${NEWEST}: ${figures(rows, ({ newest }) => newest)}`,
    `chosen:        ${figures(rows, ({ loaded }) => loaded)}`,
    `bytes of the chosen entries: at most ${Math.max(...rows.map(({ bytes }) => bytes))} of ${MAX_RECALLED_BYTES}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function figures(rows, loadedOf) {
  const isOlder = (at, { change }) => at > change.at && at <= change.at + pool;
  const within = (row, ats) => [...ats].filter((at) => isOlder(at, row));
  const isAbout = (at, { sources }) => commits[at].files.some((path) => sources.includes(path));
  const linked = rows.filter((row) => within(row, row.change.linked).length > 0);
  const fixes = rows.filter(
    (row) => row.change.isFix && within(row, row.change.written).length > 0,
  );

  const hits = rows.filter((row) => loadedOf(row).some((at) => isAbout(at, row.change)));
  const blamed = linked.filter((row) => loadedOf(row).some((at) => row.change.linked.has(at)));
  const found = fixes.filter((row) => loadedOf(row).some((at) => row.change.written.has(at)));
  return `hit ${share(hits, rows)}, blame ${share(blamed, linked)}, SZZ ${share(found, fixes)}`;
}

function share(some, all) {
  const percent = all.length === 0 ? '–' : `${Math.round((100 * some.length) / all.length)} %`;
  return `${percent} (${some.length} of ${all.length})`;
}
