import { describe, expect, it } from '@jest/globals';
import { ToolError } from '../../src/lib/errors.js';
import { defineTool, readChoice, type Shape, schemaOf } from '../../src/tools/tool.js';
import { quiet } from './workspace-scene.js';

const item = {
  path: { type: 'string', description: 'A path.', required: true },
  line: { type: 'integer', description: 'A line.', minimum: 1 },
} as const satisfies Shape;

const shape = {
  path: { type: 'string', description: 'A path.', required: true },
  offset: { type: 'integer', description: 'A line.', minimum: 1, maximum: 20 },
  replace_all: { type: 'boolean', description: 'All of them.' },
  mode: { type: 'string', description: 'How.', choices: ['append', 'overwrite'] },
  evidence: { type: 'list', description: 'Lines.', item },
} as const satisfies Shape;

/** A tool that says what arguments it got, unless it does something else. */
function tool(run = async (input: object): Promise<string> => JSON.stringify(input)) {
  return defineTool({ name: 'echo', effect: 'read', description: 'Says it again.', shape, run });
}

describe('a tool', () => {
  it.each([true, false])('reports whether others wrote its answer: %p', async (isTainted) => {
    const echo = defineTool({ ...tool(), shape, run: async ({ path: text }) => ({ text, isTainted }) });
    expect(await echo.execute({ path: 'hi' }, quiet)).toEqual({ text: 'hi', isTainted, isError: false });
  });

  it('turns an error into a result', async () => {
    const echo = tool(() => Promise.reject(new ToolError('no such word')));
    expect(await echo.execute({ path: 'hi' }, quiet)).toEqual({ text: 'no such word', isError: true });
  });

  it('rethrows a bug, for the loop to report', async () => {
    const echo = tool(() => Promise.reject(new TypeError('a bug')));
    await expect(echo.execute({ path: 'hi' }, quiet)).rejects.toThrow('a bug');
  });

  it('is not run once the run was aborted', async () => {
    const over = AbortSignal.abort(new Error('over'));
    await expect(tool().execute({ path: 'hi' }, over)).rejects.toThrow('over');
  });
});

describe('arguments', () => {
  it.each<[string, object, object]>([
    ['all given', { path: 'a', offset: 2, replace_all: true }, { path: 'a', offset: 2, replace_all: true }],
    [
      'strings for others',
      { path: 'a', offset: ' 10 ', replace_all: 'True' },
      { path: 'a', offset: 10, replace_all: true },
    ],
    ['null for what is left out', { path: 'a', offset: null, evidence: null }, { path: 'a' }],
    ['an empty string', { path: '' }, { path: '' }],
    ['other words than those suggested', { path: 'a', mode: 'prepend' }, { path: 'a', mode: 'prepend' }],
    [
      'a list of objects, each checked',
      { path: 'a', evidence: [{ path: 'a', line: '2' }, { path: 'b' }] },
      { path: 'a', evidence: [{ path: 'a', line: 2 }, { path: 'b' }] },
    ],
    [
      'one object for a list of them',
      { path: 'a', evidence: { path: 'b' } },
      { path: 'a', evidence: [{ path: 'b' }] },
    ],
    ['an empty list', { path: 'a', evidence: [] }, { path: 'a', evidence: [] }],
  ])('are accepted: %s', async (_, input, expected) => {
    const { text, isError } = await tool().execute(input, quiet);
    expect([JSON.parse(text), isError]).toEqual([expected, false]);
  });

  const one = 'the arguments must be one JSON object, not';
  it.each<[string, unknown, string]>([
    ['nothing', undefined, `${one} nothing`],
    ['a list', [1], `${one} a list`],
    ['a string', 'path', `${one} "path"`],
    ['a missing argument', {}, '`path` is missing'],
    ['null for a required one', { path: null }, '`path` is missing'],
    ['a number for a string', { path: 5 }, '`path` must be a string, not 5'],
    ['an object for a string', { path: { a: 1 } }, '`path` must be a string, not an object'],
    ['half a number', { path: 'a', offset: 1.5 }, '`offset` must be a whole number, not 1.5'],
    ['a word for a number', { path: 'a', offset: 'ten' }, '`offset` must be a whole number, not "ten"'],
    ['an empty string for a number', { path: 'a', offset: '' }, '`offset` must be a whole number, not ""'],
    ['too small a number', { path: 'a', offset: 0 }, '`offset` must be at least 1, not 0'],
    ['too large a number', { path: 'a', offset: '21' }, '`offset` must be at most 20, not "21"'],
    ['a number beyond all', { path: 'a', offset: 1e300 }, '`offset` must be a whole number, not 1e+300'],
    [
      'a number for a truth value',
      { path: 'a', replace_all: 1 },
      '`replace_all` must be true or false, not 1',
    ],
    ['a slip in a name', { paht: 'a' }, '`path` is missing; `paht` is not an argument'],
    ['a name of every object', { path: 'a', constructor: 1 }, '`constructor` is not an argument'],
    ['a prototype', JSON.parse('{"path":"a","__proto__":{"offset":5}}'), '`__proto__` is not an argument'],
    ['words for a list', { path: 'a', evidence: ['a'] }, `\`evidence\` has an invalid item: ${one} "a"`],
    ['a list of lists', { path: 'a', evidence: [[]] }, `\`evidence\` has an invalid item: ${one} a list`],
    [
      'an item with too small a number',
      { path: 'a', evidence: [{ path: 'a', line: 0 }] },
      '`evidence` has an invalid item: `line` must be at least 1, not 0',
    ],
  ])('are refused with the reason: %s', async (_, input, problem) => {
    const run = () => Promise.reject(new Error('run'));
    const answer = await tool(run).execute(input, quiet);
    expect(answer).toEqual({ text: `echo was not run: ${problem}`, isError: true });
  });

  it('that are hostile cause a short answer', async () => {
    const names = Array.from({ length: 1000 }, (_, index) => `x${index}\n`.repeat(50));
    const { text } = await tool().execute(Object.fromEntries(names.map((name) => [name, 1])), quiet);
    expect(text).toMatch(/^echo was not run: `path` is missing; .{1,600}$/);
  });

  it('have a schema whose bytes are always the same', () => {
    expect(JSON.stringify(schemaOf(shape))).toBe(
      '{"type":"object","properties":{"path":{"type":"string","description":"A path."},"offset":{"type":"integer","description":"A line.","minimum":1,"maximum":20},"replace_all":{"type":"boolean","description":"All of them."},"mode":{"type":"string","description":"How.","enum":["append","overwrite"]},"evidence":{"type":"array","description":"Lines.","items":{"type":"object","properties":{"path":{"type":"string","description":"A path."},"line":{"type":"integer","description":"A line.","minimum":1}},"required":["path"],"additionalProperties":false}}},"required":["path"],"additionalProperties":false}',
    );
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
