import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '../../src/lib/errors.js';
import { compileSchema, inspectSchema, type JsonSchema, type ValueCheck } from '../../src/loop/structured.js';

const ORIGIN = '`output-schema`';
const forEver = () => Number.POSITIVE_INFINITY;

const REVIEW = {
  type: 'object',
  properties: {
    risk: { enum: ['low', 'high'] },
    findings: { type: 'array', items: { $ref: '#/$defs/finding' }, maxItems: 2 },
  },
  required: ['risk'],
  additionalProperties: false,
  $defs: { finding: { type: 'object', properties: { line: { type: 'integer', minimum: 1 } } } },
};

describe('a compiled schema', () => {
  it.each<[unknown, readonly string[]]>([
    [{ risk: 'low' }, []],
    [{ risk: 'low', findings: [{ line: 3 }, {}] }, []],
    [{}, ["the answer must have required property 'risk'"]],
    [{ risk: 'none' }, ['`/risk` must be equal to one of the allowed values: ["low","high"]']],
    [{ risk: 'low', more: 1 }, ['the answer must NOT have additional properties: "more"']],
    [{ risk: 'low', findings: [{ line: 0 }] }, ['`/findings/0/line` must be >= 1']],
    [{ risk: 'low', findings: [{}, {}, {}] }, ['`/findings` must NOT have more than 2 items']],
    [[], ['the answer must be object']],
  ])('finds for %j the problems %j', async (value, problems) => {
    const check = await compile(REVIEW);
    expect(check(value)).toEqual(problems);
    expect(check(value)).toEqual(problems);
  });

  it.each<[string, JsonSchema, unknown, boolean]>([
    ['draft 2020-12 by default', { ...extra('prefixItems', [{ type: 'string' }]) }, [1], false],
    [
      'draft 7 if the schema names it',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      [1],
      false,
    ],
    ['formats as notes', { type: 'string', format: 'email' }, 'nobody', true],
    ['unknown keywords as notes', { type: 'string', ...extra('x-order', 1) }, 'a', true],
    [
      'a reference to a schema that comes with it',
      {
        ...extra('$defs', { a: { $id: 'https://a.example/a.json', type: 'null' } }),
        $ref: 'https://a.example/a.json',
      },
      1,
      false,
    ],
    ['own properties only', { type: 'object', required: ['toString'] }, {}, false],
  ])('accepts %s', async (_, schema, value, isRight) => {
    const check = await compileSchema(schema, ORIGIN, forEver);
    expect(check(value).length === 0).toBe(isRight);
  });

  it.each<[string, JsonSchema]>([
    ['an unknown type', JSON.parse('{"type":"strng"}')],
    ['a keyword of the wrong kind', JSON.parse('{"required":"risk"}')],
    ['an invalid pattern', { pattern: '(' }],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
    ['a reference to elsewhere', { $ref: 'https://a.example/s.json' }],
    ['an asynchronous check', { ...extra('$async', true) }],
    ['an unknown draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['a draft that is a number', JSON.parse('{"$schema":4}')],
  ])('is an error with a remedy for %s', async (_, schema) => {
    const trouble = compileSchema(schema, ORIGIN, forEver);
    await expect(trouble).rejects.toBeInstanceOf(ConfigError);
    await expect(trouble).rejects.toMatchObject({
      message: expect.stringContaining(ORIGIN),
      remedy: expect.stringMatching(/schema|\$/),
    });
  });

  it('is an error when it checks only itself', async () => {
    const check = await compileSchema({ $ref: '#' }, ORIGIN, forEver);
    expect(() => check({})).toThrow(ConfigError);
  });

  it.each<[string, JsonSchema, unknown]>([
    ['a pattern that goes back for ever', { pattern: '^(a+)+$' }, `${'a'.repeat(35)}!`],
    ['definitions that multiply', { ...multiplied(40) }, 'x'],
  ])('is an error with a remedy when the check does not end: %s', async (_, schema, value) => {
    const check = await compileSchema(schema, ORIGIN, forEver);
    const trouble = thrownBy(() => check(value));
    expect(trouble).toBeInstanceOf(ConfigError);
    expect(trouble).toMatchObject({
      message: expect.stringContaining(
        '`output-schema` cannot be used: checking an answer takes more than 2 s',
      ),
    });
  });

  it('is an error with a remedy when preparing it takes longer than the run has left', async () => {
    const names = Array.from({ length: 5000 }, (_, index) => `key${index}`);
    const schema = { properties: Object.fromEntries(names.map((name) => [name, { minLength: 1 }])) };
    const trouble = compileSchema({ ...schema }, ORIGIN, () => 0);
    await expect(trouble).rejects.toBeInstanceOf(ConfigError);
    await expect(trouble).rejects.toThrow(
      '`output-schema` cannot be used: preparing it takes longer than the run has left',
    );
  });
});

function compile(schema: object): Promise<ValueCheck> {
  return compileSchema(schema as JsonSchema, ORIGIN, forEver);
}

/** The check is run once: each of these takes all the time it may. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

/** Definitions of which each asks for the next one twice. */
function multiplied(depth: number): object {
  const refs = (index: number) => ({ allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }] });
  const definitions = Array.from({ length: depth }, (_, index) => [`d${index}`, refs(index + 1)]);
  return { ...refs(0), $defs: Object.fromEntries([...definitions, [`d${depth}`, { type: 'number' }]]) };
}

/** Keywords that draft 7's type does not know. */
function extra(keyword: string, value: unknown): object {
  return { [keyword]: value };
}

describe('a schema that is only inspected', () => {
  it.each<[string, object]>([
    ['a good one', REVIEW],
    ['one for draft 7', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }],
    ['one with an unknown format and an unknown keyword', { type: 'string', format: 'x-y', 'x-z': 1 }],
  ])('is accepted if it is %s', async (_, schema) => {
    await expect(inspectSchema({ ...schema }, ORIGIN)).resolves.toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['an unknown type', { type: 'objekt' }, 'type must be equal to one of the allowed values'],
    ['a list in place of a schema', { properties: { a: [] } }, 'properties/a must be object,boolean'],
    ['an unknown draft', { $schema: 'https://example.com/draft' }, 'a draft we do not know'],
  ])('is refused for %s', async (_, schema, message) => {
    const inspected = inspectSchema({ ...schema }, ORIGIN);
    await expect(inspected).rejects.toBeInstanceOf(ConfigError);
    await expect(inspected).rejects.toThrow(message);
    await expect(inspected).rejects.toThrow(ORIGIN);
  });
});
