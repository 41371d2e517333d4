import { describe, expect, it } from '@jest/globals';
import type { ResponseFormat } from '../../src/agent/config.js';
import { ConfigError } from '../../src/lib/errors.js';
import {
  checkObject,
  compileSchema,
  findJson,
  formatInstruction,
  inspectSchema,
  type JsonSchema,
  judgeAnswer,
  responseFormatOf,
  type ValueCheck,
} from '../../src/loop/structured.js';

const SCHEMA = { type: 'object', properties: { risk: { type: 'string' } } };

describe('the format of the answer', () => {
  const INPUT = JSON.stringify(SCHEMA);
  const BY_SCHEMA = { type: 'json', schema: SCHEMA };
  const ofAgent = (type: ResponseFormat['type'], schema?: ResponseFormat['schema']) => ({
    type,
    schema,
  });

  it.each<[string, ResponseFormat | undefined, string, unknown]>([
    ['is free unless requested', undefined, '', undefined],
    ['is free for text', ofAgent('text'), '', undefined],
    ['is JSON for json_object', ofAgent('json_object'), '', { type: 'json' }],
    ['is JSON for the bare word', ofAgent('json_schema'), ' ', { type: 'json' }],
    ['follows the schema of the agent', ofAgent('json_schema', SCHEMA), '', BY_SCHEMA],
    ['follows the input', undefined, INPUT, BY_SCHEMA],
    [
      'follows the input before the agent',
      ofAgent('json_schema', { type: 'array' }),
      INPUT,
      BY_SCHEMA,
    ],
    ['follows the input if the agent sets text', ofAgent('text'), INPUT, BY_SCHEMA],
  ])('%s', (_, responseFormat, input, format) => {
    expect(responseFormatOf({ responseFormat }, input)).toEqual(format);
  });

  it.each<[string, string]>([
    ['{', '`output-schema` is not JSON'],
    ['[]', '`output-schema` is JSON, but not an object'],
    ['true', '`output-schema` is JSON, but not an object'],
    ['{"not":'.repeat(128) + '{}' + '}'.repeat(128), 'is nested more than 128 levels deep'],
  ])('is an error with a remedy for the input %s', (input, message) => {
    const thrown = thrownBy(() => responseFormatOf({ responseFormat: undefined }, input));
    expect(thrown).toBeInstanceOf(ConfigError);
    const remedy = expect.stringMatching(/\w/);
    expect(thrown).toMatchObject({ message: expect.stringContaining(message), remedy });
  });

  it('is sent to the model, with the schema', () => {
    expect(formatInstruction({ type: 'json' })).toContain('JSON object');
    const format = responseFormatOf({ responseFormat: undefined }, INPUT);
    expect(format === undefined ? '' : formatInstruction(format)).toContain(INPUT);
  });
});

describe('a structured answer', () => {
  const format = { type: 'json' } as const;
  const judged = (answer: string, check: ValueCheck = () => [], mayCorrect = true) =>
    judgeAnswer(answer, { format, check }, mayCorrect);
  const problemOf = (answer: string, check?: ValueCheck) => {
    const { message } = judged(answer, check) as { readonly message: string };
    return (
      /^Your last answer could not be used: (.*)\. Send the whole answer again/.exec(
        message,
      )?.[1] ?? ''
    );
  };

  it('is returned as the checked value', () => {
    expect(judged('```json\n{"a": 1, "a": 2, "__proto__": {}}\n```')).toEqual({
      kind: 'final',
      answer: '{"a":2,"__proto__":{}}',
    });
  });

  it('is not taken a second time with a problem', () => {
    const error = { message: expect.stringContaining('not JSON') };
    expect(judged('No.', undefined, false)).toMatchObject({ kind: 'failed', error });
  });

  it('is invalid if it is nested too deeply', () => {
    expect(problemOf(`${'['.repeat(200)}${']'.repeat(200)}`)).toBe(
      'it is nested more than 128 levels deep',
    );
  });

  it('reports the first problems on one line and counts the others', () => {
    const problem = problemOf('{}', () =>
      Array.from({ length: 7 }, (_, index) => `p${index}\n${'x'.repeat(500)}`),
    );
    expect(problem).toMatch(/^p0 x.*; p4 x.*; and 2 more$/);
    expect(problem.length).toBeLessThan(1100);
  });

  it.each<[string, number]>([
    ['{}', 0],
    ['[]', 1],
    ['null', 1],
    ['"a"', 1],
    ['1', 1],
  ])('without a schema is an object: %s has %i problems', (json, problems) => {
    expect(checkObject(JSON.parse(json))).toHaveLength(problems);
  });
});

