import { describe, expect, it } from '@jest/globals';
import type { ResponseFormat } from '../../src/agent/config.js';
import { depthExceeds } from '../../src/lib/data.js';
import { ConfigError } from '../../src/lib/errors.js';
import {
  checkObject,
  findJson,
  formatInstruction,
  judgeAnswer,
  responseFormatOf,
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
    ['{"not":'.repeat(128) + '{}' + '}'.repeat(128), 'is nested more than 128 levels deep'],
  ])('is an error with a remedy for the input %s', (input, message) => {
    const work = () => responseFormatOf({ responseFormat: undefined }, input);
    expect(work).toThrow(ConfigError);
    expect(work).toThrow(message);
    expect(remedyOf(work)).toBeTruthy();
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

describe('finding the JSON of an answer', () => {
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
      'holds a whole fence and is not in one',
      '{"a":"\\n```json\\n{}\\n```\\n"}',
      { a: '\n```json\n{}\n```\n' },
    ],
  ])('accepts it when it %s', (_, answer, value) => {
    expect(findJson(answer)).toEqual({ value });
  });

  it.each<[string, string, RegExp]>([
    ['nothing', ' \n', /empty/],
    ['prose', 'All good.', /not JSON/],
    ['JSON with words around it', 'Here: {"a":1}', /not JSON/],
    ['two fences', '```json\n{}\n```\nor\n```json\n{}\n```', /not JSON/],
    ['a fence with something else', '```ts\nlet a;\n```', /not JSON/],
  ])('reports the problem of %s', (_, answer, problem) => {
    expect(findJson(answer)).toEqual({ problem: expect.stringMatching(problem) });
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
});
