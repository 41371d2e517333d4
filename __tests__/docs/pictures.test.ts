import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PAGES, THEMES } from '../../scripts/docs-images/pages.js';
import { recording } from '../../scripts/docs-images/recording.js';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/images');
const PICTURES = readdirSync(FOLDER).filter((name) => name.endsWith('.png'));
const rendered = readJson('rendered.json') as Readonly<Record<string, string>>;
const sources = readJson('sources.json') as Readonly<Record<string, unknown>>;

it('each picture that can be rendered exists, light and dark', () => {
  const names = Object.keys(PAGES).flatMap((name) => THEMES.map((theme) => `${name}-${theme}.png`));
  expect([...PICTURES].sort()).toEqual(names.sort());
  expect(Object.keys(rendered)).toEqual(names);
});

describe.each(PICTURES)('the picture %s', (file) => {
  it('was rendered from its current source (if not: `npm run docs:images`)', () => {
    const source = sources[file.replace(/-(?:light|dark)\.png$/, '')];
    expect(createHash('sha256').update(JSON.stringify(source)).digest('hex')).toBe(rendered[file]);
  });

  it('is shown in the README, the docs or the examples', () => {
    const pages = ['README.md', 'examples/README.md', ...markdownIn('docs')];
    const shown = pages.filter((page) => readFileSync(join(ROOT, page), 'utf8').includes(file));
    expect(shown).not.toEqual([]);
  });

  it('is small enough for a README', () => {
    expect(statSync(join(FOLDER, file)).size).toBeLessThan(150 * 1024);
  });
});

it('the recording is of what the demo prints now (if not: `npm run docs:images`)', () => {
  const svg = readFileSync(join(FOLDER, 'demo.svg'), 'utf8');
  expect(svg).toBe(recording('npm run demo', sources['demo'] as readonly string[]));
});

it('the page of a picture contains the text of its source, and no placeholder', () => {
  for (const [name, page] of Object.entries(PAGES)) {
    const html = page(sources[name], 'light');
    expect(html).not.toMatch(/&lt;(?:time|seconds|milliseconds|folder)&gt;/);
    expect(html).toContain('id="picture"');
  }
  const { body } = sources['review'] as { readonly body: readonly string[] };
  const [, headline = ''] = /^\*\*(.*?)\*\*/m.exec(body.join('\n')) ?? [];
  expect(PAGES.review(sources['review'], 'dark')).toContain(`<strong>${headline}</strong>`);
});

function markdownIn(folder: string): readonly string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
}
