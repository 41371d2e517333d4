// Draws the pictures of the docs: `npm run docs:images`. What they show is docs/images/sources.json,
// the real output of the built action and command line, which a transcript test holds current.
// Another test draws them again and compares the bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picturesOf } from './docs-images/pictures.js';

const FOLDER = join(import.meta.dirname, '../docs/images');

const sources = JSON.parse(readFileSync(join(FOLDER, 'sources.json'), 'utf8'));
for (const [file, svg] of Object.entries(picturesOf(sources))) {
  writeFileSync(join(FOLDER, file), svg);
  process.stdout.write(`${file}: ${Math.ceil(svg.length / 1024)} KB\n`);
}
