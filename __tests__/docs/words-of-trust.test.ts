import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';

/**
 * The words by which the program decides about trust, and their forerunners, are not for people,
 * who are told the fact instead. `own` and `fork` are English too, so they count only as terms.
 */
const TERMS = /\b(?:lanes?|taint\w*|(?:un)?trusted|guest|mixed)\b|[`*](?:own|fork)[`*]/gi;

/** Another sense of a word, each with the text it is part of. */
const OTHER_SENSES: readonly (readonly [place: string, text: string])[] = [
  ['docs/events.md', '`fork`'],
  ['src/lib/net/http.ts', 'is not trusted: '],
  ['src/findings/decide/evidence.ts', '(?:safe|trusted)'],
  ['src/findings/decide/evidence.ts', '\\btrusted (?:input|source|data)'],
];

const ROOT = resolve(import.meta.dirname, '../..');

it.each([
  ['an entry of the untrusted lane', 2],
  ['because the run is tainted', 1],
  ['not for `own` runs', 1],
  ['our own run on a fork', 0],
])('%j has %s words of trust', (text, number) => {
  expect(termsIn(text)).toHaveLength(number);
});

it('no text for people has a word of trust', () => {
  const sources = filesBelow('src', '.ts').flatMap((file) =>
    textsOf(readFileSync(file, 'utf8')).map((text) => [relative(ROOT, file), text] as const),
  );
  const pages = [
    ...['README.md', 'SECURITY.md', 'action.yml'].map((file) => join(ROOT, file)),
    ...filesBelow('docs', '.md').filter((file) => !file.includes('/internals/')),
    ...filesBelow('examples/workflows', '.yml'),
  ].map((file) => [relative(ROOT, file), readFileSync(file, 'utf8')] as const);
  const met = [...sources, ...pages].flatMap(([place, text]) =>
    termsIn(withoutOtherSenses(place, text)).map((term) => `${place}: ${term}`),
  );
  expect(met).toEqual([]);
});

it('every other sense is in its file', () => {
  for (const [place, text] of OTHER_SENSES) {
    const file = readFileSync(join(ROOT, place), 'utf8');
    const texts = place.endsWith('.ts') ? textsOf(file) : [file];
    expect(texts.filter((each) => each.includes(text))).not.toEqual([]);
  }
});

function termsIn(text: string): readonly string[] {
  return text.match(TERMS) ?? [];
}

function withoutOtherSenses(place: string, text: string): string {
  const senses = OTHER_SENSES.filter(([file]) => file === place);
  return senses.reduce((rest, [, sense]) => rest.replaceAll(sense, ''), text);
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(ROOT, folder, file))
    .sort();
}

/** The string literals and parts of templates that hold more than one word. */
function textsOf(source: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const item of node) visit(item);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const { type, value, cooked } = node as Readonly<Record<string, unknown>>;
    if (type === 'StringLiteral' && typeof value === 'string') texts.push(value);
    if (type === 'TemplateElement' && typeof cooked === 'string') texts.push(cooked);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'es2023' }).body);
  return texts.filter((text) => /\S\s+\S/.test(text));
}
