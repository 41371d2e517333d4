import { describe, expect, it } from '@jest/globals';
import type { McpServerConfig } from '../../../src/agent/config.js';
import { type McpHttp, type Route, startMcpHttp } from '../../helpers/mcp-http.js';
import { connect, until } from './scene.js';

/** What an agent writes; the value comes from the environment. */
const HEADERS = { Authorization: 'Bearer ${REMOTE_KEY}' };
const ENV = { REMOTE_KEY: 'remote-key-1\n' };

describe.each([
  ['streamable HTTP, answers as streams', 'streamable-http', '/mcp'],
  ['streamable HTTP, answers as JSON', 'streamable-http', '/json'],
  ['HTTP with SSE', 'sse', '/sse'],
] as const)('an MCP server over %s', (_, transport, path) => {
  const at = (http: McpHttp): McpServerConfig => ({ ...server(http.url + path), transport });

  it('offers tools with the effect `network` and answers calls', async () => {
    const http = await startMcpHttp();
    const { tools, call, warnings } = await connect([at(http)]);
    expect(tools.map(({ name, effect }) => `${name} ${effect}`)).toEqual(
      ['echo', 'refuse', 'vanish', 'whoami'].map((name) => `${name} network`),
    );
    expect(await Promise.all([1, 2, 3].map((n) => call('echo', { n })))).toEqual(
      [1, 2, 3].map((n) => ({ text: `{"n":${n}}`, isError: false })),
    );
    expect(await call('refuse')).toEqual({ text: 'not today', isError: true });
    expect(warnings).toEqual([]);
  });

  it('gets its headers with every request, filled in from the environment, by the given fetch', async () => {
    const http = await startMcpHttp();
    const seen: string[] = [];
    const { call } = await connect([{ ...at(http), headers: HEADERS }], {
      env: ENV,
      secrets: ['remote-key-1'],
      fetch: (url, init) => {
        seen.push(new URL(String(url)).origin);
        return fetch(url, init);
      },
    });
    // What it was given does not come back from it.
    expect(await call('whoami')).toMatchObject({ text: 'Bearer ***' });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen).toEqual(http.requests().map(() => http.url));
    for (const { headers } of http.requests())
      expect(headers.authorization).toBe('Bearer remote-key-1');
  });

  it('has no session left after close', async () => {
    const http = await startMcpHttp();
    const { close, call } = await connect([at(http)]);
    expect(http.sessions()).toBe(1);
    await close();
    await until(() => http.sessions() === 0);
    expect(await call('echo')).toMatchObject({ isError: true });
  });

  it('that breaks off during an answer fails the call, and continues', async () => {
    const http = await startMcpHttp();
    const { call } = await connect([at(http)], { callTimeoutMs: 1000 });
    expect(await call('vanish')).toMatchObject({ isError: true });
    expect(await call('echo', { a: 1 })).toEqual({ text: '{"a":1}', isError: false });
  });

  it('that is unreachable fails every call, with a warning', async () => {
    const http = await startMcpHttp();
    const { call, warnings } = await connect([at(http)], { callTimeoutMs: 5000 });
    await http.close();
    expect(await call('echo')).toMatchObject({ isError: true });
    expect(await call('echo')).toMatchObject({ isError: true });
    expect(warnings.length).toBeGreaterThanOrEqual(1);
    expect(new Set(warnings.map(({ code }) => code))).toEqual(new Set(['mcp-server']));
  });

  it('never sends its headers to the host a redirect leads to', async () => {
    const other = await startMcpHttp();
    const http = await startMcpHttp((_request, response) => {
      response.writeHead(307, { location: `${other.url}${path}` }).end();
      return true;
    });
    const { tools, warnings } = await connect([{ ...at(http), headers: HEADERS }], { env: ENV });
    expect(tools).toEqual([]);
    expect(other.requests()).toEqual([]);
    expect(warnings).toEqual([
      { code: 'mcp-server', message: expect.stringMatching(/[Rr]edirect/) },
    ]);
  });
});

it('a redirect within the server is followed, headers and all', async () => {
  const http = await startMcpHttp((request, response) => {
    if (request.url !== '/old') return false;
    response.writeHead(307, { location: '/mcp' }).end();
    return true;
  });
  const { call } = await connect([{ ...server(`${http.url}/old`), headers: HEADERS }], {
    env: ENV,
  });
  await call('whoami');
  expect(http.requests().at(-1)?.headers.authorization).toBe('Bearer remote-key-1');
});

