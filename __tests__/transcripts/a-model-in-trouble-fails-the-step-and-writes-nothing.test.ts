// slow
import { expect, it } from '@jest/globals';
import type { ModelReply } from '../helpers/model-server.js';
import { AGENT, expectNoEntry, expectTranscript, seen } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const NAME = 'a-model-in-trouble-fails-the-step-and-writes-nothing';
/** Each trouble is met once: what is tried again has a test of its own. */
const BASE = { 'axe/agents/reviewer.toml': `${AGENT}\n[retry]\nmax_retries = 0\n` };
const PAGE = '<!DOCTYPE html><html><body>Sign in to the network</body></html>';

const HTML = { 'content-type': 'text/html' };

const TROUBLES: Readonly<Record<string, ModelReply>> = {
  'a key that is not valid': error(401, 'authentication_error', 'invalid x-api-key'),
  'a rate limit': error(429, 'rate_limit_error', 'This request would exceed your rate limit', {
    'retry-after': '30',
  }),
  'an overloaded provider': error(529, 'overloaded_error', 'Overloaded'),
  'a model that does not exist': error(404, 'not_found_error', 'model: claude-sonnet-4-5'),
  'a request that is refused': error(
    400,
    'invalid_request_error',
    'prompt is too long: 210000 tokens > 200000 maximum',
  ),
  'a server error without words': raw(500, ''),
  'a page in place of an answer': raw(200, PAGE, HTML),
  'a page that says 502': raw(502, PAGE, HTML),
  'an answer that breaks off': raw(200, '{"id": "msg_1", "content": [', {
    'content-type': 'application/json',
  }),
  'a redirect': raw(302, '', { location: 'https://example.com/' }),
  'a connection that is cut': { kind: 'disconnect' },
};

const STALLS: Readonly<Record<string, ModelReply>> = {
  'an answer that never comes': { kind: 'stall' },
  'an answer that stops in the middle': {
    kind: 'stall',
    status: 200,
    body: '{"id": "msg_1", "content": [',
  },
};

it('a failed model makes the step fail with one annotation, and leaves no comment and no entry', async () => {
  const ends = await Promise.all(
    Object.entries(TROUBLES).map(([name, reply]) => endOf(name, reply, '15')),
  );
  expect(ends.map(({ conclusion }) => conclusion)).toEqual(ends.map(() => 'failure'));
  expectTranscript(NAME, ends.map(({ text }) => text).join('\n'));
});

/** Time enough for three runs at once to ask their models on a busy machine. */
const MINUTES = '0.25';

it('a run ends as a timeout after its deadline, before or after the model is called', async () => {
  const stage = await setStageInProcess();
  stage.github.fail({ route: 'GET /repos/{owner}/{repo}/compare/{basehead}', status: 'stall' });
  const [before, ...after] = await Promise.all([
    stage.run({ inputs: { 'timeout-minutes': MINUTES } }),
    ...Object.entries(STALLS).map(([name, reply]) => endOf(name, reply, MINUTES)),
  ]);
  expect(before).toMatchObject({ exitCode: 1, outputs: { conclusion: 'timeout' } });
  expect(stage.model.requests()).toEqual([]);
  expect(after.map(({ conclusion }) => conclusion)).toEqual(['timeout', 'timeout']);
  const annotations =
    "error: axe-action\ntimeout: the run reached its time limit of 15 s\n  Raise `timeout-minutes`, or the agent's `timeout`.\n";
  expect(seen(before, stage)).toContain(`\n=== annotations\n${annotations}`);
  expect(after.map(({ text }) => text)).toEqual(
    Object.keys(STALLS).map((name) => `##### ${name}\n${annotations}`),
  );
});

/**
 * Runs a step against a model that replies so, and checks that nothing but the trouble is to be
 * seen.
 */
async function endOf(name: string, reply: ModelReply, minutes: string) {
  const stage = await setStageInProcess({ base: BASE, model: () => reply });
  const step = await stage.run({ inputs: { 'timeout-minutes': minutes } });
  expect([name, step.exitCode, step.stderr]).toEqual([name, 1, '']);
  expect(step.outputs).toMatchObject({ 'memory-saved': '', response: '' });
  // A request for a stream that is answered whole is sent once more, for a whole answer.
  const isWhole = reply.kind === 'raw' && reply.status === 200;
  expect(stage.model.requests()).toHaveLength(isWhole ? 2 : 1);
  expect(step.annotations).toMatchObject([{ level: 'error' }]);
  // The remedy stands below the error, where its lines wrap.
  for (const line of step.annotations.flatMap(({ message }) => message.split('\n')))
    expect(step.summary).toContain(line.trim());
  expect(stage.repo.comments).toEqual([]);
  expectNoEntry(step);
  const annotations = /=== annotations\n(.*)\n=== summary/s.exec(seen(step, stage))?.[1];
  return { conclusion: step.outputs['conclusion'], text: `##### ${name}\n${annotations}` };
}

type Headers = Readonly<Record<string, string>>;

function raw(status: number, body: unknown, headers: Headers = {}): ModelReply {
  return { kind: 'raw', status, body, headers };
}

function error(status: number, type: string, message: string, headers: Headers = {}): ModelReply {
  return raw(status, { type: 'error', error: { type, message } }, headers);
}
