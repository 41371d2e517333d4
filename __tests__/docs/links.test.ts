import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DOCS, readDocument, sectionsOf } from '../helpers/documents.js';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = readdirSync(join(ROOT, 'examples'))
  .filter((file) => file.endsWith('.md'))
  .map((file) => `examples/${file}`);

const RECORDS = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'RELEASING.md',
];

it.each([...RECORDS, ...DOCS, ...EXAMPLES])('%s links to files and sections that exist', (file) => {
  const broken = linksOf(readDocument(file)).filter((link) => {
    const [path = '', section] = link.split('#');
    const target = path === '' ? file : join(file, '..', path);
    if (!existsSync(join(ROOT, target))) return true;
    return section !== undefined && !sectionsOf(readDocument(target)).has(section);
  });
  expect(broken).toEqual([]);
});

it('the README links to each page for users', () => {
  const links = linksOf(readDocument('README.md')).map((link) => link.split('#')[0]);
  const pages = DOCS.filter((page) => !page.startsWith('docs/internals/'));
  expect(pages.filter((page) => !links.includes(page))).toEqual([]);
});

/** The links of a text that stay inside the repository, those of pictures too. */
function linksOf(markdown: string): readonly string[] {
  const inText = [...markdown.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)];
  const inHtml = [...markdown.matchAll(/\b(?:src|srcset|href)="(?!https?:)([^"\s]+)"/g)];
  return [...inText, ...inHtml].map(([, link = '']) => link);
}
