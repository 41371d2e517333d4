import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from '@swc/core';

const NUMBERED = /^C\d+ \d+: /;
const TESTS = ['it', 'test', 'describe'];
/** Calls whose tests do not run. */
const IDLE = ['skip', 'todo', 'failing'];

/** A node of a syntax tree. */
type Node = Readonly<Record<string, unknown>>;

/** The numbered titles of all test files below a folder, with the file of each. */
export function numberedTitlesBelow(
  folder: string,
): readonly { readonly file: string; readonly title: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const titles = /C\d+ \d+: /.test(text) ? numberedTitles(text) : [];
      return titles.map((title) => ({ file: relative(folder, path), title }));
    });
}

/**
 * The numbered titles of a test file: what a test or a suite that runs is called with, and what tables hold. A number in a
 * comment, in another string, or in a test that is skipped is no title.
 */
export function numberedTitles(source: string): readonly string[] {
  return titlesIn(parseSync(source, { syntax: 'typescript', target: 'es2023' }) as unknown as Node, false);
}

function titlesIn(node: Node, isTitle: boolean): readonly string[] {
  if (node['type'] === 'StringLiteral') return isTitle ? numbered(node['value']) : [];
  if (node['type'] === 'TemplateLiteral' && isTitle) {
    const [first] = nodesIn(node['quasis']);
    return numbered(first?.['raw']);
  }
  if (node['type'] === 'CallExpression') return titlesOfCall(node);
  const isTable = node['type'] === 'ArrayExpression' || node['type'] === 'KeyValueProperty';
  // The elements of an array are in wrappers that have no type.
  const isHeld = isTable || (isTitle && !('type' in node));
  return Object.values(node).flatMap((child) => nodesIn(child).flatMap((one) => titlesIn(one, isHeld)));
}

function titlesOfCall(call: Node): readonly string[] {
  const [callee] = nodesIn(call['callee']);
  const words = callee === undefined ? [] : calleeWords(callee);
  const isTest = TESTS.includes(words[0] ?? '');
  if (isTest && words.some((word) => IDLE.includes(word))) return [];
  const given = nodesIn(call['arguments']).flatMap((argument, index) =>
    nodesIn(argument['expression']).flatMap((one) => titlesIn(one, isTest && index === 0)),
  );
  // The table of `it.each(table)(title)` is an argument of the callee; its words count where they begin the title.
  const isTable = callee !== undefined && (!isTest || beginsWithTable(call));
  return [...(isTable ? titlesIn(callee, false) : []), ...given];
}

/** Whether the title of a call begins with a word of its table: `%s` or `$name`. */
function beginsWithTable(call: Node): boolean {
  const [title] = nodesIn(call['arguments']).flatMap((argument) => nodesIn(argument['expression']));
  return title?.['type'] !== 'StringLiteral' || /^(?:%s|\$)/.test(String(title['value']));
}

/** `it`, `each` for `it.each(table)`. */
function calleeWords(node: Node): readonly string[] {
  if (node['type'] === 'Identifier') return [String(node['value'])];
  return [...nodesIn(node['object']), ...nodesIn(node['callee']), ...nodesIn(node['property'])].flatMap(
    calleeWords,
  );
}

function nodesIn(child: unknown): readonly Node[] {
  const children: readonly unknown[] = Array.isArray(child) ? child : [child];
  return children.filter((one): one is Node => typeof one === 'object' && one !== null);
}

function numbered(text: unknown): readonly string[] {
  return typeof text === 'string' && NUMBERED.test(text) ? [text] : [];
}
