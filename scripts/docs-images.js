// Renders the pictures of the docs: `npm run docs:images [-- <picture> ...]`. Needs Chromium,
// pngquant and the fonts Noto Sans, Noto Color Emoji and Liberation Mono (Debian: chromium pngquant
// fonts-noto-core fonts-noto-color-emoji fonts-liberation); CHROMIUM names the program if it is not
// in PATH.
//
// What they show is docs/images/sources.json, the real output of the built action and command line,
// which a transcript test holds current. docs/images/rendered.json says of which text each picture
// was made; a test compares the two.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser } from './docs-images/browser.js';
import { PAGES, THEMES } from './docs-images/pages.js';
import { recording } from './docs-images/recording.js';

const FOLDER = join(import.meta.dirname, '../docs/images');
const RENDERED = join(FOLDER, 'rendered.json');

/** Sharp on screens of twice the usual density. */
const SCALE = 2;

const wanted = process.argv.slice(2);
const sources = JSON.parse(readFileSync(join(FOLDER, 'sources.json'), 'utf8'));
const rendered = existsSync(RENDERED) ? JSON.parse(readFileSync(RENDERED, 'utf8')) : {};
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'demo.svg'), recording('npm run demo', sources.demo));
const browser = await openBrowser();
try {
  for (const [name, page] of Object.entries(PAGES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const theme of THEMES) {
      const file = `${name}-${theme}.png`;
      const image = shrink(await browser.screenshot(page(sources[name], theme), SCALE));
      writeFileSync(join(FOLDER, file), image);
      rendered[file] = createHash('sha256').update(JSON.stringify(sources[name])).digest('hex');
      process.stdout.write(`${file}: ${Math.ceil(image.length / 1024)} KB\n`);
    }
  }
} finally {
  await browser.close();
}
const sorted = Object.fromEntries(Object.entries(rendered).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(RENDERED, `${JSON.stringify(sorted, null, 2)}\n`);

/**
 * The same picture with a palette of 256 colours: a third of the size, and no difference to be
 * seen.
 */
function shrink(png) {
  return execFileSync('pngquant', ['--speed=1', '--strip', '256', '-'], {
    input: png,
    maxBuffer: 32 * 1024 * 1024,
  });
}
