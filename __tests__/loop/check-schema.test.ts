import { describe, expect, it } from '@jest/globals';
import { STRUCTURED_LIMITS } from '../../src/lib/defaults.js';
import { ConfigError } from '../../src/lib/errors.js';
import { checkSchema, depthExceeds, type SchemaObject } from '../../src/loop/structured.js';

const ORIGIN = '`output-schema`';

describe('a user’s schema', () => {
  it.each<[string, SchemaObject]>([
    ['without references', { type: 'object', properties: { a: { type: 'string' } } }],
    ['with a reference into itself', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }],
    ['with an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here' } } }],
    ['with a property called `$ref`', { properties: { $ref: { type: 'string' }, $async: { type: 'null' } } }],
    [
      'with examples that hold references',
      { examples: [{ $ref: 'https://a.example' }], const: { $ref: 'x' } },
    ],
  ])('is accepted %s', (_, schema) => {
    expect(() => checkSchema(schema, ORIGIN)).not.toThrow();
  });

  it.each<[string, SchemaObject, string]>([
    ['over http', { $ref: 'https://a.example/s.json' }, '"https://a.example/s.json"'],
    ['from a file', { items: { $ref: 'file:///etc/passwd' } }, '"file:///etc/passwd"'],
    ['next to it', { properties: { a: { $ref: 'other.json#/b' } } }, '"other.json#/b"'],
    ['in a list', { anyOf: [{ type: 'null' }, { $ref: '//a.example' }] }, '"//a.example"'],
    ['under `properties`, `properties`', { properties: { properties: { $ref: 'x' } } }, '"x"'],
    ['dynamically', { $dynamicRef: 'https://a.example#m' }, '"https://a.example#m"'],
  ])('is refused if it refers to another document %s', (_, schema, quoted) => {
    const error = thrownBy(() => checkSchema(schema, ORIGIN));
    expect(error.message).toContain(`the JSON schema of ${ORIGIN} refers to another document`);
    expect(error.message).toContain(quoted);
    expect(error.remedy).toContain('$defs');
    expect(error.exitCode).toBe(2);
  });

  it('is refused if it is asynchronous', () => {
    expect(thrownBy(() => checkSchema({ $async: true }, ORIGIN)).message).toContain('$async');
  });

  it('is refused if it is too deep', () => {
    const deep = nest(STRUCTURED_LIMITS.schemaDepth + 1);
    expect(thrownBy(() => checkSchema(deep, ORIGIN)).message).toContain('64 levels');
    expect(() => checkSchema(nest(STRUCTURED_LIMITS.schemaDepth), ORIGIN)).not.toThrow();
  });

  it('is refused if it is too large', () => {
    const large = { description: 'é'.repeat(STRUCTURED_LIMITS.schemaBytes / 2) };
    expect(thrownBy(() => checkSchema(large, ORIGIN)).message).toContain('too large');
  });
});

describe('the depth', () => {
  it.each<[unknown, number]>([
    [1, 0],
    [null, 0],
    [{}, 1],
    [[[1]], 2],
    [{ a: { b: [] } }, 3],
  ])('of %j is %i', (value, depth) => {
    expect(depthExceeds(value, depth)).toBe(false);
    if (depth > 0) expect(depthExceeds(value, depth - 1)).toBe(true);
  });

  it('is found without running out of stack', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(depthExceeds(JSON.parse(text), 128)).toBe(true);
  });
});

function nest(levels: number): SchemaObject {
  let schema: SchemaObject = {};
  for (let level = 1; level < levels; level += 1) schema = { not: schema };
  return schema;
}

function thrownBy(work: () => void): ConfigError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown;
    throw thrown;
  }
  throw new Error('nothing was thrown');
}
