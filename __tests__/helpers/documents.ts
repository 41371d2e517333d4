import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The pages of `docs/` and its folders, as paths from the root of the repository. */
export const DOCS: readonly string[] = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
  .sort();

/** What `scripts/docs.js` writes. */
export const GENERATED: readonly string[] = ['inputs', 'outputs', 'agent-keys', 'limits'].map(
  (name) => `docs/reference/${name}.md`,
);

/** The decisions and the reference pages, which are cited by number. */
const CITED = /^docs\/(?:internals|reference)\//;

/** The pages that users read, one a topic, and the README. */
export const GUIDES: readonly string[] = [
  'README.md',
  'examples/README.md',
  ...DOCS.filter((file) => !CITED.test(file)),
];

/** The other hand-written pages: the cited ones, and those that a visitor of the repository opens. */
export const RECORDS: readonly string[] = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...DOCS.filter((file) => CITED.test(file) && !GENERATED.includes(file)),
];

/** A file of the repository as text. */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** A block of code in a page. */
export interface Snippet {
  /** For titles of tests: the page and the line of the block. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
}

/** The blocks of code of pages, in their order. */
export function snippetsOf(pages: readonly string[]): readonly Snippet[] {
  return pages.flatMap((page) => {
    const text = readDocument(page);
    return [...text.matchAll(/^(`{3,})([\w-]*)\n([\s\S]*?)^\1$/gm)].map(
      ({ index, 2: language = '', 3: code = '' }) => ({
        place: `${page}:${text.slice(0, index).split('\n').length}`,
        language,
        code,
      }),
    );
  });
}

/** The table between two marks of a page, as cells of its rows; the first row is its head. */
export function markedTable(page: string, mark: string): readonly (readonly string[])[] {
  const [, table = ''] =
    new RegExp(`<!-- ${mark} -->\n([\\s\\S]*?)\n<!-- /${mark} -->`).exec(readDocument(page)) ?? [];
  const [head, , ...rows] = table.split('\n').map(cellsOf);
  return [head ?? [], ...rows];
}

/** The cells of a row of a table, without the marks of code around a whole cell. */
export function cellsOf(row: string): readonly string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
