import { describe, expect, it } from '@jest/globals';
import type { ResponseFormat } from '../../src/agent/config.js';
import { ConfigError } from '../../src/lib/errors.js';
import {
  checkObject,
  formatInstruction,
  judgeAnswer,
  responseFormatOf,
  schemaOrigin,
  type ValueCheck,
} from '../../src/loop/structured.js';

const SCHEMA = { type: 'object', properties: { risk: { type: 'string' } } };

describe('the format of the answer', () => {
  it.each<[string, ResponseFormat | undefined, string | undefined, unknown]>([
    ['is free unless requested', undefined, undefined, undefined],
    ['is free for text', { type: 'text', schema: undefined }, '', undefined],
    ['is JSON for json_object', { type: 'json_object', schema: undefined }, undefined, { type: 'json' }],
    ['is JSON for the bare word', { type: 'json_schema', schema: undefined }, ' ', { type: 'json' }],
    [
      'follows the schema of the agent',
      { type: 'json_schema', schema: SCHEMA },
      undefined,
      { type: 'json', schema: SCHEMA },
    ],
    ['follows the input', undefined, JSON.stringify(SCHEMA), { type: 'json', schema: SCHEMA }],
    [
      'follows the input before the agent',
      { type: 'json_schema', schema: { type: 'array' } },
      JSON.stringify(SCHEMA),
      { type: 'json', schema: SCHEMA },
    ],
    [
      'follows the input if the agent sets text',
      { type: 'text', schema: undefined },
      JSON.stringify(SCHEMA),
      { type: 'json', schema: SCHEMA },
    ],
  ])('%s', (_, responseFormat, input, format) => {
    expect(responseFormatOf({ responseFormat }, input)).toEqual(format);
  });

  it.each<[string, string]>([
    ['{', '`output-schema` is not JSON'],
    ['[]', '`output-schema` is JSON, but not an object'],
    ['true', '`output-schema` is JSON, but not an object'],
    ['{"$ref":"https://a.example"}', 'the JSON schema of `output-schema` refers to another document'],
  ])('is an error with a remedy for the input %s', (input, message) => {
    const work = () => responseFormatOf({ responseFormat: undefined }, input);
    expect(work).toThrow(ConfigError);
    expect(work).toThrow(message);
    expect(remedyOf(work)).toBeTruthy();
  });

  it('is an error that names the key for a schema of the agent', () => {
    const responseFormat = { type: 'json_schema', schema: { $ref: 'a.json' } } as const;
    expect(() => responseFormatOf({ responseFormat }, undefined)).toThrow('`params.response_format.schema`');
  });

  it('names the source of the schema', () => {
    expect(schemaOrigin('{}')).toBe('`output-schema`');
    expect(schemaOrigin('')).toBe('`params.response_format.schema`');
  });

  it('is sent to the model, with the schema', () => {
    expect(formatInstruction({ type: 'json' })).toContain('JSON object');
    const format = responseFormatOf({ responseFormat: undefined }, JSON.stringify(SCHEMA));
    expect(format === undefined ? '' : formatInstruction(format)).toContain(JSON.stringify(SCHEMA));
  });
});

describe('a structured answer', () => {
  const format = { type: 'json' } as const;
  const judged = (answer: string, check: ValueCheck = () => [], mayCorrect = true) =>
    judgeAnswer(answer, { format, check }, mayCorrect);
  const problemOf = (answer: string, check?: ValueCheck) => {
    const { message } = judged(answer, check) as { readonly message: string };
    return /^Your last answer could not be used: (.*)\. Send the whole answer again/.exec(message)?.[1] ?? '';
  };

  it('is returned as the checked value', () => {
    expect(judged('```json\n{"a": 1, "a": 2, "__proto__": {}}\n```')).toEqual({
      kind: 'final',
      answer: '{"a":2,"__proto__":{}}',
    });
  });

  it('is not taken a second time with a problem', () => {
    expect(judged('No.', undefined, false)).toMatchObject({
      kind: 'failed',
      error: { message: expect.stringContaining('not JSON') },
    });
  });

  it('is invalid if it is not JSON, and nothing is checked', () => {
    const check = () => {
      throw new Error('not called');
    };
    expect(problemOf('No.', check)).toContain('not JSON');
  });

  it('is invalid if it is nested too deeply', () => {
    expect(problemOf(`${'['.repeat(200)}${']'.repeat(200)}`)).toBe('it is nested more than 128 levels deep');
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

function remedyOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof ConfigError ? thrown.remedy : undefined;
  }
  return undefined;
}
