import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { type AgentParts, checkout, resultsOf, scheduledStage } from './tool-scene.js';

const FILES = { 'a.txt': 'alpha\n' };
const END = text('Done.');
const OPENAI = { model: 'openai/gpt-4.1' };

async function run(
  script: readonly ModelReply[] | (() => ModelReply),
  inputs: Readonly<Record<string, string>> = {},
  parts: AgentParts = { tools: ['read_file'], memory: true },
) {
  const stage = await scheduledStage([parts], { model: script });
  const step = await runWatched(stage, {
    workspace: checkout(FILES),
    inputs: { agent: 'worker', 'memory-store': 'file', ...inputs },
  });
  return { stage, step, results: resultsOf(stage.model.prompts().at(-1)) };
}

/** What is looked at of a request on OpenAI's wire. */
interface WireBody {
  readonly messages: readonly {
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
}

/** Exactly these calls on OpenAI's wire, where arguments are text. */
function rawCalls(
  calls: readonly { readonly id: string; readonly name: string; readonly text: string }[],
): ModelReply {
  const tool_calls = calls.map(({ id, name, text: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  const message = { role: 'assistant', content: null, tool_calls };
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
  const body = { id: 'chatcmpl-1', object: 'chat.completion', created: 0, model: 'gpt-4.1', choices };
  return { kind: 'raw', status: 200, body };
}

it('C4 63: the first of 500 calls run at once and all of them are answered', async () => {
  const calls = Array.from({ length: 500 }, (_, index) => ({
    name: 'read_file',
    input: { path: 'a.txt', limit: index + 1 },
  }));
  const { step, results } = await run([{ kind: 'tools', calls }, END]);
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(results).toHaveLength(500);
  expect(results.filter((result) => result === '1: alpha')).toHaveLength(64);
  expect(new Set(results.slice(64))).toEqual(
    new Set([expect.stringMatching(/^This call was not run: at most 64 calls are run in one turn/)]),
  );
});

it('C4 63: calls with the same id get ids of their own', async () => {
  const calls = ['a.txt', 'b.txt', 'a.txt'].map((path) => ({
    id: 'call_1',
    name: 'read_file',
    text: JSON.stringify({ path }),
  }));
  const { stage, step, results } = await run([rawCalls(calls), END], OPENAI);
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(results).toEqual(['1: alpha', expect.stringContaining('b.txt'), '1: alpha']);
  const messages = (stage.model.requests()[1]?.body as WireBody | undefined)?.messages ?? [];
  const asked = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
  expect(asked).toEqual(answered);
  expect(new Set(asked).size).toBe(3);
});

const WRONG_ARGUMENTS = [
  ['cut off', '{"path": "a.t', 'not valid JSON'],
  ['no JSON', 'a.txt', 'not valid JSON'],
  ['a list', '["a.txt"]', 'object'],
  ['null', 'null', 'object'],
  ['of the wrong type', '{"path": 7}', 'path'],
  ['without what is required', '{}', 'path'],
  ['empty', '', 'path'],
] as const;

it('C4 63: invalid arguments are reported to the model', async () => {
  const calls = WRONG_ARGUMENTS.map(([id, args]) => ({ id, name: 'read_file', text: args }));
  const { step, results } = await run([rawCalls(calls), END], OPENAI);
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  expect(step.outputs).toMatchObject({ response: 'Done.', 'memory-saved': 'true' });
  const told = WRONG_ARGUMENTS.map(([what], index) => [what, results[index]]);
  expect(told).toEqual(WRONG_ARGUMENTS.map(([what, , reason]) => [what, expect.stringContaining(reason)]));
});

it('C4 63: a model that never ends is stopped after 50 turns', async () => {
  let limit = 0;
  const { stage, step } = await run(() => {
    limit += 1;
    return toolCall('read_file', { path: 'a.txt', limit });
  });
  expect(step).toMatchObject({ exitCode: 1, stderr: '' });
  expect(step.outputs).toMatchObject({ conclusion: 'max-turns', 'memory-saved': 'false' });
  expect(stage.model.requests()).toHaveLength(50);
});

it('a model that makes one call again and again is stopped at the tenth', async () => {
  const { stage, step } = await run(() => toolCall('read_file', { path: 'a.txt' }));
  expect(step.outputs).toMatchObject({ conclusion: 'max-turns', 'memory-saved': 'false' });
  expect(JSON.stringify(step.annotations)).toContain(
    'the model made the same call of `read_file` 10 times in a row',
  );
  expect(stage.model.requests()).toHaveLength(10);
});

it('C1 12: agents that call each other in a circle are ended at the maximum depth', async () => {
  const circle = (name: string, other: string): AgentParts => ({
    name,
    subAgents: [other],
    memory: true,
    tables: name === 'worker' ? '[sub_agents_config]\nmax_depth = 5\n' : '',
  });
  const stage = await scheduledStage([circle('worker', 'other'), circle('other', 'worker')], {
    model({ body }) {
      const {
        tools = [],
        system,
        messages,
      } = body as {
        readonly tools?: readonly unknown[];
        readonly system: unknown;
        readonly messages: readonly unknown[];
      };
      const other = JSON.stringify(system).includes('You are worker.') ? 'other' : 'worker';
      if (tools.length === 0) return text('I am the last.');
      return messages.length > 1
        ? text('Passed on.')
        : toolCall('call_agent', { agent: other, task: 'You do it.' });
    },
  });
  const step = await runWatched(stage, { inputs: { agent: 'worker', 'memory-store': 'file' } });
  expect(step).toMatchObject({
    exitCode: 0,
    stderr: '',
    annotations: [],
    outputs: { response: 'Passed on.' },
  });
  expect(stage.model.requests()).toHaveLength(6 + 5);
  expect(stage.model.prompts().filter(({ tools }) => tools.length === 0)).toHaveLength(1);
});

const FORBIDDEN = [
  ['../outside.txt', '`..` is not allowed'],
  ['/etc/passwd', 'path'],
  ['/proc/self/environ', 'path'],
  ['.git/config', 'is out of bounds'],
  ['a.txt\0.md', 'no control characters'],
  ['gha-creds-1234.json', 'is out of bounds'],
  ['link.txt', 'link'],
] as const;

it('a model reads nothing outside of the workspace and no credentials in it', async () => {
  const secret = 'the-secret-of-another-file';
  const calls = FORBIDDEN.map(([path]) => ({ name: 'read_file', input: { path } }));
  const stage = await scheduledStage([{ tools: ['read_file'] }], { model: [{ kind: 'tools', calls }, END] });
  const files = { '.git/config': secret, 'gha-creds-1234.json': secret, '../outside.txt': secret };
  const workspace = checkout(files);
  symlinkSync('../outside.txt', join(workspace, 'link.txt'));
  const step = await runWatched(stage, { workspace, inputs: { agent: 'worker' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  const results = resultsOf(stage.model.prompts()[1]);
  const told = FORBIDDEN.map(([path], index) => [path, results[index]]);
  expect(told).toEqual(FORBIDDEN.map(([path, reason]) => [path, expect.stringContaining(reason)]));
  expect(results.join('\n')).not.toMatch(/the-secret|root:|PATH=/);
});
