// slow
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { tempDir } from '../../helpers/temp.js';
import { badServer, connect, isAlive, stdioServer, tryRead, until, untilGone } from './scene.js';

/** A working server, to show that the others do not disturb it. */
const GOOD = badServer('good');
const KEYLESS = { ...GOOD, name: 'x', args: ['${NO_KEY}'] };

describe('a server that cannot be used is left out with one warning, and the others stay', () => {
  // Time enough for the working server to start at the same time on a busy machine.
  const SLOW = { timeoutMs: 6000 };
  it.each([
    ['is missing', { ...GOOD, name: 'x', command: '/no/such/program' }, {}, 'ENOENT'],
    [
      'ends early',
      badServer('crash-at-start'),
      {},
      'exit status 3; its last words: Usage: server FOLDER',
    ],
    ['fails at the start', badServer('broken-at-start'), {}, 'TypeError: no such folder'],
    ['never answers', badServer('silent'), SLOW, 'it did not answer within 6 s'],
    ['has no list of tools', badServer('no-list'), {}, 'Invalid result'],
    [
      'has an endless list',
      badServer('endless-list'),
      {},
      'its list of tools has more than 100 pages',
    ],
    ['needs a variable', KEYLESS, {}, 'variable `NO_KEY`, which is not set or empty'],
  ])('if it %s', async (_, server, options, reason) => {
    const { tools, warnings, call } = await connect([server, GOOD], options);
    expect(tools.map((tool) => tool.name)).toEqual(['work']);
    expect(await call('work')).toMatchObject({ isError: false });
    expect(warnings).toEqual([
      {
        code: 'mcp-server',
        message: expect.stringContaining(`MCP server \`${server.name}\` is left out`),
      },
    ]);
    expect(warnings[0]?.message).toContain(reason);
  });
});

it.each([
  ['the newer one alone', 'modern'],
  ['the older one alone', 'good'],
  ['the older one, ending at a request that it does not know', 'strict'],
  ['the older one, silent at a request that it does not know', 'ignorant'],
])('a server is spoken to in the protocol that it knows: %s', async (_, mode) => {
  const { call, warnings } = await connect([badServer(mode)], { timeoutMs: 9000 });
  expect(await call('work')).toMatchObject({ isError: false });
  expect(warnings).toEqual([]);
});

it('a result with content of an unknown kind keeps the rest, and names the kind', async () => {
  const { call } = await connect([badServer('new-content')]);
  expect(await call('work')).toMatchObject({
    isError: false,
    text: expect.stringMatching(
      /^before\n+\[brand_new, not shown\]\n+\[content of no kind, not shown\]/,
    ),
  });
});

it('a server with unusual tools is called by the name that the server knows, without the tools whose schema is broken', async () => {
  const { tools, call, warnings } = await connect([badServer('unusual')]);
  expect(tools.map(({ name }) => name)).toEqual(['dotted_name_with_spaces']);
  expect(warnings).toMatchObject([
    { message: expect.stringContaining('`text-schema` (left out: ') },
  ]);
  const { text } = await call('dotted_name_with_spaces', { a: 1 });
  const called = { name: 'dotted.name/with spaces', arguments: { a: 1 } };
  expect(JSON.parse(text)).toMatchObject({ called });
});

it('a server with unusual tools offers a hundred of ten thousand tools, the same every time', async () => {
  const { tools, warnings } = await connect([badServer('many-tools')]);
  expect(tools.map((tool) => tool.name)).toEqual(
    Array.from({ length: 100 }, (_, index) => `tool${String(index).padStart(5, '0')}`),
  );
  expect(warnings).toEqual([
    {
      code: 'mcp-server',
      message: expect.stringContaining('and 9895 more (left out: all servers'),
    },
  ]);
});

describe('a call', () => {
  it('to a server that ends is an error, and so is every later one, with one warning', async () => {
    const { call, warnings } = await connect([badServer('crash-in-call')]);
    const why = 'exit status 7; its last words: loading out of luck';
    const error = { text: `Error: the MCP server "crash-in-call" failed: ${why}`, isError: true };
    expect(await Promise.all([call('work'), call('work')])).toEqual([error, error]);
    expect(await call('work')).toEqual(error);
    expect(warnings).toEqual([
      {
        code: 'mcp-server',
        message: `MCP server \`crash-in-call\` failed a call of \`work\` (${why})`,
      },
    ]);
  });

  it.each(['silent-in-call', 'garbage-result'])(
    'that has no answer is an error after its own time limit: %s',
    async (mode) => {
      const { call } = await connect([badServer(mode)], { callTimeoutMs: 300 });
      const text = `Error: the MCP server "${mode}" failed: it did not answer within 0.3 s`;
      expect(await call('work')).toEqual({ text, isError: true });
    },
  );

  it('is understood even if the server writes a greeting to its standard output', async () => {
    const { call, warnings } = await connect([badServer('greeting')]);
    expect(await call('work')).toMatchObject({ isError: false });
    expect(warnings).toEqual([]);
  });

  it('ends with the run, as its reason', async () => {
    const controller = new AbortController();
    const { call } = await connect([badServer('silent-in-call')], { signal: controller.signal });
    const answer = call('work');
    const reason = new Error('the time is up');
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });
});

it('the processes of MCP servers are ended by close, with their children, even if they ignore every request to end', async () => {
  const file = join(tempDir('mcp'), 'pids');
  const { close } = await connect([badServer('stubborn', file)]);
  const pids = readFileSync(file, 'utf8').trim().split('\n').map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await close();
  await untilGone(pids);
});

it('the processes of MCP servers are ended when the run ends while they start', async () => {
  const file = join(tempDir('mcp'), 'pids');
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error('cancelled');
  const connecting = connect([badServer('silent'), badServer('stubborn', file)], { signal });
  await until(() => tryRead(file).includes('\n'));
  controller.abort(reason);
  await expect(connecting).rejects.toBe(reason);
  await untilGone(tryRead(file).trim().split('\n').map(Number));
});

it('the processes of MCP servers get a name that cannot break a log line', async () => {
  const server = { ...stdioServer('a\n::error::b', []), command: '/no/such/program' };
  const { warnings } = await connect([server]);
  expect(warnings[0]?.message).toMatch(/^MCP server `a ::error::b` is left out/);
});

it.each([-32_000, -32_603, 401, 404])(
  'an error in the answer of a server is for the model alone, whatever its code: %i',
  async (code) => {
    const { call, warnings } = await connect([badServer('own-error', String(code))]);
    const text = 'Error: the MCP server "own-error" failed: the quota is used up';
    expect(await call('work')).toEqual({ text, isError: true });
    expect(warnings).toEqual([]);
  },
);
