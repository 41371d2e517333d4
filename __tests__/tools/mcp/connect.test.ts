import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { McpServerConfig } from '../../../src/agent/config.js';
import { expandServer, valuesFor } from '../../../src/tools/mcp/connect.js';
import { tempDir, writeFiles } from '../../helpers/temp.js';
import { connect, EVERYTHING, FILESYSTEM, stdioServer } from './scene.js';

const EVERYTHING_SERVER = stdioServer('everything', [EVERYTHING, 'stdio']);

describe('the everything server over stdio', () => {
  it('offers its tools with the effect of a program, in the same order every time', async () => {
    const [first, second] = await Promise.all([connect([EVERYTHING_SERVER]), connect([EVERYTHING_SERVER])]);
    const names = first.tools.map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['echo', 'get-env', 'get-sum', 'get-tiny-image']));
    expect(names).toEqual([...names].sort());
    expect(JSON.stringify(second.tools)).toBe(JSON.stringify(first.tools));
    expect(new Set(first.tools.map((tool) => tool.effect))).toEqual(new Set(['execute']));
    expect(first.tool('echo')).toMatchObject({
      description: '[MCP server everything] Echoes back the input string',
      inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    });
    expect(first.warnings).toEqual([]);
  });

  it('reports invalid arguments', async () => {
    const { call } = await connect([EVERYTHING_SERVER]);
    const { text, isError } = await call('get-sum', { a: 'one' });
    expect(isError).toBe(true);
    expect(text).toMatch(/invalid/i);
    expect(await call('get-sum', 'one')).toEqual({
      text: 'get-sum was not run: the arguments must be one JSON object.',
      isError: true,
    });
  });
});

describe('the filesystem server over stdio', () => {
  it('reads and writes files in its folder, and refuses others', async () => {
    const folder = tempDir('mcp');
    writeFiles(folder, { 'notes.txt': 'first line\n' });
    const { call, warnings } = await connect([stdioServer('files', [FILESYSTEM, folder])]);
    const notes = { path: join(folder, 'notes.txt') };
    expect(await call('read_text_file', notes)).toEqual({ text: 'first line\n', isError: false });
    await call('write_file', { path: join(folder, 'made.txt'), content: 'made' });
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made');
    const refused = await call('read_text_file', { path: '/etc/hostname' });
    expect(refused).toEqual({ text: expect.stringContaining('Access denied'), isError: true });
    expect(warnings).toEqual([]);
  });
});

describe('several MCP servers', () => {
  it('keep their order, and the second of two equal names gets its server as prefix', async () => {
    const [one, two] = [tempDir('mcp'), tempDir('mcp')];
    writeFiles(two, { 'a.txt': 'from two' });
    const { tools, call, warnings } = await connect([
      stdioServer('one', [FILESYSTEM, one]),
      stdioServer('two', [FILESYSTEM, two]),
    ]);
    const names = tools.map((tool) => tool.name);
    expect(names.indexOf('list_directory')).toBeLessThan(names.indexOf('two_list_directory'));
    expect(await call('two_read_text_file', { path: join(two, 'a.txt') })).toMatchObject({
      text: 'from two',
    });
    expect(await call('read_text_file', { path: join(two, 'a.txt') })).toMatchObject({ isError: true });
    expect(warnings).toEqual([]);
  });

  it('are empty for an agent that names none', async () => {
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
  return { name: 's', transport: 'sse', url: 'https://mcp.example.com', headers, command: 'c', args, env };
}

describe('variables in headers and arguments', () => {
  it.each([
    ['Bearer ${KEY}', 'Bearer k1'],
    ['${KEY}${_2}-${KEY}', 'k1two-k1'],
    ['$KEY ${} ${2X} $${KEY} {KEY}', '$KEY ${} ${2X} $k1 {KEY}'],
    ['nothing', 'nothing'],
  ])('%s', (written, expected) => {
    expect(expandServer(server({ A: written }, [written]), ENV)).toEqual(server({ A: expected }, [expected]));
  });

  it('are not expanded inside the value of a variable', () => {
    expect(expandServer(server({}, ['${A}']), { A: '${B}', B: 'secret' }).args).toEqual(['${B}']);
  });

  it.each([
    [server({ A: '${GHOST}' }), 'header "A" needs the environment variable `GHOST`, which is not set'],
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

it('are registered as secrets by their values, wherever they are used', () => {
  const config = server({ A: 'Bearer ${KEY}', B: 'plain' }, ['--key=${_2}', '${GHOST}'], { C: '${SPLIT}' });
  expect(valuesFor(config, ENV)).toEqual(['k1', 'two', 'a\nb']);
});