describe('a session over streamable HTTP that the server lost', () => {
  it('is reopened by the next calls, once', async () => {
    const http = await startMcpHttp();
    const { call, warnings } = await connect([server(`${http.url}/mcp`)]);
    http.forget();
    const answers = await Promise.all([call('echo', { a: 1 }), call('echo', { b: 2 })]);
    expect(answers.map(({ text }) => text)).toEqual(['{"a":1}', '{"b":2}']);
    expect(http.sessions()).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('is ended if everything is closed while it is reopened', async () => {
    let onReopen: (() => void) | undefined;
    const http = await startMcpHttp((request) => {
      if (request.headers['mcp-session-id'] === undefined) onReopen?.();
      return false;
    });
    const { call, close } = await connect([server(`${http.url}/mcp`)]);
    http.forget();
    const closed = new Promise<void>((resolve) => {
      onReopen = () => {
        onReopen = undefined;
        void close().then(resolve);
      };
    });
    await Promise.all([call('echo'), closed]);
    await until(() => http.sessions() === 0);
  });
});

it('a session over SSE whose stream was cut is reopened', async () => {
  const http = await startMcpHttp();
  const { call } = await connect([{ ...server(`${http.url}/sse`), transport: 'sse' }]);
  http.cut();
  // Calls that find the stream cut fail: nobody knows whether they were carried out.
  for (let tries = 0; tries < 3 && (await call('echo')).isError; tries += 1);
  expect(await call('echo', { a: 1 })).toEqual({ text: '{"a":1}', isError: false });
  expect(http.requests().filter(({ line }) => line === 'GET /sse')).toHaveLength(2);
});

/** Answers everything with this, and ends only what is whole. */
function answering(status: number, type: string, body: string, isWhole = true): Route {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type }).write(body);
    if (isWhole) response.end();
    return true;
  };
}

const JSON_TYPE = 'application/json';

describe('an endpoint that is not an MCP server is left out with a warning:', () => {
  it.each<[string, Route, string]>([
    ['an HTML page', answering(200, 'text/html', '<html>'), 'Unexpected content type: text/html'],
    ['a page that is not found', answering(404, 'text/html', '<h1>Not found</h1>'), 'HTTP 404'],
    ['a login', answering(401, 'text/html', ''), 'HTTP 401, check its `headers`'],
    ['an empty answer', answering(200, JSON_TYPE, ''), 'JSON'],
    ['broken JSON', answering(200, JSON_TYPE, '{"jsonrpc":'), 'JSON'],
    ['other JSON', answering(200, JSON_TYPE, '[1]'), 'Invalid'],
    ['a body that stalls', answering(200, JSON_TYPE, '{', false), 'it did not answer within 0.5 s'],
    [
      'an SSE stream that never names its message address',
      answering(200, 'text/event-stream', ': hello\n\n', false),
      'it did not answer within 0.5 s',
    ],
  ])('%s', async (what, route, reason) => {
    const http = await startMcpHttp(route);
    const transport = what.startsWith('an SSE') ? 'sse' : 'streamable-http';
    const { tools, warnings } = await connect([{ ...server(http.url), transport }], {
      timeoutMs: reason.includes('0.5') ? 500 : 100_000,
    });
    expect(tools).toEqual([]);
    expect(warnings).toEqual([{ code: 'mcp-server', message: expect.stringContaining(reason) }]);
  });

  it('an SSE stream that wants its messages sent to another host', async () => {
    const other = await startMcpHttp();
    const http = await startMcpHttp((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${other.url}/messages\n\n`);
      return true;
    });
    const config = { ...server(http.url), transport: 'sse' as const, headers: HEADERS };
    const { warnings } = await connect([config], { env: ENV });
    expect(other.requests()).toEqual([]);
    expect(warnings).toEqual([{ code: 'mcp-server', message: expect.stringContaining('origin') }]);
  });

  it('a port where nobody listens', async () => {
    const http = await startMcpHttp();
    await http.close();
    const { warnings } = await connect([server(http.url)]);
    expect(warnings[0]?.message).toContain('ECONNREFUSED');
  });
});

function server(url: string): McpServerConfig {
  return {
    name: 'remote',
    transport: 'streamable-http',
    url,
    headers: {},
    command: '',
    args: [],
    env: {},
    required: false,
  };
}
