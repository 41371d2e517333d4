import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { DIALECT } from './helpers/dialect.js';

/** The language of the code: what no file of src/ has. */
const SRC = resolve(import.meta.dirname, '../src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort();

/** Pronouns, participles and prepositions: as the name of a value they do not say what it is. */
const EMPTY_NAMES: ReadonlySet<string> = new Set(
  (
    'said own at one other held told such whose found left kept asked given meant taken begun ' +
    'about over what who how where why of stands moved was'
  ).split(' '),
);

/** A comment that begins so repeats the name below it instead of saying a reason or a contract. */
const HEADLESS = /^(?:What|Whether|Who|Whose|Of|Where|How|Those|The same)\b/;

/** Numbers of decisions and of paragraphs, which a reader has to look up. */
const CODE = /\b(?:D\d{1,2}\b|C\d \d+|axe-behaviour §\d+|memory-(?:tools|and-security) [\w.]+)/g;

/** Pattern nodes of swc's tree whose parts declare names too, and the keys that those are under. */
const PATTERNS = new Set([
  'ArrayPattern',
  'ObjectPattern',
  'KeyValuePatternProperty',
  'AssignmentPattern',
  'RestElement',
  'Parameter',
]);
const PARTS = new Set(['elements', 'properties', 'value', 'left', 'argument', 'pat']);

const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  'names that say nothing': (text) => namesIn(text).filter((name) => EMPTY_NAMES.has(name)).length,
  'comments in dialect': (text) =>
    commentsIn(text).filter((comment) => DIALECT.some((word) => word.test(comment))).length,
  'headless comments': (text) => commentsIn(text).filter((each) => HEADLESS.test(each)).length,
  'codes in comments': (text) =>
    commentsIn(text).flatMap((comment) => comment.match(CODE) ?? []).length,
};

it.each(Object.entries(COUNTERS))('no file has %s', (_, count) => {
  const counts = FILES.map((file) => [file, count(readFileSync(join(SRC, file), 'utf8'))] as const);
  expect(counts.filter(([, number]) => number > 0)).toEqual([]);
});

it('each of them is found', () => {
  const found = (name: string, text: string) => COUNTERS[name]?.(text);
  expect(found('names that say nothing', 'const left = (found: string) => 1;')).toBe(2);
  expect(found('comments in dialect', '/** It stands beside the run. */')).toBe(1);
  expect(found('headless comments', '// Whether it runs.\nrun();')).toBe(1);
  expect(found('codes in comments', '// As D12 and axe-behaviour §4 say.')).toBe(2);
});

/** Comment blocks, and runs of `//` lines, each as one line of text. */
function commentsIn(text: string): readonly string[] {
  const comments = text.matchAll(/\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)/gm);
  return [...comments].map(([, block = '', lines = '']) =>
    `${block}${lines}`
      .replace(/^\s*(?:\*|\/\/) ?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

/**
 * The names of variables and parameters, with those that a pattern takes from an array or renames.
 * `{ why }` is not among them: there the name is the type's.
 */
function namesIn(text: string): readonly string[] {
  const names: string[] = [];

  const visit = (node: unknown, isDeclared: boolean): void => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item, isDeclared);
      return;
    }
    if (typeof node !== 'object' || node === null) return;

    const { type, value } = node as { readonly type?: unknown; readonly value?: unknown };
    if (type === 'Identifier' && isDeclared && typeof value === 'string') names.push(value);
    for (const [key, child] of Object.entries(node)) {
      const beginsDeclaration =
        (type === 'VariableDeclarator' && key === 'id') ||
        key === 'params' ||
        (type === 'Parameter' && key === 'pat');
      const continuesDeclaration = isDeclared && PATTERNS.has(String(type)) && PARTS.has(key);
      visit(child, beginsDeclaration || continuesDeclaration);
    }
  };

  visit(parseSync(text, { syntax: 'typescript', target: 'es2023' }).body, false);
  return names;
}
