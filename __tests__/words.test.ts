import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

/**
 * Sentences belong to the views, and `publish/` and `run/` return facts. `words-left.json` lists the
 * strings of three words or more that are left there, by file; errors and warnings keep theirs. A
 * number may only fall, and a new file has none. After a gain, `UPDATE_COUNTS=1 npm test --
 * __tests__/words.test.ts` writes the lower numbers.
 */
const SRC = resolve(import.meta.dirname, '../src');
const LIST = join(import.meta.dirname, 'words-left.json');
const FILES = ['publish', 'run'].flatMap((room) =>
  readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${room}/${file}`),
);

/** Parts of errors and warnings, which keep their sentence where they are thrown. */
const ERROR_PARTS: ReadonlySet<string> = new Set(['message', 'remedy', 'axe', 'trouble']);

const isSentence = (text: string) => (text.match(/\p{L}{2,}/gu) ?? []).length > 2 && / /.test(text);

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function isOfError({ type, callee, key, id }: Node): boolean {
  const name = (node: unknown) => (isNode(node) ? String(node['value'] ?? '') : '');
  if (type === 'NewExpression') return name(callee).endsWith('Error');
  if (type === 'KeyValueProperty') return ERROR_PARTS.has(name(key));
  return type === 'VariableDeclarator' && /message|remedy|failure/i.test(name(id));
}

function sentencesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(sentencesIn);
  if (!isNode(node) || isOfError(node) || node['type'] === 'ImportDeclaration') return [];
  if (node['type'] === 'StringLiteral') return [String(node['value'])].filter(isSentence);
  if (node['type'] === 'TemplateLiteral') {
    const quasis = node['quasis'] as readonly { readonly raw: string }[];
    const text = quasis.map(({ raw }) => raw).join(' x ');
    const inner = sentencesIn(node['expressions']);
    return isSentence(text.replaceAll(' x ', ' ')) ? [text, ...inner] : inner;
  }
  return Object.values(node).flatMap(sentencesIn);
}

const counts: Readonly<Record<string, number>> = Object.fromEntries(
  FILES.toSorted().flatMap((file): [string, number][] => {
    const text = readFileSync(join(SRC, file), 'utf8');
    const { length } = sentencesIn(
      parseSync(text, { syntax: 'typescript', target: 'esnext' }).body,
    );
    return length === 0 ? [] : [[file, length]];
  }),
);

if (process.env['UPDATE_COUNTS'] !== undefined || !existsSync(LIST))
  writeFileSync(LIST, `${JSON.stringify(counts, null, 2)}\n`);
const left = JSON.parse(readFileSync(LIST, 'utf8'));

it('no file of publish/ and run/ has more sentences than it had', () => {
  expect(Object.entries(counts).filter(([file, number]) => number > (left[file] ?? 0))).toEqual([]);
});

it('the list of sentences that are left is current', () => expect(left).toEqual(counts));

it('a sentence is found, and one of an error is not', () => {
  const code = (text: string) =>
    sentencesIn(parseSync(text, { syntax: 'typescript', target: 'esnext' }).body);
  expect(code('const a = `Posted ${b} on the pull request`;')).toHaveLength(1);
  expect(code("const a = new AxeError('it is not there', { remedy: 'Make one of it.' });")).toEqual(
    [],
  );
  expect(code("warn({ code: 'x', message: 'it was not read' });")).toEqual([]);
});
