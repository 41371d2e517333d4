import { describe, expect, it } from '@jest/globals';
import { isStrictSchema } from '../../src/model/model-options.js';

const closed = { additionalProperties: false };
const text = { type: 'string' };

describe('a schema that OpenAI can enforce strictly', () => {
  it.each([
    [
      'has closed objects with all properties required',
      true,
      { type: 'object', properties: { a: text }, required: ['a'], ...closed },
    ],
    [
      'has a property that can be left out',
      false,
      { type: 'object', properties: { a: text }, required: [], ...closed },
    ],
    ['does not say what is required', false, { type: 'object', properties: { a: text }, ...closed }],
    ['has an open object', false, { type: 'object', properties: { a: text }, required: ['a'] }],
    ['is a free map', false, { type: 'object', additionalProperties: text }],
    ['has an open object in a list', false, { type: 'array', items: { type: 'object' } }],
    ['has an open object among others', false, { anyOf: [text, { properties: { a: text } }] }],
    ['has an open object in a definition', false, { $defs: { a: { type: 'object' } }, type: 'string' }],
    ['has data that looks like a schema', true, { enum: [{ type: 'object' }], default: { type: 'object' } }],
    ['has no objects', true, { type: 'array', items: text }],
  ])('%s: %s', (_, isStrict, schema) => {
    expect(isStrictSchema(schema)).toBe(isStrict);
  });
});