it.each<[string, string, unknown]>([
  ['is the whole answer', '{"a":1}', { a: 1 }],
  ['has white space and a byte order mark around it', '\uFEFF\n {"a":1} \n', { a: 1 }],
  ['is a list', '[1,2]', [1, 2]],
  ['is a word', 'null', null],
  ['is in a fence', '```json\n{"a":1}\n```', { a: 1 }],
  ['is in a fence with Windows line ends', '```json\r\n{\r\n"a":1}\r\n```\r\n', { a: 1 }],
  ['is in a fence with words around it', 'Here it is:\n\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
  ['is in a fence of tildes', '~~~\n{"a":1}\n~~~', { a: 1 }],
  ['is in a fence that was not closed', '```json\n{"a":1}', { a: 1 }],
  ['holds a fence in a text', '```json\n{"a":"```\\nx\\n```"}\n```', { a: '```\nx\n```' }],
  [
    'holds a whole fence, in none',
    '{"a":"\\n```json\\n{}\\n```\\n"}',
    { a: '\n```json\n{}\n```\n' },
  ],
])('finding the JSON of an answer accepts it when it %s', (_, answer, value) => {
  expect(findJson(answer)).toEqual({ value });
});

it.each<[string, string, RegExp]>([
  ['nothing', ' \n', /empty/],
  ['prose', 'All good.', /not JSON/],
  ['JSON with words around it', 'Here: {"a":1}', /not JSON/],
  ['two fences', '```json\n{}\n```\nor\n```json\n{}\n```', /not JSON/],
  ['a fence with something else', '```ts\nlet a;\n```', /not JSON/],
])('finding the JSON of an answer reports the problem of %s', (_, answer, problem) => {
  expect(findJson(answer)).toEqual({ problem: expect.stringMatching(problem) });
});

const ORIGIN = '`output-schema`';
const forEver = () => Number.POSITIVE_INFINITY;

const DRAFT_7 = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  items: [{ type: 'string' as const }],
};

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
    ['draft 7 if the schema names it', DRAFT_7, [1], false],
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
    const told = '`output-schema` cannot be used: checking an answer takes more than 2 s';
    expect(trouble).toMatchObject({ message: expect.stringContaining(told) });
  });

  const properties = (length: number, of: (index: number) => object) => ({
    properties: Object.fromEntries(
      Array.from({ length }, (_, index) => [`key${index}`, of(index)]),
    ),
  });

  it.each<[string, object, string]>([
    ['bytes', properties(3500, () => ({ minLength: 1 })), 'and at most 65,536 are allowed'],
    ['patterns', properties(201, (index) => ({ pattern: `^${index}$` })), 'it has 201 patterns'],
    [
      'patterns of names',
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 201 }, (_, i) => [`^${i}$`, true]),
        ),
      },
      'it has 201 patterns, and at most 200 are allowed',
    ],
    [
      'references',
      { $defs: { text: {} }, ...properties(501, () => ({ $ref: '#/$defs/text' })) },
      'it has 501 references, and at most 500 are allowed',
    ],
  ])('is an error with a remedy when it has too many %s', async (_, schema, message) => {
    const trouble = compile(schema);
    await expect(trouble).rejects.toBeInstanceOf(ConfigError);
    await expect(trouble).rejects.toThrow(message);
  });

  it('is prepared however slow the machine is, and copies nothing that a reference names', async () => {
    const schema = {
      $defs: { many: properties(100, () => ({ minLength: 1 })) },
      ...properties(500, () => ({ $ref: '#/$defs/many' })),
    };
    const check = await compile(schema);
    expect(check({ key7: { key3: '' } })).toEqual([expect.stringContaining('/key7/key3')]);
  });

  it('is an error with a remedy when preparing it takes longer than the run has left', async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `key${index}`);
    const schema = {
      properties: Object.fromEntries(names.map((name) => [name, { minLength: 1 }])),
    };
    const trouble = compileSchema({ ...schema }, ORIGIN, () => 0);
    await expect(trouble).rejects.toBeInstanceOf(ConfigError);
    const told = '`output-schema` cannot be used: preparing it takes longer than the run has left';
    await expect(trouble).rejects.toThrow(told);
  });
});

function compile(schema: object): Promise<ValueCheck> {
  return compileSchema(schema as JsonSchema, ORIGIN, forEver);
}

/** What work throws, which is run once: it may take all the time it has. */
function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

/** Definitions of which each asks for the next one twice. */
function multiplied(depth: number): object {
  const refs = (index: number) => ({
    allOf: [{ $ref: `#/$defs/d${index}` }, { $ref: `#/$defs/d${index}` }],
  });
  const definitions = Array.from({ length: depth }, (_, index) => [`d${index}`, refs(index + 1)]);
  return {
    ...refs(0),
    $defs: Object.fromEntries([...definitions, [`d${depth}`, { type: 'number' }]]),
  };
}

/** Keywords that draft 7's type does not know. */
function extra(keyword: string, value: unknown): object {
  return { [keyword]: value };
}

it.each<[string, object]>([
  ['a good one', REVIEW],
  ['one for draft 7', DRAFT_7],
  [
    'one with an unknown format and an unknown keyword',
    { type: 'string', format: 'x-y', 'x-z': 1 },
  ],
])('a schema that is only inspected is accepted if it is %s', async (_, schema) => {
  await expect(inspectSchema({ ...schema }, ORIGIN)).resolves.toBeUndefined();
});

it.each<[string, object, string]>([
  ['an unknown type', { type: 'objekt' }, 'type must be equal to one of the allowed values'],
  ['a list in place of a schema', { properties: { a: [] } }, 'properties/a must be object,boolean'],
  ['an unknown draft', { $schema: 'https://example.com/draft' }, 'a draft we do not know'],
])('a schema that is only inspected is refused for %s', async (_, schema, message) => {
  const inspected = inspectSchema({ ...schema }, ORIGIN);
  await expect(inspected).rejects.toBeInstanceOf(ConfigError);
  await expect(inspected).rejects.toThrow(message);
  await expect(inspected).rejects.toThrow(ORIGIN);
});
