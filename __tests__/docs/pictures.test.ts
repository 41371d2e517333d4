import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { picturesOf } from '../../scripts/docs-images/pictures.js';
import { GUIDES, readDocument } from '../helpers/documents.js';

const FOLDER = join(import.meta.dirname, '../../docs/images');
const SOURCES = 'sources.json';
const pictures = picturesOf(JSON.parse(readFileSync(join(FOLDER, SOURCES), 'utf8')));

/** The width at which a phone shows a picture, and the height that letters need there. */
const PHONE = 400;
const LEGIBLE = 11;

it('the folder has the pictures, and nothing else', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual([...Object.keys(pictures), SOURCES].toSorted());
});

describe.each(Object.entries(pictures))('the picture %s', (file, svg) => {
  it('is what its source draws now (if not: `npm run docs:images`)', () => {
    expect(readFileSync(join(FOLDER, file), 'utf8')).toBe(svg);
  });

  it('is shown in the README or the docs, with words that say what is to be seen', () => {
    const pages = GUIDES.map(readDocument).filter((page) => page.includes(`images/${file}`));
    expect(pages).not.toEqual([]);
    const light = file.replace('-dark', '-light');
    for (const page of pages) {
      const [, words = ''] = new RegExp(`images/${light}"[^>]* alt="([^"]*)"`).exec(page) ?? [];
      expect(words.split(' ').length).toBeGreaterThan(7);
    }
  });

  it('has no placeholder and no hidden text, and is small', () => {
    expect(svg).not.toMatch(/&lt;(?:time|seconds|milliseconds|folder|sha|id|n|finding \d)&gt;/);
    expect(svg).not.toContain('&lt;!--');
    expect(svg.length).toBeLessThan(24 * 1024);
  });
});

it.each(Object.entries(pictures))('the letters of %s are legible on a phone', (_, svg) => {
  const [, width = ''] = /^<svg [^>]*\bwidth="(\d+)"/.exec(svg) ?? [];
  const sizes = [...svg.matchAll(/font-size="([\d.]+)"|font:([\d.]+)px/g)];
  expect(sizes).not.toEqual([]);
  const smallest = Math.min(...sizes.map(([, ofText, ofAll]) => Number(ofText ?? ofAll)));
  expect((smallest * PHONE) / Number(width)).toBeGreaterThanOrEqual(LEGIBLE);
});

it.each(['demo.svg', 'terminal.svg'])('%s shows its end at once where nothing may move', (file) => {
  expect(pictures[file]).toContain('@media (prefers-reduced-motion:reduce)');
});

it('the second review shows a finding of each kind: new, still open, fixed and dismissed', () => {
  const words = [...(pictures['second-review-light.svg'] ?? '').matchAll(/<text[^>]*>([^<]*)</g)]
    .map(([, word]) => word)
    .join(' ');
  for (const state of ['new', 'still open', 'settled', 'dismissed']) expect(words).toContain(state);
});
