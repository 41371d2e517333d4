import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { SITUATIONS } from './gallery/situations.js';

/** After a change of words, `UPDATE_GALLERY=1 npm test -- __tests__/report/gallery.test.ts`. */
const FOLDER = join(import.meta.dirname, 'gallery/views');

const fileOf = (name: string) => `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.md`;

it.each(Object.entries(SITUATIONS))('shows what people see: %s', async (name, run) => {
  const file = join(FOLDER, fileOf(name));
  const shown = await run();
  expect(shown).not.toContain('This is a bug in axe-action');
  if (process.env['UPDATE_GALLERY'] === '1') writeFileSync(file, shown);
  expect(shown).toBe(existsSync(file) ? readFileSync(file, 'utf8') : '');
});

it('has a file for each situation, and at least 24', () => {
  const files = Object.keys(SITUATIONS).map(fileOf);
  expect(readdirSync(FOLDER).toSorted()).toEqual(files.toSorted());
  expect(files.length).toBeGreaterThanOrEqual(24);
});
