import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findProvider, PROVIDER_IDS } from '../src/adapters/models/catalog.js';
import { findPrice } from '../src/adapters/models/prices.js';

const ROOT = join(import.meta.dirname, '..');
const README = read('README.md');
const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`);

/** Whose models the columns of the table of costs are. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'claude-sonnet-4-5': 'anthropic',
  'claude-haiku-4-5': 'anthropic',
  'gpt-4.1': 'openai',
  'gemini-2.5-flash': 'google',
};

describe('the table of costs', () => {
  const [, table = ''] = /<!-- costs -->\n([\s\S]*?)\n<!-- \/costs -->/.exec(README) ?? [];
  const [head = [], , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const models = head.slice(3);

  it.each(rows)('has list prices for a run that %s', (_, input = '', output = '', ...costs) => {
    const tokens = [input, output].map((cell) => Number(cell.replaceAll(',', '')));
    const [sent = Number.NaN, received = Number.NaN] = tokens;
    expect(costs).toEqual(
      models.map((model) => {
        const price = findPrice({ provider: PROVIDERS[model] ?? '', model });
        return `$${((sent * (price?.input ?? 0) + received * (price?.output ?? 0)) / 1_000_000).toFixed(3)}`;
      }),
    );
    expect(Math.min(...costs.map((cost) => Number(cost.slice(1))))).toBeGreaterThan(0);
  });

  it('names models whose price is known', () => {
    expect(models).toEqual(Object.keys(PROVIDERS));
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('the list of sections', () => {
  it('links to each section of the README and to each text in docs/', () => {
    const [, list = ''] = /^\| About \| Read \|\n([\s\S]*?)\n\n/m.exec(README) ?? [];
    const links = linksOf(list);
    const sections = [...withoutCode(README).matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
    const [first, ...others] = sections.map((heading) => `#${anchorOf(heading)}`);
    expect(first).toBe('#a-reviewer-in-one-file');
    expect(others.filter((section) => !links.includes(section))).toEqual([]);
    expect(DOCS.filter((file) => !links.includes(file))).toEqual([]);
  });
});

describe('the table of models', () => {
  const rows = read('docs/models.md').split('\n');

  it.each(PROVIDER_IDS)('has %s with the variables of its key and its address', (id) => {
    const [, , model = '', key = '', address = ''] =
      rows.find((row) => row.startsWith('|') && row.includes(`\`${id}/`))?.split('|') ?? [];
    expect(model).toContain(`\`${id}/`);
    const { keyVariable, baseUrlVariable } = findProvider({ provider: id, model: '' });
    expect(key).toContain(keyVariable);
    expect(address).toContain(baseUrlVariable);
  });
});

describe('the table of places', () => {
  const [, table = ''] =
    /^## Where things are decided\n\n([\s\S]*?)\n\n/m.exec(read('ARCHITECTURE.md')) ?? [];
  const places = [...table.matchAll(/`([\w/-]+\.ts)`/g)].map(([, place = '']) => place);

  it.each(places)('names %s, which exists', (place) => {
    expect(existsSync(join(ROOT, 'src', place))).toBe(true);
  });
});

describe.each([
  'README.md',
  ...DOCS,
  'examples/README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
])('%s', (file) => {
  it('links to files and sections that exist', () => {
    const broken = linksOf(read(file)).filter((link) => {
      const [path = '', section] = link.split('#');
      const target = path === '' ? file : join(file, '..', path);
      if (!existsSync(join(ROOT, target))) return true;
      return section !== undefined && !sectionsOf(read(target)).includes(section);
    });
    expect(broken).toEqual([]);
  });
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The links of a text that stay inside the repository. */
function linksOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** The anchors that GitHub gives the headings of a text. */
function sectionsOf(markdown: string): readonly string[] {
  return [...withoutCode(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '');
}
