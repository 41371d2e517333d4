import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

/**
 * Sentences belong to the views: `publish/` and `run/` return facts. Two kinds of sentences are
 * theirs: those of errors, which keep them where they are thrown, and those of texts (`views/` and
 * files that end in `-texts.ts`), which decide nothing.
 */
const SRC = resolve(import.meta.dirname, '../src');
const FILES = ['publish', 'run'].flatMap((room) =>
  readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${room}/${file}`)
    .sort(),
);
const isOfTexts = (file: string) => /\/views\/|-texts\.ts$/.test(file);

/** Parts of errors, warnings and refusals. */
const ERROR_PARTS: ReadonlySet<string> = new Set(['message', 'remedy', 'axe', 'trouble', 'reason']);
/** A value that is a part of one, by its name. */
const ERROR_VALUE = /message|remed(?:y|ies)|failure|errors$|^WHY_/i;
/** A function that makes one, or says why there is one. */
const ERROR_MAKER = /error|problem|trouble|^(?:fail$|why|warn|refus|unread|saveFailed|noSuch)/i;

const isSentence = (text: string) => (text.match(/\p{L}{2,}/gu) ?? []).length > 2 && / /.test(text);

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const nameOf = (node: unknown) => (isNode(node) ? String(node['value'] ?? '') : '');

function isOfError(node: Node): boolean {
  switch (node['type']) {
    case 'NewExpression':
      return nameOf(node['callee']).endsWith('Error');
    case 'CallExpression':
      return ERROR_MAKER.test(nameOf(node['callee']));
    case 'FunctionDeclaration':
      return ERROR_MAKER.test(nameOf(node['identifier']));
    case 'KeyValueProperty':
    case 'AssignmentPatternProperty':
      return ERROR_PARTS.has(nameOf(node['key']));
    case 'VariableDeclarator':
      return ERROR_VALUE.test(nameOf(node['id']));
    default:
      return false;
  }
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

function sentencesOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return sentencesIn(parseSync(text, { syntax: 'typescript', target: 'esnext' }).body);
}

it('publish/ and run/ have no sentences but those of errors and of texts', () => {
  const deciding = FILES.filter((file) => !isOfTexts(file));
  const found = deciding.flatMap((file) => sentencesOf(file).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

it('a file of texts goes from facts to texts alone', () => {
  const files = FILES.filter(isOfTexts);
  expect(files).not.toEqual([]);
  const deciding = files.filter((file) =>
    /\b(?:async|await|Promise|Dependencies)\b/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  expect(deciding).toEqual([]);
});

it('a sentence is found, and one of an error is not', () => {
  const code = (text: string) =>
    sentencesIn(parseSync(text, { syntax: 'typescript', target: 'esnext' }).body);
  expect(code('const a = `Posted ${b} on the pull request`;')).toHaveLength(1);
  expect(code("const a = new AxeError('it is not there', { remedy: 'Make one of it.' });")).toEqual(
    [],
  );
  expect(code("report({ code: 'x', message: 'it was not read' });")).toEqual([]);
  expect(code("function whyUnread() { return 'it was not read'; }")).toEqual([]);
  expect(code("function describe() { return 'it was not read'; }")).toHaveLength(1);
  expect(code('fail(`the labels were not set: ${cause}`);')).toEqual([]);
});
