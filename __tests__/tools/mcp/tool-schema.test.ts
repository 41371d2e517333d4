import { describe, expect, it } from '@jest/globals';
import { loadSchemaCheck, makeToolSchema as make } from '../../../src/tools/mcp/tool-schema.js';

const findFault = await loadSchemaCheck();
const makeToolSchema = (offered: unknown) => make(offered, findFault);

/** A schema with one argument. */
const withArgument = (argument: unknown): unknown => ({ type: 'object', properties: { a: argument } });

describe('the schema of an MCP tool', () => {
  it('stays unchanged, in its order', () => {
    const schema = {
      type: 'object',
      properties: {
        z: { type: ['string', 'null'], description: 'Last.', minLength: 1, pattern: '^[\\w-.]+$' },
        region: { type: 'string', 'x-mcp-header': 'Region' },
        'x-mcp-header': { type: 'string' },
        a: { type: 'array', items: { $ref: '#/$defs/item' }, uniqueItems: true },
      },
      required: ['a'],
      additionalProperties: false,
      $defs: { item: { anyOf: [{ type: 'integer', minimum: 0 }, { enum: ['all'] }] } },
    };
    expect(JSON.stringify(makeToolSchema(schema))).toBe(JSON.stringify(schema));
  });

  it.each([
    ['gets the type that is missing', { properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    ['gets the arguments that are missing', { type: 'object' }, { type: 'object', properties: {} }],
    [
      'loses what providers do not take at the top',
      { $schema: 'x', title: 'T', anyOf: [{ required: ['a'] }], properties: { a: true }, required: ['a'] },
      { type: 'object', properties: { a: true }, required: ['a'] },
    ],
    [
      'loses optional arguments whose names not every provider takes',
      { type: 'object', properties: { $filter: {}, a: {} }, required: ['a', 'ghost'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    [
      'loses hidden characters',
      withArgument({ description: 'Plain\u200B\u{E0041}.', enum: ['\u202Ex'] }),
      withArgument({ description: 'Plain.', enum: ['x'] }),
    ],
  ])('%s', (_, offered, expected) => {
    expect(makeToolSchema(offered)).toEqual(expected);
  });

  it.each([
    ['a text', 'object', 'is not an object'],
    ['a list', [], 'is not an object'],
    ['nothing', undefined, 'is not an object'],
    ['null', null, 'is not an object'],
    ['of something else', { type: 'string' }, 'does not describe an object'],
    ['a list of arguments', { properties: [] }, 'at `schema.properties`'],
    [
      'a header without a name',
      withArgument({ type: 'string', 'x-mcp-header': '' }),
      'in a header that cannot be sent',
    ],
    [
      'a header of two words',
      withArgument({ type: 'string', 'x-mcp-header': 'A b' }),
      'in a header that cannot be sent',
    ],
    [
      'a list in a header',
      withArgument({ type: 'array', 'x-mcp-header': 'A' }),
      'in a header that cannot be sent',
    ],
    [
      'one header for two arguments',
      {
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
      'in a header that cannot be sent, at `schema.properties.b.x-mcp-header`',
    ],
    ['an unknown type', withArgument({ type: 'text' }), 'at `schema.properties.a.type`'],
    ['no types', withArgument({ type: [] }), 'at `schema.properties.a.type`'],
    ['a number as schema', withArgument(7), 'at `schema.properties.a`'],
    ['one required name', { required: 'a' }, 'at `schema.required`'],
    [
      'the old form of a limit',
      withArgument({ exclusiveMinimum: true }),
      'at `schema.properties.a.exclusiveMinimum`',
    ],
    ['no alternatives', withArgument({ anyOf: [] }), 'at `schema.properties.a.anyOf`'],
    ['a broken pattern', withArgument({ pattern: '[' }), 'at `schema.properties.a.pattern`'],
    ['a schema elsewhere', withArgument({ $ref: 'https://example.com/s' }), 'at `schema.properties.a.$ref`'],
    ['a reference to nothing', withArgument({ $ref: '#/$defs/ghost' }), 'at `schema.properties.a.$ref`'],
    ['deep mistakes', withArgument({ anyOf: [{ not: { items: { type: 1 } } }] }), 'a.anyOf.0.not.items.type'],
    ['no values', withArgument({ enum: [] }), 'at `schema.properties.a.enum`'],
    ['the old form of a tuple', withArgument({ items: [{}] }), 'at `schema.properties.a.items`'],
    [
      'a required name that is not safe',
      { properties: { $top: {} }, required: ['$top'] },
      'the argument "$top"',
    ],
    ['a huge one', withArgument({ description: 'x'.repeat(20_000) }), '16384 is the limit'],
    ['a deep one', withArgument(nested(80)), 'nested more than 64 deep'],
  ])('is refused: %s', (_, offered, reason) => {
    expect(() => makeToolSchema(offered)).toThrow(reason);
  });

  it('treats names of JavaScript’s own properties as ordinary names', () => {
    const text =
      '{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"hasOwnProperty":1}}}';
    expect(JSON.stringify(makeToolSchema(JSON.parse(text)))).toBe(text);
    expect(() => makeToolSchema(JSON.parse('{"properties":{"a":{"$ref":"#/constructor"}}}'))).toThrow('$ref');
  });
});

function nested(depth: number): unknown {
  return depth === 0 ? {} : { items: nested(depth - 1) };
}
