import { describe, expect, it } from '@jest/globals';
import { AxeError, ProviderError } from '../../src/lib/errors.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  fakeTool,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import {
  call,
  createFakeModel,
  type FakeReply,
  never,
  reply,
  says,
} from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';

const DOWN = new ProviderError('server', 'boom', { status: 500 });
const TIME_IS_UP = new ProviderError('timeout', 'context deadline exceeded');

const look = fakeTool('look');
const looking = reply([{ type: 'text', text: 'I look.' }, call('1', 'look', {})], {
  inputTokens: 60,
});

async function run(
  replies: readonly FakeReply[],
  parts: FakeDependenciesParts = {},
  patch: Parameters<typeof makeRequest>[0] = {},
) {
  const model = createFakeModel(replies);
  const deps = createFakeDependencies({
    agents: { bot: AGENT },
    boxes: { bot: { tools: [look] } },
    model,
    ...parts,
  });
  const report = await runPipeline(makeRequest(patch), deps);
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  return { ...report, model, deps };
}

it('the tools of a run are offered, run, and closed at the end', async () => {
  const { outcome, model, deps } = await run([looking, says('A tree.')]);
  expect(model.asked[0]?.tools?.map(({ name }) => name)).toEqual(['look']);
  expect(outcome).toMatchObject({ kind: 'completed', answer: 'A tree.', stats: { toolCalls: 1 } });
  expect(deps.steps.slice(deps.steps.indexOf('open tools of bot'))).toEqual([
    'open tools of bot',
    'ask model',
    'ask model',
    'close tools of bot',
    'publish completed',
  ]);
});

it.each<[string, readonly FakeReply[], string]>([
  ['fails', [DOWN, DOWN, DOWN], 'failed'],
  [
    'is refused',
    [says('No.', { finish: { unified: 'content-filter', raw: 'refusal' } })],
    'refused',
  ],
  ['is incomplete', [says('ha', { finish: { unified: 'length', raw: 'length' } })], 'completed'],
  ['has too many turns', [looking, looking], 'exhausted'],
])('the tools of a run are closed also when the run %s', async (_, replies, kind) => {
  const { outcome, deps } = await run(replies, {}, { maxTurns: 2 });
  expect(outcome.kind).toBe(kind);
  expect(deps.steps).toContain('close tools of bot');
});

it('the tools of a run are closed also after the deadline, before the rest is published', async () => {
  const model = createFakeModel([never(() => deps.abort(TIME_IS_UP))]);
  const deps = createFakeDependencies({ agents: { bot: AGENT }, boxes: { bot: {} }, model });
  await runPipeline(makeRequest(), deps);
  expect(deps.steps.slice(-2)).toEqual(['close tools of bot', 'publish exhausted']);
});

it.each<[string, string, Parameters<typeof makeRequest>[0], string]>([
  ["the agent's budget", '[budget]\nmax_tokens = 100\n', {}, 'used 124 of 100 tokens'],
  [
    "the request's",
    '[budget]\nmax_tokens = 1\n',
    { tokenLimit: () => 110 },
    'used 124 of 110 tokens',
  ],
  [
    "the request's, made of the agent's",
    '[budget]\nmax_tokens = 50\n',
    { tokenLimit: (own) => own * 2 },
    'used 124 of 100 tokens',
  ],
])('the limits of a run are %s', async (_, toml, patch, message) => {
  const { outcome, deps, remembered } = await run(
    [looking, looking, says('x')],
    { agents: { bot: `${AGENT_WITH_MEMORY}${toml}` } },
    patch,
  );
  expect(outcome).toMatchObject({
    kind: 'exhausted',
    limit: 'tokens',
    answer: 'I look.',
    error: { message: `budget exceeded: ${message}`, exitCode: 4 },
  });
  expect(remembered).toBeUndefined();
  expect(deps.steps).toContain('publish exhausted');
  expect(deps.memory.size).toBe(0);
});

it('the retries of a run follow the settings of the agent', async () => {
  const retry =
    '[retry]\nmax_retries = 3\nbackoff = "linear"\ninitial_delay_ms = 10\nmax_delay_ms = 25\n';
  const { outcome, deps } = await run([DOWN, DOWN, DOWN, says('ok')], {
    agents: { bot: AGENT + retry },
  });
  expect(outcome).toMatchObject({ kind: 'completed' });
  expect(deps.clock.slept).toEqual([10, 20, 25]);
});

it('the fallback models of a run that have no key are reported, and the error of the agent’s model remains', async () => {
  const noRetry = { agents: { bot: `${AGENT}[retry]\nmax_retries = 0\n` } };
  const noKey = new AxeError('API key for provider "ollama" is not configured', { exitCode: 3 });
  const models = { 'openai/m': createFakeModel([DOWN]), 'ollama/a': noKey };
  const { outcome, deps } = await run([], { ...noRetry, models }, { fallbackModels: ['ollama/a'] });
  expect(outcome).toMatchObject({ kind: 'failed', error: DOWN });
  expect(deps.warnings).toMatchObject([{ code: 'model-warning' }]);
});

describe('what a run has read of its change', () => {
  const context = {
    kind: 'pull_request' as const,
    diff: 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n',
    files: [{ path: 'a.ts', status: 'modified' as const, additions: 1, deletions: 1 }],
    filesTotal: 1,
    warnings: [],
  };
  it.each<[string, readonly FakeReply[], string]>([
    ['all of it, if it completed', [says('Fine.')], 'whole'],
    ['a part, if a limit ended it', [looking, looking], 'part'],
    ['nothing, if it failed', [DOWN, DOWN, DOWN], 'none'],
    ['nothing, if it failed in the middle', [looking, DOWN, DOWN, DOWN], 'none'],
    [
      'nothing, if the model refused',
      [says('No.', { finish: { unified: 'content-filter', raw: '' } })],
      'none',
    ],
  ])('is %s', async (_, replies, kind) => {
    const request = { trigger: pullRequest(), inWorkflow: true, maxTurns: 2 };
    const { read } = await run(replies, { permissions: WRITER, context }, request);
    expect(read.coverage).toMatchObject({ kind });
  });

  it('is nothing, if the time was up before the model answered', async () => {
    const model = createFakeModel([never(() => deps.abort(TIME_IS_UP))]);
    const deps = createFakeDependencies({
      agents: { bot: AGENT },
      model,
      permissions: WRITER,
      context,
    });
    const report = await runPipeline(
      makeRequest({ trigger: pullRequest(), inWorkflow: true }),
      deps,
    );
    expect(report).toMatchObject({ read: { coverage: { kind: 'none' } } });
  });
});
