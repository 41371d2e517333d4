import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { CORPUS } from './hostile/corpus.js';

const ROOT = resolve(import.meta.dirname, '..');
const DECISIONS = read('docs/internals/decisions.md');
const AXE = read('docs/internals/axe-behaviour.md');
const NOTES = read('docs/internals/memory-tools.md');
const SECURITY = read('docs/internals/memory-and-security.md');

/** What may be cited, how it is written, and whether the document has it. */
const KINDS: readonly { readonly pattern: RegExp; has(...groups: readonly string[]): boolean }[] = [
  { pattern: /\bD([1-9]\d?)[a-d]?\b/g, has: (number) => DECISIONS.includes(`- **D${number}** `) },
  {
    pattern: /\baxe-behaviour[\s*/]+§(\d+)(?:\.(\d+))?/g,
    has: (section = '', item = '') =>
      item === ''
        ? hasHeading(AXE, `${section}.`)
        : sectionOf(AXE, `${section}.`).includes(`${item}. `),
  },
  { pattern: /\bmemory-tools (\d\.\d)(?:(?:,| and) (\d\.\d))?/g, has: headingsIn(NOTES) },
  { pattern: /\bmemory-and-security ([AB]\d(?:\.\d+)?)/g, has: hasPart },
  {
    pattern: /\bmemory-and-security (C\d)(?: (\d+))?/g,
    has: (part = '', row = '') =>
      CORPUS.some(([one]) => (row === '' ? one.startsWith(`${part} `) : one === `${part} ${row}`)),
  },
];

/** Cited as this, nobody could open it. */
const UNKNOWN = /\b(?:source documents? \d|M[ST]-D\d|seed \d{3})/;

it('a citation can be found in the document that it names', () => {
  const broken = citingFiles().flatMap((file) =>
    KINDS.flatMap(({ pattern, has }) =>
      [...proseOf(file).matchAll(pattern)]
        .filter(([, ...groups]) => !has(...groups))
        .map(([text]) => `${file}: ${text}`),
    ),
  );
  expect(broken).toEqual([]);
});

it('a citation names no document that is missing from the repository', () => {
  expect(citingFiles().filter((file) => UNKNOWN.test(proseOf(file)))).toEqual([]);
});

it('a citation exists for every kind that is checked', () => {
  for (const { pattern } of KINDS) {
    expect(
      citingFiles().filter((file) => proseOf(file).search(pattern) >= 0).length,
    ).toBeGreaterThan(0);
  }
});

it('decisions have a number each, in their order', () => {
  const numbers = [...DECISIONS.matchAll(/^- \*\*D(\d+)\*\* /gm)].map(([, number]) =>
    Number(number),
  );
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});

function citingFiles(): readonly string[] {
  const folders = ['src', '__tests__', 'bench', 'scripts', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  );
  const top = readdirSync(ROOT).filter((file) => file.endsWith('.md'));
  return [...folders, ...top].filter(
    (file) =>
      /\.(?:ts|js|md)$/.test(file) && !/^__tests__\/(?:golden\/axe|fixtures|citations)/.test(file),
  );
}

/** The comments of code, since its texts may hold anything; a document as it is. */
function proseOf(file: string): string {
  const text = read(file);
  if (file.endsWith('.md')) return text;
  return (
    text.match(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|(?<=\b(?:it|describe)(?:\.each\([^)]*\))?\()'[^'\n]*'/gm,
    ) ?? []
  ).join('\n');
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function hasHeading(text: string, number: string): boolean {
  return sectionOf(text, number) !== '';
}

/** The text under a heading, up to the next of its level or above; '' if there is none. */
function sectionOf(text: string, number: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line) =>
    new RegExp(`^#{1,4} ${number.replaceAll('.', '\\.')}[ .]?`).test(line),
  );
  if (start < 0) return '';
  const level = lines[start]?.indexOf(' ') ?? 0;
  const length = lines
    .slice(start + 1)
    .findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return lines.slice(start, length < 0 ? undefined : start + 1 + length).join('\n');
}

function headingsIn(text: string): (...numbers: readonly string[]) => boolean {
  return (...numbers) =>
    numbers.filter((number) => number).every((number) => hasHeading(text, number));
}

/** `A2` is a section; `A2.3` is a section too, or the third item of one. */
function hasPart(part = ''): boolean {
  if (hasHeading(SECURITY, part)) return true;
  const [section = '', item = ''] = part.split('.');
  return new RegExp(`^${item}\\. `, 'm').test(sectionOf(SECURITY, section));
}
