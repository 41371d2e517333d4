import { describe, expect, it } from '@jest/globals';
import { MAX_REPLY_BYTES } from '../../src/lib/defaults.js';
import { startLoopback } from '../helpers/loopback.js';
import { type ModelReply, startModelServer, text } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { earlierEntry } from './branch-scene.js';
import { HEAD, REPO, setStage, told } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { agentToml } from './tool-scene.js';

const KEY = 'sk-ant-api03-of-this-file-0123456789';
const QUICK = '[retry]\nbackoff = "fixed"\ninitial_delay_ms = 1\nmax_delay_ms = 1\n';
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * A watched run of an agent that already remembers an entry, against a provider that replies so.
 */
async function run(
  script: Parameters<typeof startModelServer>[0],
  given: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
  set = setStageInProcess,
) {
  const base = { 'axe/agents/worker.toml': agentToml({ memory: true, tables: QUICK }) };
  const stage = await set({ base, model: script });
  stage.github.commit(
    REPO,
    { 'worker.md': earlierEntry('It was fine.', 'a') },
    { branch: 'axe-memory' },
  );
  const step = await runWatched(stage, {
    inputs: { agent: 'worker', 'memory-store': 'branch', ...given },
    env: { ANTHROPIC_API_KEY: KEY, ...env },
  });
  const entries = stage.github.files(REPO, 'axe-memory')['worker.md']?.match(/^## /gm) ?? [];
  return { stage, step, entries: entries.length, asked: stage.model.requests().length };
}

function error(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ModelReply {
  return {
    kind: 'raw',
    status,
    body: { type: 'error', error: { type: 'api_error', message } },
    headers,
  };
}

/**
 * Runs it against a provider that gives up nothing, and checks that the step says one thing and
 * remembers nothing.
 */
async function failing(
  reply: ModelReply,
  env: Record<string, string> = {},
  set = setStageInProcess,
) {
  const ran = await run(() => reply, {}, env, set);
  const outputs = { conclusion: 'failure', 'memory-saved': '' };
  expect(ran.step).toMatchObject({ exitCode: 1, outputs });
  expect(ran.entries).toBe(1);
  const [message = '', ...others] = told(ran.step);
  expect(others).toEqual([]);
  // Axe's texts quote no body; what is quoted of a provider stays short.
  expect(message.length).toBeLessThan(600);
  return { ...ran, message };
}

describe('a provider that cannot be reached', () => {
  it('C4 57: with a port that nobody listens on ends the run with its address', async () => {
    const env = { AXE_ANTHROPIC_BASE_URL: 'http://127.0.0.1:2' };
    const { message, asked } = await failing(text('Fine.'), env, setStage);
    expect(message).toMatch(/connection refused/);
    expect(message).toContain('`AXE_ANTHROPIC_BASE_URL`');
    expect(asked).toBe(0);
  });

  it('C4 57: with a server that has no TLS ends the run with its address', async () => {
    const peer = await startLoopback((_request, response) => void response.end());
    const url = peer.url.replace('http:', 'https:');
    const { message } = await failing(text('Fine.'), { AXE_ANTHROPIC_BASE_URL: url }, setStage);
    expect(message).toContain(url);
  });
});

it('C4 58: a provider that answers 403 is called once, and quoted', async () => {
  const { message, asked } = await failing(error(403, 'this key has no access to the model'));
  expect(asked).toBe(1);
  expect(message).toContain('this key has no access to the model');
});

it.each([['-5'], ['soon'], ['9'.repeat(40)], ['Wed, 21 Oct 2015 07:28:00 GMT']])(
  'C4 59: a rate limit with `Retry-After: %s` is respected as the agent is configured',
  async (value) => {
    const limited = error(429, 'slow down', { 'retry-after': value });
    const { step, entries, asked } = await run([limited, text('Here.')]);
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { response: 'Here.' } });
    expect([entries, asked]).toEqual([2, 2]);
  },
);

it('C4 59: a rate limit that requires more time than the run has ends it at once', async () => {
  const { message, asked } = await failing(error(429, 'slow down', { 'retry-after': '999999999' }));
  expect(asked).toBe(1);
  expect(message).toContain('rate_limit: slow down');
});

it('C4 60: temporary server errors are tried again, and each try is reported', async () => {
  const { step, entries, asked } = await run([
    error(500, 'Oops'),
    error(529, 'Overloaded'),
    text('Here.'),
  ]);
  expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { response: 'Here.' } });
  expect(step.log).toMatch(/Oops; trying again in 1 ms \(attempt 1 of 2\)/);
  expect(step.log).toMatch(/Overloaded; trying again in 1 ms \(attempt 2 of 2\)/);
  expect([entries, asked]).toEqual([2, 3]);
});

it('C4 60: a permanent server error is reported after three tries', async () => {
  const { message, asked } = await failing(error(503, 'Oops'));
  expect(asked).toBe(3);
  expect(message).toContain('Oops');
});

