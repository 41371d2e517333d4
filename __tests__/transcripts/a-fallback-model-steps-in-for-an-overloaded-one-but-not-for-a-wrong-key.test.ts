import { expect, it } from '@jest/globals';
import { type ModelReply, promptOf, text, toolCall } from '../helpers/model-server.js';
import { told } from './stage.js';
import { type AgentParts, scheduledStage } from './tool-scene.js';

const QUICK = '[retry]\nmax_retries = 1\nbackoff = "fixed"\ninitial_delay_ms = 1\nmax_delay_ms = 1\n';
const OVERLOADED = failure(529, 'overloaded_error', 'Overloaded');

async function run(reply: ModelReply, fallbacks: string, parts: AgentParts = { tables: QUICK }) {
  const stage = await scheduledStage([parts], {
    model(request) {
      const { model } = promptOf(request);
      return model === 'gpt-4.1' ? text('I step in.') : reply;
    },
  });
  const step = await stage.run({
    inputs: { agent: 'worker', model: `anthropic/claude-sonnet-4-5\n${fallbacks}` },
  });
  return { step, asked: stage.model.prompts().map(({ model }) => model) };
}

it('C4 60: a fallback is called when all tries at the first model are spent', async () => {
  const replies: readonly ModelReply[] = [
    OVERLOADED,
    failure(429, 'rate_limit_error', 'Too many'),
    failure(500, 'api_error', 'Oops'),
    { kind: 'disconnect' },
  ];
  const first = 'claude-sonnet-4-5';
  for (const { step, asked } of await Promise.all(
    replies.map((reply) => run(reply, 'ollama/llama3\nopenai/gpt-4.1')),
  )) {
    expect(asked).toEqual([first, first, 'llama3', 'llama3', 'gpt-4.1']);
    expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
    expect(step.outputs).toMatchObject({ conclusion: 'success', response: 'I step in.' });
    expect(step.log).toContain('anthropic/claude-sonnet-4-5 cannot be reached; asking ollama/llama3');
    expect(step.log).toContain('ollama/llama3 cannot be reached; asking openai/gpt-4.1');
  }
});

it('a fallback is shown nothing of what the first model thought, and nobody is', async () => {
  const look = toolCall('list_directory', {});
  let asked = 0;
  const stage = await scheduledStage([{ tables: QUICK, tools: ['list_directory'] }], {
    model(request) {
      if (promptOf(request).model !== 'claude-sonnet-5-5') return text('I step in.');
      asked += 1;
      return asked === 1 ? { ...look, reasoning: 'They must never know.' } : OVERLOADED;
    },
  });
  const model = 'anthropic/claude-sonnet-5-5';
  for (const fallback of ['openai/gpt-6.1-sol', 'anthropic/claude-haiku-4-5', 'ollama/llama3']) {
    asked = 0;
    const step = await stage.run({ inputs: { agent: 'worker', model: `${model}, ${fallback}` } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { response: 'I step in.' } });
    expect(JSON.stringify(stage.model.requests().at(-1)?.body)).not.toContain('never know');
    expect(step.log + step.summary).not.toContain('never know');
  }
});

it.each([
  ['wrong key', failure(401, 'authentication_error', 'invalid x-api-key'), 'auth: invalid x-api-key'],
  ['wrong request', failure(400, 'invalid_request_error', 'No'), 'bad_request: No'],
] as const)('C4 58: no fallback is called for a %s', async (_what, reply, message) => {
  const { step, asked } = await run(reply, 'openai/gpt-4.1');
  expect(asked).toEqual(['claude-sonnet-4-5']);
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([expect.stringContaining(`error: ${message}`)]);
});

it('C4 60: the error of the last fallback is reported if none can be reached', async () => {
  const { step, asked } = await run(OVERLOADED, 'ollama/llama3');
  expect(asked).toHaveLength(4);
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([expect.stringContaining('Overloaded')]);
});

it('an invalid fallback is refused before the first request', async () => {
  const { step, asked } = await run(OVERLOADED, 'gpt-4.1');
  expect(asked).toEqual([]);
  expect(told(step)).toEqual([expect.stringContaining('invalid model format "gpt-4.1"')]);
});

function failure(status: number, type: string, message: string): ModelReply {
  return { kind: 'raw', status, body: { type: 'error', error: { type, message } } };
}
