import { describe, expect, it } from '@jest/globals';
import { AxeError, ConfigError, ProviderError } from '../../src/lib/errors.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { call, never, reply, says } from '../helpers/model-fake.js';
import { agent, callOnce, delegates, parent, runDelegation } from './delegation-scene.js';

const CALL = { agent: 'a', task: 'look' };
const LOOK = { tools: [fakeTool('look')] };
const looks = reply([call('1', 'look', {})]);

type OneCall = Parameters<typeof callOnce>[2];

function failed(detail: string): { text: string; isError: boolean } {
  const text = `Error: sub-agent "a" failed - ${detail}. You may retry or proceed without this result.`;
  return { text, isError: true };
}

describe('a call of a sub-agent', () => {
  it.each<[string, unknown, string]>([
    ['no argument', {}, '"agent" argument is required'],
    ['no agent', { task: 't' }, '"agent" argument is required'],
    ['no task', { agent: 'a' }, '"task" argument is required'],
    ['a task of null', { agent: 'a', task: null }, '"task" argument is required'],
    [
      'somebody unknown',
      { agent: 'x', task: 't' },
      `agent "x" is not in this agent's sub_agents list`,
    ],
    ['another case', { agent: 'A', task: 't' }, `agent "A" is not in this agent's sub_agents list`],
    ['a list', ['a', 't'], '"agent" argument is required'],
    [
      'no text',
      { agent: ['a'], task: 't' },
      `agent "["a"]" is not in this agent's sub_agents list`,
    ],
  ])('with %s is answered with an error, and the run continues', async (_, input, reason) => {
    const { result, outcome, deps } = await callOnce(agent('a'), [], { input });
    expect(result).toEqual({ text: `call_agent error: ${reason}`, isError: true });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done' });
    expect(deps.events.map(({ kind }) => kind)).not.toContain('sub-agent-called');
  });

  it.each<[string, unknown, string]>([
    ['the task', CALL, 'Task: look'],
    ['the task with its spaces', { agent: 'a', task: ' ' }, 'Task:  '],
    ['task and context', { ...CALL, context: 'at\nthis' }, 'Task: look\n\nContext:\nat\nthis'],
    ['no context that is blank', { ...CALL, context: ' \n\t' }, 'Task: look'],
    ['no context that is null', { ...CALL, context: null }, 'Task: look'],
    [
      'a context that is not text, as JSON',
      { agent: 'a', task: 1e6, context: { n: [1, true] } },
      'Task: 1000000\n\nContext:\n{"n":[1,true]}',
    ],
  ])('sends %s', async (_, input, text) => {
    const { models } = await callOnce(agent('a'), [says('seen')], { input });
    expect(models['a']?.asked[0]?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text }],
    });
  });

  it('that ends without a text after its work is not an error', async () => {
    const { result } = await callOnce(agent('a'), [looks, reply([])], { boxes: { a: LOOK } });
    expect(result).toEqual({ text: '[Sub-agent "a" ended with an empty answer.]', isError: false });
  });
});

describe('a sub-agent', () => {
  it('follows its own file, whatever the run set for its caller (axe-behaviour §14)', async () => {
    const own =
      'skill = "own.md"\nfiles = ["*.txt"]\nworkdir = "own"\n[params]\ntemperature = 0.5\nmax_tokens = 77\n';
    const { models, deps } = await callOnce(agent('a', own), [says('seen')], {
      skills: { 'own.md': 'Own skill', 'other.md': 'Other skill' },
      files: [{ path: 'x.txt', content: 'X' }],
      request: { skill: 'other.md', workdir: 'there', model: 'p/bot' },
    });
    expect(models['a']?.asked[0]).toMatchObject({ temperature: 0.5, maxOutputTokens: 77 });
    expect(models['a']?.asked[0]?.tools).toBeUndefined();
    expect(models['a']?.asked[0]?.prompt[0]).toEqual({
      role: 'system',
      content:
        'I am a.\n\n---\n\n## Skill\n\nOwn skill\n\n---\n\n## Context Files\n\n### x.txt\n```txt\nX\n```',
    });
    expect(deps.toolRequests.map(({ workdir }) => workdir)).toEqual(['there', 'own']);
  });

  it('has tools of its own, closed when it has answered', async () => {
    const answers = [looks, says('I see a tree')];
    const { result, models, deps } = await callOnce(agent('a'), answers, { boxes: { a: LOOK } });
    expect(models['a']?.asked[0]?.tools?.map(({ name }) => name)).toEqual(['look']);
    expect(models['bot']?.asked[0]?.tools?.map(({ name }) => name)).toEqual(['call_agent']);
    expect(result?.text).toBe('I see a tree');
    const steps = deps.steps.filter((step) => step.includes('tools of'));
    expect(steps).toEqual(['open tools of a', 'close tools of a']);
  });

  it('calls no other hosts than its caller can, unless its own file names some (newer axe)', async () => {
    const more = 'tools = ["url_fetch"]\nallowed_hosts = ["example.com"]\n';
    const silent = await callOnce(agent('a', 'tools = ["url_fetch"]'), [says('x')], { more });
    expect(silent.deps.toolRequests[1]?.agent.config.allowedHosts).toEqual(['example.com']);
    const own = agent('a', 'allowed_hosts = ["github.com"]');
    const named = await callOnce(own, [says('x')], { more });
    expect(named.deps.toolRequests[1]?.agent.config.allowedHosts).toEqual(['github.com']);
  });
});

