// Moves the tags of a release's series to it, so that `@v1` and `@v1.2` mean the newest release of
// theirs:
//   node scripts/move-tags.js v1.2.3 [--dry-run]
// A fix for an older series (v1.1.4 after v1.2.0) moves v1.1 and leaves v1 alone. Both move in one
// push, and only if nobody moved them in between.
import { execFileSync } from 'node:child_process';

const VERSION = /^v(\d+)\.(\d+)\.(\d+)$/;

const words = process.argv.slice(2);
const isDryRun = words.includes('--dry-run');
const [tag = ''] = words.filter((word) => word !== '--dry-run');
const release = parseVersion(tag);
if (release === undefined) refuse(`"${tag}" is not a version tag such as v1.2.3`);

const remote = remoteTags();
const commit = remote.get(tag)?.commit;
if (commit === undefined) refuse(`the remote has no tag ${tag}`);
const versions = [...remote.keys()].map(parseVersion).filter((version) => version !== undefined);

const [major, minor] = release;
const moves = [
  move(`v${major}`, (version) => version[0] === major),
  move(`v${major}.${minor}`, (version) => version[0] === major && version[1] === minor),
].filter((one) => one !== undefined);
if (moves.length > 0 && !isDryRun) {
  // The lease is what was just read: a tag that somebody moved in between stays as it is, and the
  // push fails.
  const leases = moves.map(({ ref, id }) => `--force-with-lease=${ref}:${id}`);
  git('push', '--atomic', ...leases, 'origin', ...moves.map(({ ref }) => `${commit}:${ref}`));
}

/** How a series' tag gets to the release; undefined if it stays where it is. */
function move(name, isInSeries) {
  const newest = versions
    .filter(isInSeries)
    .reduce((one, other) => (isNewer(other, one) ? other : one));
  const { id = '', commit: current } = remote.get(name) ?? {};
  if (isNewer(newest, release)) say(`${name} stays: v${newest.join('.')} is newer than ${tag}`);
  else if (current === commit) say(`${name} is at ${tag} already`);
  else {
    say(`${name} ${isDryRun ? 'would move' : 'moves'} to ${tag} (${commit.slice(0, 7)})`);
    return { ref: `refs/tags/${name}`, id };
  }
}

function parseVersion(name) {
  return VERSION.exec(name)?.slice(1).map(Number);
}

function isNewer(one, other) {
  const index = one.findIndex((number, place) => number !== other[place]);
  return index >= 0 && one[index] > other[index];
}

/**
 * Tags of the remote: their own id, and the commit that they name, which is another one for
 * annotated tags.
 */
function remoteTags() {
  const tags = new Map();
  for (const line of git('ls-remote', '--tags', 'origin').split('\n').filter(Boolean)) {
    const [id = '', ref = ''] = line.split('\t');
    const name = ref.replace('refs/tags/', '').replace('^{}', '');
    tags.set(name, { id: tags.get(name)?.id ?? id, commit: id });
  }
  return tags;
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

function refuse(message) {
  process.stderr.write(`move-tags: ${message}\n`);
  process.exit(1);
}
