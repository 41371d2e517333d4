import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { EXAMPLE_TEXTS } from '../../../src/commands/init/example-texts.js';

const EXAMPLES = join(resolve(import.meta.dirname, '../../..'), 'examples');

it.each(Object.entries(EXAMPLE_TEXTS))('init starts from examples/%s unchanged', (file, text) => {
  // After a change to an example: `node scripts/templates.js`.
  expect(text).toBe(readFileSync(join(EXAMPLES, file), 'utf8'));
});
