import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The pages of `docs/` and its folders, as paths from the root of the repository. */
export const DOCS: readonly string[] = readdirSync(join(ROOT, 'docs'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
  .sort();

/** What `scripts/docs.js` writes. */
export const GENERATED: readonly string[] = [
  'inputs',
  'outputs',
  'agent-keys',
  'limits',
  'commands',
  'refusals',
].map((name) => `docs/reference/${name}.md`);

const README = ['README.md', 'examples/README.md'];

/** The decisions and the reference pages, which are cited by number. */
const CITED = /^docs\/(?:internals|reference)\//;

/** The pages that users read, one a topic, and the README. */
export const GUIDES: readonly string[] = [...README, ...DOCS.filter((file) => !CITED.test(file))];

/**
 * The other hand-written pages: the cited ones, and those that a visitor of the repository opens.
 */
export const RECORDS: readonly string[] = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'RELEASING.md',
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

/** The sections of a text by the anchors that GitHub gives their headings; a repeated one gets a number. */
export function sectionsOf(markdown: string): ReadonlyMap<string, string> {
  const sections = new Map<string, string>();
  const counts = new Map<string, number>();
  const text = markdown.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, (code) => code.replaceAll(/^#/gm, ' '));
  const headings = [...text.matchAll(/^(#+) (.*)$/gm)];
  for (const [
    index,
    { 1: { length: level } = '', 2: heading = '', index: begin },
  ] of headings.entries()) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    const next = headings.slice(index + 1).find(([, marks = '']) => marks.length <= level);
    sections.set(count === 0 ? anchor : `${anchor}-${count}`, text.slice(begin, next?.index));
  }
  return sections;
}

/** A section with its heading and its subsections, by the anchor of its heading; empty if there is none. */
export function sectionOf(markdown: string, anchor: string): string {
  return sectionsOf(markdown).get(anchor) ?? '';
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

/**
 * A sentence of a markdown text, with the line that its paragraph, list item or table cell begins
 * on.
 */
export interface Sentence {
  readonly line: number;
  readonly text: string;
  /** Code, links and numbers count as one word each. */
  readonly words: number;
  /** The sentence is the first one of a paragraph, an item or a cell, and not of a heading. */
  readonly begins: boolean;
}

/**
 * The sentences that a reader sees: headings, paragraphs, list items and table cells, without
 * blocks of code.
 */
export function sentencesOf(markdown: string): readonly Sentence[] {
  return blocksOf(markdown).flatMap(({ line, text, isHeading }) =>
    plain(text)
      .split(/(?<=[.!?][)*”"]*)\s+(?=\S)/)
      .map((sentence, index) => ({
        line,
        text: sentence.trim(),
        words: countWords(sentence),
        begins: index === 0 && isHeading !== true,
      }))
      .filter(({ words }) => words > 0),
  );
}

interface Block {
  readonly line: number;
  readonly text: string;
  /** A heading, or a cell of the first row of a table. */
  readonly isHeading?: boolean;
}

/** Lines that belong together; a table has a block for each cell. */
function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; lines: string[] } | undefined;
  let fence: string | undefined;
  const close = () => {
    if (open !== undefined) blocks.push({ line: open.line, text: open.lines.join(' ') });
    open = undefined;
  };
  const lines = markdown.split('\n');
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    const [mark] = /^(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
    } else if (mark !== undefined) {
      close();
      fence = mark;
    } else if (line === '' || /^(?:<!--.*-->|<[^>]*>|\|[\s:|-]+\|)$/.test(line)) close();
    else if (line.startsWith('#')) {
      close();
      blocks.push({ line: index + 1, text: line.replace(/^#+ /, ''), isHeading: true });
    } else if (line.startsWith('|')) {
      close();
      const isHeading = /^\|[\s:|-]+\|$/.test(lines[index + 1] ?? '');
      for (const cell of cellsOf(line)) blocks.push({ line: index + 1, text: cell, isHeading });
    } else if (/^(?:[-*] |\d+\. |> )/.test(line)) {
      close();
      open = { line: index + 1, lines: [line.replace(/^(?:[-*] |\d+\. |> )/, '')] };
    } else if (open === undefined) open = { line: index + 1, lines: [line] };
    else open.lines.push(line);
  }
  close();
  return blocks;
}

/** Without code, addresses and marks; what replaces them is one word. */
function plain(text: string): string {
  return text
    .replaceAll(/`+[^`]*`+/g, 'CODE')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\S+/g, 'ADDRESS')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '');
}

function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
