import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { McpServerConfig } from '../../../src/agent/config.js';
import { expandServer, secretsFor } from '../../../src/tools/mcp/connect.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';
import { connect, EVERYTHING, FILESYSTEM, stdioServer } from './scene.js';

describe('the example servers of the protocol over stdio', () => {
  it('offer tools with the effect of a program, in the same order every time, and answer calls', async () => {
    const [one, two] = [tempDir('mcp'), tempDir('mcp')];
    writeFiles(two, { 'a.txt': 'from two' });
    const servers = [
      stdioServer('everything', [EVERYTHING, 'stdio']),
      stdioServer('one', [FILESYSTEM, one]),
      stdioServer('two', [FILESYSTEM, two]),
    ];
    const { tools, tool, call, warnings } = await connect(servers);
    const names = tools.map(({ name }) => name);
    const listed = ['echo', 'get-sum', 'list_directory', 'two_list_directory'];
    expect(names.filter((name) => listed.includes(name))).toEqual(listed);
    expect(new Set(tools.map(({ effect }) => effect))).toEqual(new Set(['execute']));
    expect(tool('echo')).toMatchObject({
      description: '[MCP server everything] Echoes back the input string',
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
      },
    });
    const path = join(two, 'a.txt');
    expect(await call('two_read_text_file', { path })).toEqual({
      text: 'from two',
      isError: false,
    });
    const refused = await call('read_text_file', { path });
    expect(refused).toEqual({ text: expect.stringContaining('Access denied'), isError: true });
    const invalid = { text: expect.stringMatching(/invalid/i), isError: true };
    expect(await call('get-sum', { a: 'one' })).toMatchObject(invalid);
    const unread = 'get-sum was not run: the arguments must be one JSON object.';
    expect(await call('get-sum', 'one')).toEqual({ text: unread, isError: true });
    expect(warnings).toEqual([]);
    const again = await connect(servers);
    expect(JSON.stringify(again.tools)).toBe(JSON.stringify(tools));
  });

  it('are none for an agent that names none', async () => {
    const { tools, warnings } = await connect([]);
    expect([tools, warnings]).toEqual([[], []]);
  });
});

const ENV = { KEY: ' k1\n', _2: 'two', EMPTY: '', BLANK: ' \n', SPLIT: 'a\nb', EURO: '€' };

function server(
  headers: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): McpServerConfig {
  return {
    name: 's',
    transport: 'sse',
    url: 'https://mcp.example.com',
    headers,
    command: 'c',
    args,
    env,
    required: false,
  };
}

describe('variables in headers and arguments', () => {
  it.each([
    ['Bearer ${KEY}', 'Bearer k1'],
    ['${KEY}${_2}-${KEY}', 'k1two-k1'],
    ['$KEY ${} ${2X} $${KEY} {KEY}', '$KEY ${} ${2X} $k1 {KEY}'],
    ['nothing', 'nothing'],
  ])('%s', (written, expected) => {
    expect(expandServer(server({ A: written }, [written]), ENV)).toEqual(
      server({ A: expected }, [expected]),
    );
  });

  it('are not expanded inside the value of a variable', () => {
    expect(expandServer(server({}, ['${A}']), { A: '${B}', B: 'secret' }).args).toEqual(['${B}']);
  });

  it.each([
    [
      server({ A: '${GHOST}' }),
      'header "A" needs the environment variable `GHOST`, which is not set',
    ],
    [server({ A: '${EMPTY}' }), '`EMPTY`'],
    [server({ A: '${BLANK}' }), '`BLANK`'],
    [server({}, ['x', '--key=${GHOST}']), '`args` needs the environment variable `GHOST`'],
    [server({}, [], { A: 'x${GHOST}' }), '`env.A` needs the environment variable `GHOST`'],
    [server({ A: '${SPLIT}' }), 'header "A" holds a character that HTTP does not allow'],
    [server({ A: '${EURO}' }), 'header "A" holds a character that HTTP does not allow'],
    [server({ 'A B': 'x' }), 'header "A B" holds a character that HTTP does not allow'],
  ])('are reported by name if they are missing, and never by value (%#)', (config, message) => {
    expect(() => expandServer(config, ENV)).toThrow(message);
    expect(() => expandServer(config, ENV)).not.toThrow(/a\nb|€/);
  });
});

it('are candidates for secrets with the names of their variables, wherever they are used', () => {
  const config = server({ A: 'Bearer ${KEY}', B: 'plain' }, ['--key=${_2}', '${GHOST}'], {
    C: '${SPLIT}',
  });
  expect(secretsFor(config, ENV)).toEqual([
    { name: 'KEY', value: ENV.KEY },
    { name: '_2', value: ENV._2 },
    { name: 'GHOST', value: '' },
    { name: 'SPLIT', value: ENV.SPLIT },
  ]);
});
