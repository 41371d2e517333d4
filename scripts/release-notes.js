// The notes of a release, from its section of CHANGELOG.md:
//   node scripts/release-notes.js v1.2.3
// Refuses a tag that is not the version in package.json and src/lib/product.ts, or that has no
// section with a date, so that a release never says less than it contains. GITHUB_REPOSITORY, if
// set, makes links to files absolute.
import { readFileSync } from 'node:fs';

const VERSION = /^v(\d+\.\d+\.\d+)$/;

const [tag = ''] = process.argv.slice(2);
const version = VERSION.exec(tag)?.[1];
if (version === undefined) refuse(`"${tag}" is not a version tag such as v1.2.3`);

const packaged = JSON.parse(readFileSync('package.json', 'utf8')).version;
if (packaged !== version) refuse(`the tag is ${tag}, but package.json has version ${packaged}`);

const built = /VERSION = '([^']*)'/.exec(readFileSync('src/lib/product.ts', 'utf8'))?.[1];
if (built !== version) refuse(`the tag is ${tag}, but src/lib/product.ts has version ${built}`);

process.stdout.write(`${absoluteLinks(unwrap(section()))}\n`);

function section() {
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const parts = changelog.split(/^## /m).slice(1);
  const part = parts.find((text) => text.startsWith(`${version} - `));
  if (part === undefined) refuse(`CHANGELOG.md has no section "## ${version} - <date>"`);
  const [heading = '', ...lines] = part.split('\n');
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading))
    refuse(`"## ${heading}" in CHANGELOG.md has no date (yyyy-mm-dd)`);
  const body = lines.join('\n').trim();
  if (body === '') refuse(`"## ${heading}" in CHANGELOG.md is empty`);
  return body;
}

/**
 * A release shows every line break of its text; those of CHANGELOG.md only keep its lines short.
 */
function unwrap(markdown) {
  let isCode = false;
  return markdown.split('\n').reduce((text, line, index) => {
    if (index === 0) return line;
    const isFence = /^\s*```/.test(line);
    const goesOn =
      !isCode &&
      !isFence &&
      !/(?:^|\n)(?:#[^\n]*|\s*```[^\n]*)?$/.test(text) &&
      /^\s*[^\s#|*-]/.test(line);
    if (isFence) isCode = !isCode;
    return goesOn ? `${text} ${line.trimStart()}` : `${text}\n${line}`;
  }, '');
}

/** A release has no folder that a relative link could count from. */
function absoluteLinks(markdown) {
  const repository = process.env.GITHUB_REPOSITORY;
  if (!repository) return markdown;
  const server = process.env.GITHUB_SERVER_URL || 'https://github.com';
  return markdown.replaceAll(
    /\]\((?![a-z]+:|#)([^)\s]+)\)/g,
    (_, path) => `](${server}/${repository}/blob/${tag}/${path})`,
  );
}

function refuse(message) {
  process.stderr.write(`release-notes: ${message}\n`);
  process.exit(1);
}
