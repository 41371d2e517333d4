import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { findPrice } from '../src/models/prices.js';

const ROOT = join(import.meta.dirname, '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

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

describe.each(['README.md', 'examples/README.md', 'SECURITY.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'])(
  '%s',
  (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');

    it('links to files and sections that exist', () => {
      const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
      const broken = links.filter((link) => {
        const [path = '', section] = link.split('#');
        const target = path === '' ? file : join(file, '..', path);
        if (!existsSync(join(ROOT, target))) return true;
        return (
          section !== undefined && !sectionsOf(readFileSync(join(ROOT, target), 'utf8')).includes(section)
        );
      });
      expect(broken).toEqual([]);
    });
  },
);

/** The anchors that GitHub gives the headings of a text. */
function sectionsOf(markdown: string): readonly string[] {
  return [...markdown.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
