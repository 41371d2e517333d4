import { expect, it } from '@jest/globals';
import { MAX_TOOL_RESULT_BYTES } from '../../../src/lib/defaults.js';
import { formatResult as format } from '../../../src/tools/mcp/server.js';

/** The client has checked an answer before. */
function formatResult(answer: object) {
  return format({ content: [], ...answer } as Parameters<typeof format>[0], (clean) => clean);
}

const text = (words: string): unknown => ({ type: 'text', text: words });
const DATA = Buffer.from('twelve bytes').toString('base64');

it.each([
  ['texts, joined', [text('one'), text(''), text('two')], 'one\n\ntwo'],
  [
    'an image',
    [{ type: 'image', data: DATA, mimeType: 'image/png' }],
    '[image: image/png, 12 bytes, not shown]',
  ],
  [
    'a sound',
    [{ type: 'audio', data: DATA, mimeType: 'audio/wav' }],
    '[audio: audio/wav, 12 bytes, not shown]',
  ],
  [
    'a resource with text',
    [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'hello' } }],
    '[resource file:///a: text/plain]\nhello',
  ],
  [
    'a resource with bytes',
    [{ type: 'resource', resource: { uri: 'file:///a', blob: DATA } }],
    '[resource file:///a: unknown type, 12 bytes, not shown]',
  ],
  [
    'a link',
    [{ type: 'resource_link', uri: 'file:///a', name: 'The\nfirst.' }],
    '[link to the resource file:///a (The first.)]',
  ],
])('the answer of a tool %s', (_, content, expected) => {
  expect(formatResult({ content })).toEqual({ text: expected, isError: false });
});

it('the answer of a tool is reported as empty if it is, and as an error if the server marks it so', () => {
  expect(formatResult({})).toEqual({ text: 'MCP tool returned no content', isError: false });
  expect(formatResult({ content: [text('no')], isError: true })).toEqual({
    text: 'no',
    isError: true,
  });
});

it.each([
  ['alone', { structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
  [
    'next to a text',
    { content: [text('done')], structuredContent: { a: 1 } },
    'done\n{\n  "a": 1\n}',
  ],
  [
    'not twice, as JSON',
    { content: [text('{ "a": 1 }')], structuredContent: { a: 1 } },
    '{ "a": 1 }',
  ],
  [
    'not twice, wrapped',
    { content: [text('hello')], structuredContent: { content: 'hello' } },
    'hello',
  ],
])('the answer of a tool shows structured content: %s', (_, answer, expected) => {
  expect(formatResult(answer).text).toBe(expected);
});

it.each<[string, readonly unknown[], object]>([
  ['a list of texts', [text('one'), text('two')], { result: ['one', 'two'] }],
  ['texts as one', [text('one'), text('two')], { result: 'one\ntwo' }],
  [
    'a list of objects, a text for each',
    [text('{"a": 1}'), text('{"a": 2}')],
    { result: [{ a: 1 }, { a: 2 }] },
  ],
  ['a number', [text('42')], { result: 42 }],
  [
    'the same JSON with its keys in another order',
    [text('{"b": 2, "a": [1.0]}')],
    { a: [1], b: 2 },
  ],
  ['an image', [image(64)], { result: image(64) }],
])(
  'the answer of a tool does not repeat as structured content %s',
  (_, content, structuredContent) => {
    expect(formatResult({ content, structuredContent }).text).toBe(formatResult({ content }).text);
  },
);

it('the answer of a tool is cut by the common rule, and shows hidden characters', () => {
  const { text: long } = formatResult({
    content: [text(`\u202Ebegin ${'word '.repeat(100_000)}end`)],
  });
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
  expect(long).toMatch(/^<U\+202E>begin [\s\S]*bytes left out[\s\S]*end$/);
});

function image(bytes: number) {
  return { type: 'image', data: Buffer.alloc(bytes).toString('base64'), mimeType: 'image/png' };
}
