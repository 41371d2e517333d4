import { describe, expect, it } from '@jest/globals';
import { type ModelReply, promptOf, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { lineScene, runLine } from './cli-scene.js';
import { CHANGE, submitting } from './review-scene.js';
import { expectNoEntry, setStage, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';
import { type AgentParts, agentToml, scheduledStage } from './tool-scene.js';

const AGENT = 'name = "worker"\nmodel = "litellm/any"\n[params]\n';

it.each([
  ['what the built-in reviewer says', { agent: 'builtin/pr-reviewer' }, 'medium'],
  ['what the workflow says instead', { agent: 'builtin/pr-reviewer', effort: 'xhigh' }, 'xhigh'],
  ['its own, where nobody says', { agent: 'builtin/ask', prompt: 'Is it safe?' }, undefined],
])('the effort is %s', async (_, inputs, effort) => {
  const stage = await setStageInProcess({ base: {}, model: submitting('All is well.') });
  const step = await stage.run({ inputs });
  expect(troubles(step)).toEqual([]);
  const body = stage.model.requests()[0]?.body as {
    readonly output_config?: { readonly effort?: string };
  };
  expect(body.output_config?.effort).toBe(effort);
});

it('on the command line `--effort` wins over the agent, whose raw options are sent', async () => {
  const files = {
    'axe/agents/worker.toml': `${AGENT}effort = "low"\ncompatible = { top_k = 5 }\n`,
  };
  const { model, cwd } = await lineScene({ files, model: () => text('Done.') });
  const env = { AXE_LITELLM_BASE_URL: model.url };
  expect(await runCli(['run', 'worker', '-p', 'Work.'], { cwd, env })).toMatchObject({
    exitCode: 0,
    stdout: 'Done.',
  });
  expect(
    await runCli(['run', 'worker', '-p', 'Work.', '--effort', 'high'], { cwd, env }),
  ).toMatchObject({
    exitCode: 0,
  });
  expect(model.requests().map(({ body }) => body)).toMatchObject([
    { reasoning_effort: 'low', top_k: 5 },
    { reasoning_effort: 'high', top_k: 5 },
  ]);
});

it('the price that an agent gives counts where none is known', async () => {
  const priced = `${AGENT}price = { input = 1000, output = 2000 }\n`;
  const stage = await setStageInProcess({ base: { 'axe/agents/worker.toml': priced } });
  const step = await stage.run({
    inputs: { agent: 'worker', 'max-cost-usd': '5' },
    env: { AXE_LITELLM_BASE_URL: stage.model.url },
  });
  expect(troubles(step)).toEqual([]);
  const { 'cost-usd': cost, 'input-tokens': input, 'output-tokens': output } = step.outputs;
  expect(Number(cost)).toBeCloseTo((Number(input) * 1000 + Number(output) * 2000) / 1e6);
  expect(Number(cost)).toBeGreaterThan(0);
});

describe('another model', () => {
  const QUICK =
    '[retry]\nmax_retries = 1\nbackoff = "fixed"\ninitial_delay_ms = 1\nmax_delay_ms = 1\n';
  const OVERLOADED = failure(529, 'overloaded_error', 'Overloaded');

  async function run(reply: ModelReply, fallbacks: string, parts: AgentParts = { tables: QUICK }) {
    const stage = await scheduledStage([parts], {
      model: (request) => (promptOf(request).model === 'gpt-4.1' ? text('I step in.') : reply),
    });
    const model = `anthropic/claude-sonnet-4-5\n${fallbacks}`;
    const step = await stage.run({ inputs: { agent: 'worker', model } });
    return { step, asked: stage.model.prompts().map(({ model }) => model) };
  }

  it('C4 60: a fallback is called when all tries at the first model are spent', async () => {
    const limited = failure(429, 'rate_limit_error', 'Too many');
    const broken = failure(500, 'api_error', 'Oops');
    const replies: readonly ModelReply[] = [OVERLOADED, limited, broken, { kind: 'disconnect' }];
    const first = 'claude-sonnet-4-5';
    for (const { step, asked } of await Promise.all(
      replies.map((reply) => run(reply, 'ollama/llama3\nopenai/gpt-4.1')),
    )) {
      expect(asked).toEqual([first, first, 'llama3', 'llama3', 'gpt-4.1']);
      expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
      expect(step.outputs).toMatchObject({ conclusion: 'success', response: 'I step in.' });
      expect(step.log).toContain(
        'anthropic/claude-sonnet-4-5 cannot be reached; asking ollama/llama3',
      );
      expect(step.log).toContain('ollama/llama3 cannot be reached; asking openai/gpt-4.1');
    }
  });

  it.each([
    [
      'wrong key',
      failure(401, 'authentication_error', 'invalid x-api-key'),
      'auth: invalid x-api-key',
    ],
    ['wrong request', failure(400, 'invalid_request_error', 'No'), 'bad_request: No'],
  ] as const)('C4 58: no fallback is called for a %s', async (_what, reply, message) => {
    const { step, asked } = await run(reply, 'openai/gpt-4.1');
    expect(asked).toEqual(['claude-sonnet-4-5']);
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step)).toEqual([expect.stringContaining(`error: ${message}`)]);
  });

  function failure(status: number, type: string, message: string): ModelReply {
    return { kind: 'raw', status, body: { type: 'error', error: { type, message } } };
  }
});

