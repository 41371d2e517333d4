import { describe, expect, it } from '@jest/globals';
import { MAX_TOOL_RESULT_BYTES } from '../../../src/lib/defaults.js';
import { formatResult } from '../../../src/tools/mcp/results.js';

const text = (words: string): unknown => ({ type: 'text', text: words });
const DATA = Buffer.from('twelve bytes').toString('base64');

describe('the answer of a tool', () => {
  it.each([
    ['texts, joined', [text('one'), text(''), text('two')], 'one\n\ntwo'],
    [
      'an image',
      [{ type: 'image', data: DATA, mimeType: 'image/png' }],
      '[image: image/png, 12 bytes, not shown]',
    ],
    [
      'a sound of no type',
      [{ type: 'audio', data: `${DATA}=\n` }],
      '[audio: unknown type, 12 bytes, not shown]',
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
      [{ type: 'resource_link', uri: 'file:///a', name: 'a', description: 'The\nfirst.' }],
      '[link to the resource file:///a (a: The first.)]',
    ],
    ['a bare link', [{ type: 'resource_link', uri: 'file:///a' }], '[link to the resource file:///a]'],
    ['something new', [{ type: 'hologram' }], '[content of the type "hologram", not shown]'],
    ['garbage', [null, 'x', { text: 1, type: 'text' }], notShown(2)],
    [
      'a broken resource',
      [{ type: 'resource' }],
      '[a resource that does not follow the protocol, not shown]',
    ],
  ])('%s', (_, content, expected) => {
    expect(formatResult({ content })).toEqual({ text: expected, isError: false });
  });

  it.each([
    ['nothing', {}],
    ['an empty list', { content: [] }],
    ['no list', { content: 'text' }],
  ])('is reported as empty if it is %s', (_, answer) => {
    expect(formatResult(answer)).toEqual({ text: 'MCP tool returned no content', isError: false });
  });

  it('is an error if the server marks it so, and only then', () => {
    expect(formatResult({ content: [text('no')], isError: true }).isError).toBe(true);
    expect(formatResult({ content: [text('no')], isError: 'yes' }).isError).toBe(false);
  });

  it.each([
    ['alone', { structuredContent: { a: 1 } }, '{\n  "a": 1\n}'],
    ['next to a text', { content: [text('done')], structuredContent: { a: 1 } }, 'done\n{\n  "a": 1\n}'],
    ['not twice, as JSON', { content: [text('{ "a": 1 }')], structuredContent: { a: 1 } }, '{ "a": 1 }'],
    ['not twice, wrapped', { content: [text('hello')], structuredContent: { content: 'hello' } }, 'hello'],
  ])('shows structured content: %s', (_, answer, expected) => {
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
    ['the same JSON with its keys in another order', [text('{"b": 2, "a": [1.0]}')], { a: [1], b: 2 }],
    ['an image', [image(64)], { result: image(64) }],
  ])('does not repeat as structured content %s', (_, content, structuredContent) => {
    expect(formatResult({ content, structuredContent }).text).toBe(formatResult({ content }).text);
  });

  it.each<[string, object, string]>([
    ['a data URL', { src: `data:image/png;base64,${image(600).data}` }, '[600 bytes, not shown]'],
    ['base64', { raw: image(50_000).data }, '[50000 bytes, not shown]'],
  ])('leaves out of structured content %s', (_, structuredContent, expected) => {
    const { text: shown } = formatResult({ structuredContent });
    expect(shown).toContain(expected);
    expect(shown.length).toBeLessThan(500);
  });

  it('keeps in structured content what only looks like bytes', () => {
    const structuredContent = {
      hash: 'a'.repeat(128),
      words: 'word\n'.repeat(300).trim(),
      prose: 'No base64, but long. '.repeat(40),
      text: 'short',
      file: Buffer.from('A file that the model can read.\n'.repeat(40)).toString('base64'),
    };
    const { text: shown } = formatResult({ content: [text('short')], structuredContent });
    expect(JSON.parse(shown.slice('short\n'.length))).toEqual(structuredContent);
  });

  it('is cut by the common rule, and shows hidden characters', () => {
    const { text: long } = formatResult({ content: [text(`\u202Ebegin ${'word '.repeat(100_000)}end`)] });
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(MAX_TOOL_RESULT_BYTES);
    expect(long).toMatch(/^<U\+202E>begin [\s\S]*bytes left out[\s\S]*end$/);
  });
});

function image(bytes: number) {
  return { type: 'image', data: Buffer.alloc(bytes).toString('base64'), mimeType: 'image/png' };
}

function notShown(times: number): string {
  return '[content that does not follow the protocol, not shown]\n'.repeat(times);
}
