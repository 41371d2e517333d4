import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ACTION_ADDRESS, agentSchemaUrl, parseActionAddress } from '../../src/lib/product.js';

it.each(['axe@v1', 'a/b', 'a/b@', 'a/b/c@v1', 'a/b@v1 x', '../b@v1'])(
  'the address of the action is not %j',
  (text) => {
    expect(parseActionAddress(text)).toBeUndefined();
    expect(() => agentSchemaUrl(text)).toThrow('not the address');
  },
);

it('what people paste beside a key names an owner that nobody can register; the README alone says what it will be', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^(?:node_modules|dist|__tests__|\.git)(?:\/|$)/.test(path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
  const found = (pattern: RegExp) =>
    files.flatMap((path) =>
      (readFileSync(join(ROOT, path), 'utf8').match(pattern) ?? []).map(() => path),
    );
  expect(ACTION_ADDRESS).toMatch(/^\w+_\w+\/axe-action@v1$/);
  expect(found(/YOUR_ORG\/axe-action/g).length).toBeGreaterThan(20);
  expect(found(/(?<![\w-])org\/axe-action/g)).toEqual(['README.md']);
});
