import { describe, expect, it } from '@jest/globals';
import { createLocator } from '../../src/agent/inspect.js';
import type { KeyPath } from '../../src/agent/keys.js';

const TEXT = `# memory.last_n = 1
name = "v" # model = 2
model="x"
  "quoted key" = 1
'literal' . sub = 2
text = """
[memory]
last_n = 3
"""
raw = '''
[[mcp_servers]]
name = "no" '''
list = [
  "a = 1", # b = 2
  { inner = 1, deep = { x = 1 } },
  [ { y = 1 } ],
]
inline = { a = 1, b.c = "}", d = [1, 2] }
escaped = "\\" = 1"
many = """a""\\""" b"""""
after = 1

[ memory ]
last_n = 4
[a.b.c]
d.e = 5
[[mcp_servers]]
name = "one"
[mcp_servers.headers]
Authorization = "x"
[[mcp_servers]]
name = "two"
  [[mcp_servers.nested]]
  z = 1
  [[mcp_servers.nested]]
  z = 2
[Upper]
Key = 1
`;

describe('createLocator', () => {
  it.each([
    ['name', 2, 1],
    ['model', 3, 1],
    ['quoted key', 4, 3],
    ['literal.sub', 5, 1],
    ['text', 6, 1],
    ['raw', 10, 1],
    ['list.2.0.y', 13, 1],
    ['inline.a', 18, 1],
    ['memory.enabled', 23, 3],
    ['mcp_servers.1.url', 31, 3],
    ['nothing.here', 1, 1],
    ['escaped', 19, 1],
    ['many', 20, 1],
    ['after', 21, 1],
    ['memory', 23, 3],
    ['memory.last_n', 24, 1],
    ['a.b', 25, 2],
    ['a.b.c.d.e', 26, 1],
    ['mcp_servers', 27, 3],
    ['mcp_servers.0', 27, 3],
    ['mcp_servers.0.name', 28, 1],
    ['mcp_servers.0.headers.Authorization', 30, 1],
    ['mcp_servers.1.name', 32, 1],
    ['mcp_servers.1.nested.0.z', 34, 3],
    ['mcp_servers.1.nested.1.z', 36, 3],
    ['upper.key', 38, 1],
    ['UPPER', 37, 2],
  ])('finds %s', (key, line, column) => {
    const path: KeyPath = key.split('.').map((part) => (/^\d$/.test(part) ? Number(part) : part));
    expect(createLocator(TEXT)(path)).toEqual({ line, column });
  });

  it('prefers the exact name to one that differs in case', () => {
    const locator = createLocator('Key = 1\nkey = 2\n');
    expect(locator(['key'])).toEqual({ line: 2, column: 1 });
    expect(locator(['Key'])).toEqual({ line: 1, column: 1 });
    expect(locator(['KEY'])).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ['CRLF', 'a = 1\r\nb = """x\r\n"""\r\nc = 3\r\n', ['c'], 4],
    ['no line end at the end', 'a = 1\nc = 3', ['c'], 2],
    ['an empty key', '"" = 1', [''], 1],
    ['a value that is a date', 'd = 1979-05-27 07:32:00\nc = 1', ['c'], 2],
    ['quotes before the closing ones', 'd = """a"""""\nc = 1', ['c'], 2],
    ['apostrophes before the closing ones', "d = '''a'''''\nc = 1", ['c'], 2],
    ['a backslash in a literal string', "d = '\\'\nc = 1", ['c'], 2],
    ['a line end after a backslash', 'd = """a\\\n  c = 9"""\nc = 1', ['c'], 3],
  ])('reads %s', (_what, text, path, line) => {
    expect(createLocator(text)(path)).toMatchObject({ line });
  });

  const BROKEN = [
    '[',
    '[[',
    'a',
    'a = ',
    'a = "',
    'a = """',
    "'",
    'a = [',
    'a = {',
    'a = {b',
    '[a',
    '= 1',
    ']]',
  ];

  it.each([...BROKEN, '\\', '\u0000', `a = ${'['.repeat(5000)}`, `a = ${'{a='.repeat(5000)}`])(
    'ends on %j',
    (text) => {
      expect(createLocator(text)(['zz'])).toEqual({ line: 1, column: 1 });
    },
  );
});
