import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

/** Listed, so that the mentions of a folder are still recognized after it has been renamed. */
const FOLDERS = [
  ...['.ci', '.github', '__tests__', 'axe', 'bench', 'dist', 'docs', 'eval'],
  ...['examples', 'live', 'schema', 'scripts', 'src'],
];

/** In these texts `axe/` is mostly a folder of somebody else's repository. */
const RECOGNIZED = FOLDERS.filter((folder) => folder !== 'axe').map((folder) =>
  folder.replace('.', '\\.'),
);

/** A path begins a word, or follows `./`, `../` or jest's `<rootDir>/`. */
const PATH = new RegExp(
  `(?:(?<![\\w@./:-])|(?<=(?:\\.|<rootDir>)/))(?:${RECOGNIZED.join('|')})/[\\w./*{},-]*`,
  'g',
);

/** Texts that name files of this repository, and that no compiler and no other test reads for paths. */
const TEXTS = [
  '.github/**/*.{yml,md}',
  '.ci/*',
  'scripts/*.{js,json,yml}',
  '{bench,eval,live}/*.js',
  'live/*.yml',
  '*.{md,json,js}',
  'docs/internals/*.md',
]
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  // One names files of packages, the other files of earlier releases.
  .filter((path) => path !== 'package-lock.json' && path !== 'CHANGELOG.md')
  .sort();

/** Paths of another repository, files that a build makes and removes, and names that stand for many. */
const NOT_OURS = [
  /^\.github\/workflows\/(?:axe\b|live\b|review-)/,
  /^dist\/(?:program|ncc)\//,
  /^__tests__\/golden\/axe\/nn-/,
  // Written by whoever has an account on GitHub, or a key of a model.
  /^docs\/(?:verified-on-github|score)\./,
  /^live-(?:write|read)\//,
];

it('knows every folder of the repository', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n');
  const folders = files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]);
  expect([...new Set(folders)]).toEqual(FOLDERS);
});

it.each(TEXTS)('%s names only paths that exist', (text) => {
  const words = readFileSync(join(ROOT, text), 'utf8').match(PATH) ?? [];
  const paths = new Set(words.map((word) => word.replace(/[.,/]+$/, '')));

  const ours = [...paths].filter((path) => !NOT_OURS.some((pattern) => pattern.test(path)));
  expect(ours.filter((path) => !isThere(path))).toEqual([]);
});

/** The end of a file's name may be left out, as in a recipe that names the beginning of a test file. */
function isThere(path: string): boolean {
  if (/[*{]/.test(path)) return globSync(path, { cwd: ROOT }).length > 0;
  if (existsSync(join(ROOT, path))) return true;

  return globSync(`${path}*`, { cwd: ROOT, withFileTypes: true }).some((entry) => entry.isFile());
}
