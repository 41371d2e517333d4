// Says what is missing before a release, each with its remedy: `npm run release:check`. Builds dist/,
// reads the folder that it is started in, and ends with status 1 if anything is missing.
// RELEASING.md has the whole way from a fork to a release.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ageInDays, MOST_DAYS } from './models/age.js';

/** In two parts, so that replacing the placeholder leaves this file as it is. */
const OWNER = 'YOUR_ORG';
const PLACEHOLDER = `${OWNER}/axe-action`;
const LIVE_PAGE = 'docs/verified-on-github.md';

/** Pages with sentences about the placeholder, which go when the action has an owner. */
const ABOUT_PLACEHOLDER = ['README.md', 'docs/getting-started.md', 'docs/questions.md'];

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Each check returns what is missing and the remedy, or nothing. */
const CHECKS = {
  placeholders: findPlaceholders,
  'live check': checkLivePage,
  'figures of models': checkModels,
  'version and CHANGELOG.md': checkNotes,
  'package-lock.json': checkLock,
  tag: checkTag,
  'dist/': checkDist,
  commit: checkCommit,
};

process.stdout.write(`What ${version} still needs:\n`);
for (const [name, check] of Object.entries(CHECKS)) {
  const lack = check();
  const line = lack === undefined ? `ok       ${name}` : `missing  ${name}: ${lack.join(' ')}`;
  process.stdout.write(`${line}\n`);
  if (lack !== undefined) process.exitCode = 1;
}

function findPlaceholders() {
  const { status, lines } = git('grep', '-l', PLACEHOLDER, '--', '.', ':!dist', ':!RELEASING.md');
  if (status > 1) return ['git could not search the files.', 'Run this in a clone.'];
  if (lines.length > 0)
    return [
      `\`${PLACEHOLDER}\` is in ${countFiles(lines)}, such as ${lines[0]}.`,
      'Replace it as RELEASING.md says.',
    ];

  const pages = ABOUT_PLACEHOLDER.filter((page) =>
    /YOUR_ORG(?!\/)|isn't published yet/.test(read(page)),
  );
  if (pages.length > 0)
    return [
      `${pages.join(', ')}: a sentence is about \`${OWNER}\`, or says that nothing is published.`,
      'Remove it.',
    ];
}

function checkLivePage() {
  const [date] = /\d{4}-\d{2}-\d{2}/.exec(read(LIVE_PAGE)) ?? [];
  if (date === undefined)
    return [
      `${LIVE_PAGE} is not there, or has no date.`,
      'Do the live check of RELEASING.md, and commit its page.',
    ];
}

function checkModels() {
  const { date, days } = ageInDays('src/model/models.json');
  if (!(days <= MOST_DAYS))
    return [
      `src/model/models.json is from ${date}, and a release needs ${MOST_DAYS} days at most.`,
      'Run `npm exec -- node scripts/models.js`.',
    ];
}

function checkNotes() {
  const script = join(import.meta.dirname, 'release-notes.js');
  const { status, stderr } = run(process.execPath, [script, `v${version}`]);
  if (status !== 0)
    return [
      `${stderr.trim().replace(/^release-notes: /, '')}.`,
      `Write ${version} into package.json and src/lib/product.ts, and give CHANGELOG.md a section with it and a date.`,
    ];

  if (read('CHANGELOG.md').includes('Nothing has been released yet'))
    return ['CHANGELOG.md says that nothing has been released.', 'Remove the sentence.'];
}

function checkLock() {
  const locked = JSON.parse(read('package-lock.json') || '{}').version;
  if (locked !== version)
    return [
      `it has version ${locked ?? 'none'}.`,
      `Run \`npm version ${version} --no-git-tag-version --allow-same-version\`.`,
    ];
}

function checkTag() {
  const { status, lines } = git('tag', '--list', `v${version}`);
  if (status !== 0) return ['git could not list the tags.', 'Run this in a clone.'];
  if (lines.length > 0)
    return [`v${version} exists, and a release keeps its tag.`, 'Choose the next version.'];
}

function checkDist() {
  const { status, stderr } = run(process.execPath, ['scripts/build.js']);
  if (status !== 0) return [`the build failed: ${lastLine(stderr)}`, 'Run `npm run build`.'];

  const { lines } = git('status', '--porcelain', '--', 'dist');
  if (lines.length > 0)
    return [`What src/ builds differs in ${countFiles(lines)}.`, 'Commit `dist/`.'];
}

function checkCommit() {
  const { status, lines } = git('status', '--porcelain', '--', '.', ':!dist');
  if (status !== 0) return ['git could not read the state of the folder.', 'Run this in a clone.'];
  if (lines.length > 0)
    return [
      `${lines.length} changes are not committed, such as ${lines[0].slice(3)}.`,
      'Commit them, or put them aside with `git stash -u`.',
    ];
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function git(...args) {
  const { status, stdout } = run('git', args);
  return { status, lines: stdout.split('\n').filter((line) => line !== '') };
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  return { status: status ?? 2, stdout: stdout ?? '', stderr: stderr ?? error?.message ?? '' };
}

function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}

function countFiles({ length }) {
  return length === 1 ? '1 file' : `${length} files`;
}
