import { describe, expect, it } from '@jest/globals';
import type { McpServerConfig } from '../../../src/agent/config.js';
import { expandServer, valuesFor } from '../../../src/tools/mcp/connect.js';

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
    [
      server({ A: '${GHOST}' }),
      'header "A" needs the environment variable `GHOST`, which is not set or empty',
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

it('are registered as secrets by their values, wherever they are used', () => {
  const config = server({ A: 'Bearer ${KEY}', B: 'plain' }, ['--key=${_2}', '${GHOST}'], { C: '${SPLIT}' });
  expect(valuesFor(config, ENV)).toEqual(['k1', 'two', 'a\nb']);
});
