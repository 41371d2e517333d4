import { expect, it } from '@jest/globals';
import { schemaProblem } from '../../src/loop/check-schema.js';

const NAMED = { $defs: { a: {}, 'b/c~d e': { properties: { x: {} } } } };

it.each<[object, string | undefined]>([
  [{ $ref: '#' }, undefined],
  [{ ...NAMED, $ref: '#/$defs/a' }, undefined],
  [{ ...NAMED, allOf: [{ $ref: '#/$defs/b~1c~0d%20e/properties/x' }] }, undefined],
  [{ ...NAMED, items: { $ref: '#/$defs/missing' } }, '`$ref` "#/$defs/missing" leads nowhere'],
  [{ ...NAMED, $ref: '#/$defs/a/toString' }, '`$ref` "#/$defs/a/toString" leads nowhere'],
  [{ ...NAMED, $ref: '#/$defs/%' }, '`$ref` "#/$defs/%" leads nowhere'],
  [{ ...NAMED, $ref: '#anchor' }, undefined],
  // An `$id` inside has references of its own.
  [{ $defs: { a: { $id: 'https://example.com/a', $ref: '#/$defs/b', $defs: { b: {} } } } }, undefined],
  [{ properties: { $ref: { type: 'string' }, pattern: { type: 'string' } } }, undefined],
  [{ default: { $ref: '#/gone', pattern: '(' }, examples: [{ pattern: '(' }] }, undefined],
  [{ pattern: '^a+$' }, undefined],
  [{ properties: { a: { pattern: '(' } } }, '"(" is not a pattern'],
  [{ patternProperties: { '[': {} } }, '"[" is not a pattern'],
])('for %j the reported problem is %j', (schema, expected) => {
  expect(schemaProblem({ ...schema })).toBe(expected);
});
