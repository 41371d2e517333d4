import { describe, expect, it } from '@jest/globals';
import { ToolError } from '../../src/lib/errors.js';
import {
  checkInput,
  defineTool,
  readChoice,
  type Shape,
  schemaOf,
  type ToolText,
} from '../../src/tools/define.js';
import { quiet } from './workspace-scene.js';

function tool(run: (input: { readonly word: string }) => Promise<string | ToolText>) {
  return defineTool({
    name: 'echo',
    effect: 'read',
    description: 'Says it again.',
    shape: { word: { type: 'string', description: 'A word.', required: true } },
    run,
  });
}

describe('a tool', () => {
  it('answers with the result of its arguments', async () => {
    const echo = tool(async ({ word }) => `${word} ${word}`);
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'hi hi', isError: false });
  });

  it.each([true, false])('reports whether others wrote its answer: %p', async (isTainted) => {
    const echo = tool(async ({ word: text }) => ({ text, isTainted }));
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'hi', isTainted, isError: false });
  });

  it('is not run with wrong arguments', async () => {
    let ran = false;
    const echo = tool(async () => {
      ran = true;
      return '';
    });
    const result = await echo.execute({ wort: 'hi' }, quiet);
    expect(result.isError).toBe(true);
    expect(result.text).toContain('`word` is missing; `wort` is not an argument');
    expect(ran).toBe(false);
  });

  it('turns an error into a result', async () => {
    const echo = tool(async () => {
      throw new ToolError('no such word');
    });
    expect(await echo.execute({ word: 'hi' }, quiet)).toEqual({ text: 'no such word', isError: true });
  });

  it('rethrows a bug, for the loop to report', async () => {
    const echo = tool(async () => {
      throw new TypeError('a bug');
    });
    await expect(echo.execute({ word: 'hi' }, quiet)).rejects.toThrow('a bug');
  });

  it('is not run once the run was aborted', async () => {
    const echo = tool(async () => 'too late');
    await expect(echo.execute({ word: 'hi' }, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});

const shape = {
  path: { type: 'string', description: 'A path.', required: true },
  offset: { type: 'integer', description: 'A line.', minimum: 1 },
  replace_all: { type: 'boolean', description: 'All of them.' },
} as const satisfies Shape;

describe('arguments', () => {
  it.each<[string, unknown, unknown]>([
    ['all given', { path: 'a', offset: 2, replace_all: true }, { path: 'a', offset: 2, replace_all: true }],
    [
      'strings for others',
      { path: 'a', offset: ' 10 ', replace_all: 'True' },
      { path: 'a', offset: 10, replace_all: true },
    ],
    ['null for what is left out', { path: 'a', offset: null }, { path: 'a' }],
    ['an empty string', { path: '' }, { path: '' }],
  ])('are accepted: %s', (_, input, expected) => {
    expect(checkInput(shape, input)).toEqual({ input: expected, problems: [] });
  });

  it.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['the arguments must be one JSON object, not nothing']],
    ['a list', [1], ['the arguments must be one JSON object, not a list']],
    ['a string', 'path', ['the arguments must be one JSON object, not "path"']],
    ['a missing argument', {}, ['`path` is missing']],
    ['null for a required one', { path: null }, ['`path` is missing']],
    ['a number for a string', { path: 5 }, ['`path` must be a string, not 5']],
    ['an object for a string', { path: { a: 1 } }, ['`path` must be a string, not an object']],
    ['half a number', { path: 'a', offset: 1.5 }, ['`offset` must be a whole number, not 1.5']],
    ['a word for a number', { path: 'a', offset: 'ten' }, ['`offset` must be a whole number, not "ten"']],
    ['an empty string for a number', { path: 'a', offset: '' }, ['`offset` must be a whole number, not ""']],
    ['too small a number', { path: 'a', offset: '0' }, ['`offset` must be at least 1, not 0']],
    ['a number beyond all', { path: 'a', offset: 1e300 }, ['`offset` must be a whole number, not 1e+300']],
    [
      'a number for a truth value',
      { path: 'a', replace_all: 1 },
      ['`replace_all` must be true or false, not 1'],
    ],
    ['a slip in a name', { path: 'a', replaceAll: true }, ['`replaceAll` is not an argument']],
    ['two at once', { offset: 'x' }, ['`path` is missing', '`offset` must be a whole number, not "x"']],
    ['a name of every object', { path: 'a', constructor: 1 }, ['`constructor` is not an argument']],
  ])('are refused with the reason: %s', (_, input, problems) => {
    expect(checkInput(shape, input).problems).toEqual(problems);
  });

  it('cannot change a prototype', () => {
    const checked = checkInput(shape, JSON.parse('{"path":"a","__proto__":{"offset":5}}'));
    expect(checked.problems).toEqual(['`__proto__` is not an argument']);
  });

  it('that are hostile cause a short answer', async () => {
    const input = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`x${index}\n`.repeat(50), 'y'.repeat(9999)]),
    );
    const { text } = await tool(async () => '').execute(input, quiet);
    expect(text).toMatch(/^echo was not run: `word` is missing; .{1,600}$/);
  });

  it('have a schema whose bytes are always the same', () => {
    expect(JSON.stringify(schemaOf(shape))).toBe(
      '{"type":"object","properties":{"path":{"type":"string","description":"A path."},"offset":{"type":"integer","description":"A line.","minimum":1},"replace_all":{"type":"boolean","description":"All of them."}},"required":["path"],"additionalProperties":false}',
    );
  });

  it('can have suggested values, which are optional, and limits, which are enforced', () => {
    const narrow = {
      mode: { type: 'string', description: 'How.', choices: ['append', 'overwrite'] },
      limit: { type: 'integer', description: 'Most.', minimum: 1, maximum: 20 },
    } as const satisfies Shape;
    expect(schemaOf(narrow).properties).toEqual({
      mode: { type: 'string', description: 'How.', enum: ['append', 'overwrite'] },
      limit: { type: 'integer', description: 'Most.', minimum: 1, maximum: 20 },
    });
    expect(checkInput(narrow, { mode: 'prepend', limit: 20 })).toMatchObject({ problems: [] });
    const problems = ['`limit` must be at most 20, not 21'];
    expect(checkInput(narrow, { limit: 21 })).toMatchObject({ problems });
  });

  describe('that are lists of objects', () => {
    const listed = {
      name: { type: 'string', description: 'Who.', required: true },
      evidence: {
        type: 'list',
        description: 'Lines.',
        item: {
          path: { type: 'string', description: 'A path.', required: true },
          line: { type: 'integer', description: 'A line.', minimum: 1 },
        },
      },
    } as const satisfies Shape;

    it.each<[string, unknown, unknown]>([
      [
        'are each checked',
        [{ path: 'a', line: '2' }, { path: 'b' }],
        [{ path: 'a', line: 2 }, { path: 'b' }],
      ],
      ['can be one object', { path: 'a' }, [{ path: 'a' }]],
      ['can be empty', [], []],
      ['can be left out', undefined, undefined],
      ['can be null', null, undefined],
    ])('%s', (_, evidence, expected) => {
      const checked = { input: { name: 'x', evidence: expected }, problems: [] };
      expect(checkInput(listed, { name: 'x', evidence })).toEqual(checked);
    });

    it.each<[string, unknown, string]>([
      ['a word', 'a', 'the arguments must be one JSON object, not "a"'],
      ['a list of words', ['a'], 'the arguments must be one JSON object, not "a"'],
      ['a list of lists', [[]], 'the arguments must be one JSON object, not a list'],
      ['an item without what it needs', [{ path: 'a' }, { line: 1 }], '`path` is missing'],
      ['an item with too small a number', [{ path: 'a', line: 0 }], '`line` must be at least 1, not 0'],
      ['an item with a slip in a name', [{ paht: 'a' }], '`path` is missing; `paht` is not an argument'],
    ])('are refused with the reason: %s', (_, evidence, problem) => {
      expect(checkInput(listed, { name: 'x', evidence })).toMatchObject({
        problems: [`\`evidence\` has an invalid item: ${problem}`],
      });
    });

    it('have a schema', () => {
      const properties = { path: { type: 'string' }, line: { type: 'integer', minimum: 1 } };
      const items = { type: 'object', properties, required: ['path'], additionalProperties: false };
      const evidence = { type: 'array', description: 'Lines.', items };
      expect(schemaOf(listed).properties).toMatchObject({ evidence });
    });
  });
});

it.each([
  [undefined, 'head'],
  ['', 'head'],
  [' BASE ', 'base'],
])('a choice reads %p as %p', (given, word) => {
  expect(readChoice('ref', given, ['head', 'base'], 'head')).toBe(word);
});

it('a choice refuses anything else and lists its values', () => {
  expect(() => readChoice('ref', 'refs/heads/main', ['head', 'base'])).toThrow(
    '`ref` must be one of `head`, `base`, not "refs/heads/main"',
  );
});
