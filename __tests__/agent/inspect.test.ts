import { describe, expect, it } from '@jest/globals';
import { inspectAgent, parseAgent } from '../../src/agent/inspect.js';
import type { KeyPath } from '../../src/agent/keys.js';
import { createLocator } from '../../src/agent/positions.js';

const SOURCE = { name: 'v', file: 'axe/agents/v.toml' };

function errorsOf(text: string) {
  return inspectAgent(text, SOURCE).errors.map(({ message, at }) => [
    message,
    at?.line,
    at?.column,
  ]);
}

it('an agent file that is inspected has all its errors of types reported, and its warnings with them', () => {
  const text = `name = 7
model = "a/m"
timeout = "5m"
sistem_prompt = "x"

[memory]
last_n = -1
scope = "all"
notes = true

[[mcp_servers]]
name = "one"
transport = "stdio"
command = 1
`;
  expect(errorsOf(text)).toEqual([
    ['failed to parse agent config "v": name must be a string, but is an integer', 1, 1],
    ['failed to parse agent config "v": timeout must be an integer, but is a string', 3, 1],
    [
      'failed to parse agent config "v": mcp_servers[0].command must be a string, but is an integer',
      14,
      1,
    ],
  ]);
  const { config, warnings } = inspectAgent(text, SOURCE);
  expect(warnings.map(({ code, at }) => [code, at?.line])).toEqual([['agent-unknown-key', 4]]);
  expect(config).toBeUndefined();
});

it('an agent file that is inspected has errors in its review settings reported at the key', () => {
  const text = `name = "v"
model = "a/m"
[review]
depth = "deep"
parts = 13
min_severity = "bad"
[review.severity]
test = "low"
securty = "nit"
`;
  expect(errorsOf(text)).toEqual([
    ['review.depth must be one of: quick, standard', 4, 1],
    ['review.parts cannot exceed 12', 5, 1],
    ['review.min_severity must be one of: critical, major, minor, nit', 6, 1],
    ['review.severity.test must be one of: critical, major, minor, nit', 8, 1],
  ]);
  const message = expect.stringContaining('review.severity.security');
  const warning = { code: 'agent-unknown-key', message, at: { line: 9 } };
  expect(inspectAgent(text, SOURCE).warnings).toMatchObject([warning]);
});

it('an agent file that is inspected with very many errors has the first fifty reported', () => {
  const servers = Array.from({ length: 200 }, () => '[[mcp_servers]]\nname = 1\n').join('');
  const { config, errors } = inspectAgent(`name = "v"\nmodel = "a/m"\n${servers}`, SOURCE);
  expect(errors).toHaveLength(50);
  expect(errors[49]?.at?.line).toBe(102);
  expect(config).toBeUndefined();
});

describe('a memory.path that only the command line can use (D54)', () => {
  const text = (path: string, more = '') =>
    `name = "v"\nmodel = "a/m"\n[memory]\nenabled = true\n${more}path = '${path}'\n`;

  it.each([
    ['/tmp/abs.md', 'it is outside of the memory store'],
    ['../out.md', 'it is outside of the memory store'],
    ['~/m.md', 'it is outside of the memory store'],
    ['C:\\m.md', 'it is outside of the memory store'],
    ['x.txt', 'it does not end in `.md`'],
    ['MEMORY.md', 'notes are kept there'],
    ['apart/v.md', 'the name is reserved'],
    ['offline/v.md', 'the name is reserved'],
    ['v.state.md', 'the name is reserved'],
    ['.hidden/v.md', 'names in it must start with'],
    ['my notes.md', 'names in it must start with'],
  ])('%j is a warning at its line with the place used instead', (path, why) => {
    const { errors, warnings, workflowWarnings } = inspectAgent(text(path), SOURCE);
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
    const at = { file: 'axe/agents/v.toml', line: 5, column: 1 };
    expect(workflowWarnings).toMatchObject([{ code: 'agent-unused-key', at }]);
    expect(workflowWarnings[0]?.message).toContain(why);
    expect(workflowWarnings[0]?.message).toMatch(
      /^`memory\.path` cannot be ".*" in a workflow: .*`v\.md` in the memory store is used instead\./,
    );
    expect(parseAgent(text(path), SOURCE)).toMatchObject({ workflowWarnings });
  });

  it.each([
    ['a place in the store', text('team/log.md')],
    ['none', text('')],
    ['one of a memory that is off', text('/tmp/abs.md').replace('true', 'false')],
    ['one that is an error already', text('MEMORY.md', 'notes = true\n')],
  ])('causes no warning for %s', (_, toml) => {
    expect(inspectAgent(toml, SOURCE).workflowWarnings).toEqual([]);
  });
});

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

  it.each(['[[', 'a = """', "'", '[a', '= 1', `a = ${'{a='.repeat(5000)}`])(
    'ends on %j',
    (text) => {
      expect(createLocator(text)(['zz'])).toEqual({ line: 1, column: 1 });
    },
  );
});