describe('a sub-agent that fails', () => {
  const noKey = 'API key for provider "p" is not configured (set P_API_KEY or add to config.toml)';
  /** A world in which the model of the sub-agent cannot be opened, or its files cannot be found. */
  const without = (error: AxeError, what: 'model' | 'files'): OneCall => ({
    inWorld: (deps) => ({
      ...deps,
      models: {
        ...deps.models,
        open: (ref) =>
          what === 'model' && ref.model === 'a' ? Promise.reject(error) : deps.models.open(ref),
      },
      agents: {
        ...deps.agents,
        loadContextFiles: async (patterns) =>
          what === 'files' && patterns.length > 0
            ? Promise.reject(error)
            : { files: [], warnings: [] },
      },
    }),
  });

  it.each<[string, string, OneCall, string]>([
    [
      'its model is none',
      'name = "a"\nmodel = "m"\n',
      {},
      'invalid model for agent "a": invalid model format "m": expected provider/model-name',
    ],
    [
      'of its files',
      agent('a', 'files = ["["]'),
      without(new ConfigError('invalid glob pattern "["'), 'files'),
      'failed to resolve files for agent "a": invalid glob pattern "["',
    ],
    [
      'of its skill',
      agent('a', 'skill = "none.md"'),
      {},
      'failed to load skill for agent "a": skill not found: none.md',
    ],
    ['there is no key', agent('a'), without(new AxeError(noKey, { exitCode: 2 }), 'model'), noKey],
    [
      'its provider is unknown',
      agent('a'),
      without(new AxeError('unsupported provider "p"'), 'model'),
      'failed to create provider for agent "a": unsupported provider "p"',
    ],
  ])('because %s is reported', async (_, child, scene, detail) => {
    expect((await callOnce(child, [], scene)).result).toEqual(failed(detail));
  });

  it('because no agent has that name is reported', async () => {
    const { results } = await runDelegation({
      agents: { bot: parent(['a']) },
      replies: { bot: [delegates(CALL), says('done')] },
    });
    expect(results).toEqual([failed('failed to load agent "a": agent config not found: a')]);
  });

  it('with an error of its provider is reported, and the run continues', async () => {
    const error = new ProviderError('auth', 'wrong key', { status: 401 });
    const { result, outcome } = await callOnce(agent('a'), [error]);
    expect(result).toEqual(failed('auth: wrong key'));
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'done' });
  });

  it('with too many turns is reported', async () => {
    const scene = { boxes: { a: LOOK }, request: { maxTurns: 3 } };
    const { result, outcome } = await callOnce(agent('a'), [looks, looks, looks], scene);
    expect(result?.text).toContain(
      failed('sub-agent exceeded maximum conversation turns (3)').text,
    );
    expect(outcome).toMatchObject({ kind: 'completed', stats: { inputTokens: 5 * 3 } });
  });

  it('because of a bug is reported to the model as an error, and nothing of it remains', async () => {
    const { result, outcome, deps } = await callOnce(
      agent('a'),
      [new TypeError('x is not a function')],
      {
        more: '[sub_agents_config]\ntimeout = 3600\n',
        inWorld: (deps) => ({ ...deps, clock: { ...deps.clock, sleep: sleepsTillAborted(slept) } }),
      },
    );
    expect(result).toEqual({ text: 'Error: x is not a function', isError: true });
    expect(outcome).toMatchObject({ kind: 'completed' });
    expect(slept.map(({ aborted }) => aborted)).toEqual([true]);
    expect(deps.events.at(-1)).toMatchObject({ kind: 'model-reply' });
  });
});

const slept: AbortSignal[] = [];

function sleepsTillAborted(signals: AbortSignal[]) {
  return (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (ms === 0) return resolve();
      if (signal === undefined) throw new Error('nobody can end this sleep');
      signals.push(signal);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
}

it('the end of the run ends its sub-agents, and what was said so far is published', async () => {
  let stop = () => {};
  const { outcome, deps } = await runDelegation({
    agents: { bot: parent(['a']), a: agent('a') },
    replies: {
      bot: [reply([{ type: 'text', text: 'I ask a.' }, call('1', 'call_agent', CALL)])],
      a: [never(() => stop())],
    },
    inWorld: (inside) => {
      stop = () => inside.abort(new ProviderError('timeout', 'context deadline exceeded'));
      return inside;
    },
  });
  expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'time', answer: 'I ask a.' });
  expect(deps.steps.at(-1)).toBe('publish exhausted');
});
