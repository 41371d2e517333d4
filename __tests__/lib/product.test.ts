import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ACTION_ADDRESS, agentSchemaUrl, parseActionAddress } from '../../src/lib/product.js';

/** No name of an account has a `_`. */
const PLACEHOLDER = 'YOUR_ORG';

it.each(['axe@v1', 'a/b', 'a/b@', 'a/b/c@v1', 'a/b@v1 x', '../b@v1'])(
  'the address of the action is not %j',
  (text) => {
    expect(parseActionAddress(text)).toBeUndefined();
    expect(() => agentSchemaUrl(text)).toThrow('not the address');
  },
);

it('what people paste next to a key has one owner: nobody can register it, until the action has its own', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^(?:node_modules|dist|__tests__|\.git)(?:\/|$)/.test(path))
    .filter((path) => statSync(join(ROOT, path)).isFile());
  const found = (pattern: RegExp) =>
    files.flatMap((path) =>
      (readFileSync(join(ROOT, path), 'utf8').match(pattern) ?? []).map(() => path),
    );
  const owner = parseActionAddress(ACTION_ADDRESS)?.owner;
  const isPublished = owner !== PLACEHOLDER;
  expect(found(new RegExp(`${owner}/axe-action`, 'g')).length).toBeGreaterThan(20);
  const placeholders = found(new RegExp(`${PLACEHOLDER}/axe-action`, 'g'));
  if (isPublished) expect(placeholders).toEqual(['RELEASING.md', 'RELEASING.md']);
  else expect(PLACEHOLDER).toContain('_');
});