describe('the form of an answer', () => {
  const SCHEMA = JSON.stringify({
    type: 'object',
    properties: { kind: { enum: ['bug', 'question'] }, count: { type: 'integer', minimum: 0 } },
    required: ['kind', 'count'],
    additionalProperties: false,
  });
  const GOOD = '{"kind": "bug", "count": 2}';
  const FENCED = `\`\`\`json\n${GOOD}\n\`\`\``;

  async function ask(
    script: readonly ModelReply[],
    schema = SCHEMA,
    parts: AgentParts = { memory: true },
  ) {
    // The built program prepares a schema faster than the sources do here, and has two seconds for
    // it.
    const stage = await scheduledStage([parts], { model: script }, setStage);
    const inputs = { agent: 'worker', 'memory-store': 'file', 'output-schema': schema };
    const step = await stage.run({ inputs });
    return { step, prompts: stage.model.prompts() };
  }

  it.each([
    ['valid, in a code fence', [text(FENCED)]],
    ['corrected', [text('It is a bug, twice.'), text(GOOD)]],
    ['corrected after a wrong value', [text('{"kind": "bug", "count": -1}'), text(GOOD)]],
  ] as const)('an answer that is %s is passed on', async (_what, script) => {
    const { step, prompts } = await ask(script);
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs).toMatchObject({
      conclusion: 'success',
      'structured-output': '{"kind":"bug","count":2}',
      response: '{"kind":"bug","count":2}',
      'memory-saved': 'true',
    });
    expect(prompts[0]?.messages[0]).toContain(`valid against this JSON schema:\n${SCHEMA}`);
    if (script.length === 2) {
      expect(prompts[1]?.messages.at(-1)).toMatch(
        /^user: Your last answer could not be used: .*count|not JSON/,
      );
    }
  });

  it('a second wrong answer fails the run, and nothing is remembered', async () => {
    const wrong = ['{"kind": "bug"}', '{"kind": "wish", "count": 1}'];
    const { step, prompts } = await ask([...wrong, GOOD].map((said) => text(said)));
    expect(prompts).toHaveLength(2);
    expect(step).toMatchObject({ exitCode: 1, stderr: '' });
    expect(step.outputs).toMatchObject({ conclusion: 'failure', 'memory-saved': '' });
    expect(step.outputs['structured-output']).toBeUndefined();
    expect(told(step)).toEqual([
      expect.stringMatching(/^error: the answer is not the JSON that was asked for: .*kind/),
    ]);
  });

  it("the agent's own format is used if the workflow sets none", async () => {
    const tables = '[params]\nresponse_format = "json_object"\n';
    const { step } = await ask([text(`${FENCED}\n`)], '', { tables });
    const outputs = { conclusion: 'success', 'structured-output': '{"kind":"bug","count":2}' };
    expect(step).toMatchObject({ outputs });
  });
});

describe('the end of a reply', () => {
  /** An answer of Claude's that ends like this. */
  function claude(stop_reason: string, content: readonly object[] = []): ModelReply {
    const usage = { input_tokens: 812, output_tokens: 40 };
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' };
    const body = { ...head, content, stop_reason, usage };
    return { kind: 'raw', status: 200, body };
  }

  const CUT = /^Warning: the answer was cut at 40 output tokens\./;
  const REFUSED = /^the model refused to answer\n {2}Reword the task, or choose another model.\n$/;
  const HALF = [{ type: 'text', text: 'The change looks f' }];

  it('C4 64: an answer that was cut off is incomplete in a workflow: published with a mark, not remembered', async () => {
    const stage = await setStageInProcess({ model: [claude('max_tokens', HALF)] });
    const step = await stage.run();
    expect(step.exitCode).toBe(1);
    expect(step.outputs).toMatchObject({
      conclusion: 'incomplete',
      response: 'The change looks f\n\n[Incomplete: the answer was cut at 40 output tokens.]',
      'memory-saved': '',
    });
    expectNoEntry(step);
    expect(stage.repo.comments[0]?.body).toContain(
      'The change looks f\n\n*Cut short: the answer was cut at 40 output tokens.*',
    );
    expect(step.summary).toMatch(
      /: incomplete · .*\n\nThe change looks f\n\n```text\nthe answer was cut/,
    );
    expect(step.annotations).toMatchObject([
      {
        level: 'error',
        message: expect.stringMatching(/^the answer was cut .*\n {2}Raise `max_tokens` in/),
      },
    ]);
  });

  it('C4 64: an empty refusal is refused: one request is sent, and no fallback is called', async () => {
    const stage = await setStageInProcess({ model: [claude('refusal')] });
    const step = await stage.run({
      inputs: { model: 'anthropic/claude-sonnet-4-5, openai/gpt-4.1' },
    });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'refused' } });
    expect(stage.model.requests()).toHaveLength(1);
    expectNoEntry(step);
  });

  it('a reviewer that has submitted its review and says nothing more is a success', async () => {
    const review = toolCall('submit_review', { summary: 'Fine.' });
    const stage = await setStageInProcess({ diff: CHANGE, model: [review, claude('end_turn')] });
    const inputs = { agent: 'builtin/pr-reviewer', model: 'anthropic/claude-sonnet-4-5' };
    const step = await stage.run({ inputs });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success', response: '' } });
    expect(stage.model.requests()).toHaveLength(2);
  });

  it.each<[string, ModelReply, number, string, RegExp]>([
    ['cut', claude('max_tokens', HALF), 0, 'The change looks f', CUT],
    ['an empty refusal', claude('refusal'), 1, '', REFUSED],
  ])(
    'the command line reports an answer that is %s',
    async (_, ...[reply, exitCode, stdout, stderr]) => {
      const files = { 'axe/agents/worker.toml': agentToml({ memory: true }) };
      const result = await runLine(['run', 'worker'], { files, model: [reply] });
      expect(result).toMatchObject({ exitCode, stdout, stderr: expect.stringMatching(stderr) });
      expect(result.prompts).toHaveLength(1);
    },
  );
});