const PAGE = `<!DOCTYPE html><html><body>${'Sign in. '.repeat(5000)}</body></html>`;

it.each<[string, number, unknown, string]>([
  ['a page', 200, PAGE, 'the body is an HTML page'],
  ['a page that says 502', 502, PAGE, 'Bad Gateway'],
  ['cut-off JSON', 200, '{"id": "msg_1", "content": [', 'not valid JSON'],
  ['an error of 100,000 letters', 400, { error: { message: 'no '.repeat(33_334) } }, 'no no'],
])('C4 61: %s ends the run with a short reason', async (_, status, body, reason) => {
  const { message } = await failing({ kind: 'raw', status, body, headers: JSON_TYPE });
  expect(message).toContain(reason);
});

it('C4 62: an interrupted answer is not treated as an answer, and is requested again', async () => {
  const body = '{"id": "msg_1", "content": [{"type": "text", "text": "The chan';
  const half: ModelReply = { kind: 'raw', status: 200, body, headers: JSON_TYPE };
  const { step, entries, asked } = await run([half, { kind: 'disconnect' }, text('Here.')]);
  expect(step).toMatchObject({ exitCode: 0, outputs: { response: 'Here.' } });
  expect([entries, asked]).toEqual([2, 3]);
});

it('C4 62: an answer of 22 MB is cut before it is cleaned', async () => {
  const { step, entries } = await run(
    () => text('@octocat `x` <b>\n'.repeat(1_400_000)),
    {},
    {},
    setStage,
  );
  expect(step).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'success', 'memory-saved': 'true' },
  });
  expect(step.outputs['response']).toMatch(
    /\n\[The text is cut here: it is longer than an output can be\.\]$/,
  );
  expect(step.outputs['response']?.length).toBeLessThan(510_000);
  expect(entries).toBe(2);
});

it('C4 62: an answer that never ends and exceeds every answer is not read to its end', async () => {
  let sent = 0;
  const endless = await startLoopback(async (_request, response) => {
    response.writeHead(200, JSON_TYPE).write('{"id": "');
    const chunk = 'x'.repeat(1024 * 1024);
    while (!response.destroyed && sent < 8 * MAX_REPLY_BYTES) {
      sent += chunk.length;
      if (!response.write(chunk))
        await new Promise<void>((resolve) => {
          response.once('drain', resolve);
          response.once('close', resolve);
        });
    }
    response.end();
  });
  const { message } = await failing(
    text('Fine.'),
    { AXE_ANTHROPIC_BASE_URL: endless.url },
    setStage,
  );
  expect(message).toContain(`the answer is larger than ${MAX_REPLY_BYTES} bytes`);
  expect(sent).toBeLessThan(4 * 2 * MAX_REPLY_BYTES);
});

it('C4 65: absurd usage neither crashes the run nor removes its limit', async () => {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };
  const content = [{ type: 'text', text: 'Fine.' }];
  const message = (input_tokens: unknown, output_tokens: unknown): ModelReply => ({
    kind: 'raw',
    status: 200,
    body: { ...head, content, stop_reason: 'end_turn', usage: { input_tokens, output_tokens } },
  });
  const negative = await run([message(-1_000_000, -5)]);
  expect(negative.step).toMatchObject({ exitCode: 0, outputs: { response: 'Fine.' } });
  for (const name of ['input-tokens', 'output-tokens', 'cost-usd'])
    expect(Number(negative.step.outputs[name] ?? '0')).toBeGreaterThanOrEqual(0);
  const huge = await run([message(1e15, 1e15)]);
  expect(huge.step.outputs).toMatchObject({
    conclusion: 'budget-exceeded',
    'memory-saved': '',
  });
  expect(huge.entries).toBe(1);
});

it.each([302, 307])('C4 66: a redirect %i to another host is not followed', async (status) => {
  const other = await startModelServer([text('Give me your key')]);
  const headers = { location: `${other.url}/v1/messages` };
  await failing({ kind: 'raw', status, body: '', headers });
  expect(other.requests()).toEqual([]);
});

it.each([
  ['an error', (key: string) => error(401, `bad key ${key} at ${HEAD}`), '***'],
  [
    'an answer',
    (key: string) => text(`It is ${key}, in base64 ${Buffer.from(key).toString('base64')}.`),
    'the model wrote the secret in `ANTHROPIC_API_KEY`',
  ],
])('C4 67: %s that echoes the key reveals it nowhere', async (_, reply, shown) => {
  const { step } = await run(
    (request) => reply(request.headers['x-api-key'] ?? 'no key'),
    {},
    {},
    setStage,
  );
  expect(step.stdout.replace(/^::add-mask::.*$/gm, '')).not.toContain(KEY);
  expect(`${step.summary}${JSON.stringify(step.outputs)}`).toContain(shown);
});
