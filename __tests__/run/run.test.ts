import { describe, expect, it } from '@jest/globals';
import { AxeError, ProviderError } from '../../src/lib/errors.js';
import { withFacts } from '../../src/memory/state.js';
import { markFacts } from '../../src/review/state-facts.js';
import { runPipeline } from '../../src/run/run.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  broken,
  createFakeDependencies,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { raised } from '../helpers/marks.js';
import { createFakeModel, type FakeModel, never, says } from '../helpers/model-fake.js';
import { OCTOCAT, pullRequest } from '../helpers/triggers.js';
import { plainEntry } from '../memory/stores/entries.js';

const TASK = 'Execute the task described in your instructions.';
const UNREADABLE = { kind: 'failed', message: 'is a directory', location: '/memory/bot.md' } as const;
const FIVE = ['1', '2', '3', '4', '5'].map((task) => plainEntry(task));

function systemOf(model: FakeModel): string {
  const [first] = model.asked[0]?.prompt ?? [];
  return first?.role === 'system' ? first.content : '';
}

describe('the order of a run', () => {
  it('is plan, restore, run, publish, save', async () => {
    const deps = createFakeDependencies();
    const report = await runPipeline(makeRequest(), deps);
    const steps = [...deps.steps];
    // What is needed before the model is asked may come in any order, so that the waits overlap.
    expect(steps.splice(0, 5).sort()).toEqual([
      'load agent',
      'load files',
      'open model',
      'read config',
      'read memory',
    ]);
    expect(steps).toEqual([
      'ask model',
      'journal pending',
      'publish completed',
      'journal pending',
      'write memory',
      'journal done',
    ]);
    expect(report).toMatchObject({
      kind: 'ran',
      outcome: { kind: 'completed', answer: 'the answer' },
      remembered: { entries: [{ id: 'id1' }], result: { kind: 'saved' } },
    });
  });

  it('remembers what was published, under the id that was pending before (D9, D16)', async () => {
    const published = { line: 'Updated the comment', url: 'https://example.com/c' };
    const deps = createFakeDependencies({ published });
    const report = await runPipeline(makeRequest(), deps);
    expect(report).toMatchObject({ published });
    expect(deps.memory.get('bot.md')).toBe(plainEntry(TASK, 'Updated the comment\nthe answer'));
    expect(deps.journaled.map(([change]) => change)).toEqual([
      { kind: 'append', path: 'bot.md', id: 'id1', text: plainEntry(TASK, 'the answer') },
      {
        kind: 'append',
        path: 'bot.md',
        id: 'id1',
        text: plainEntry(TASK, 'Updated the comment\nthe answer'),
      },
    ]);
  });

  it('reports the plan before it calls the model', async () => {
    const deps = createFakeDependencies({ agents: { bot: `${AGENT_WITH_MEMORY}[x]\n` } });
    const report = await runPipeline(makeRequest(), deps);
    expect(deps.events.map(({ kind }) => kind)).toEqual([
      'run-started',
      'model-request',
      'tokens-used',
      'model-reply',
    ]);
    expect(deps.events[0]).toMatchObject({
      plan: report.kind === 'ran' ? report.plan : undefined,
      restored: { kind: 'empty' },
    });
    expect(deps.warnings.map(({ code }) => code)).toEqual(['agent-unknown-key']);
  });

  it('reports memory before a missing key ends it (axe-behaviour §4)', async () => {
    const fails = { open: new AxeError('no key', { exitCode: 3 }) };
    const deps = createFakeDependencies({ fails, restore: UNREADABLE });
    await expect(runPipeline(makeRequest(), deps)).rejects.toMatchObject({ message: 'no key', exitCode: 3 });
    expect(deps.warnings.map(({ code }) => code)).toEqual(['memory-load-failed']);
    expect(deps.events).toEqual([]);
    expect(deps.steps).not.toContain('write memory');
    expect(deps.journaled).toEqual([]);
  });

  it('reports a wrong setting before a missing key (axe-behaviour §4)', async () => {
    const fails = { open: new AxeError('no key', { exitCode: 3 }) };
    const deps = createFakeDependencies({ fails, agents: { bot: `${AGENT}skill = "none.md"\n` } });
    await expect(runPipeline(makeRequest(), deps)).rejects.toThrow('skill not found: none.md');
  });
});

describe('memory in a run (axe-behaviour §10)', () => {
  it('is absent when it is off', async () => {
    const model = createFakeModel([says('ok')]);
    const memory = { 'bot.md': plainEntry('old') };
    const deps = createFakeDependencies({ agents: { bot: AGENT }, memory, model });
    const report = await runPipeline(makeRequest(), deps);
    expect(report).toMatchObject({ kind: 'ran', memory: undefined, remembered: undefined });
    expect(systemOf(model)).toBe('You help.');
    expect(deps.memory.get('bot.md')).toBe(memory['bot.md']);
    expect(deps.steps).not.toContain('read memory');
    expect(deps.warnings).toEqual([]);
  });

  it('is absent from the prompt of the first run, which starts the log', async () => {
    const model = createFakeModel([says('Hello')]);
    const deps = createFakeDependencies({ model });
    await runPipeline(makeRequest({ readStdin: async () => 'Say hello\n' }), deps);
    expect(systemOf(model)).toBe('You help.');
    expect([...deps.memory]).toEqual([['bot.md', plainEntry('Say hello ', 'Hello')]]);
  });

  it('is in the prompt of the next run, in a section of its own', async () => {
    const model = createFakeModel([says('ok')]);
    await runPipeline(makeRequest(), createFakeDependencies({ model, memory: { 'bot.md': FIVE.join('') } }));
    expect(systemOf(model)).toBe(`You help.\n\n---\n\n## Memory\n\n${FIVE.join('')}`);
  });

  it('is only its last entries with last_n', async () => {
    const model = createFakeModel([says('ok')]);
    const agents = { bot: `${AGENT_WITH_MEMORY}last_n = 2\n` };
    const deps = createFakeDependencies({ model, agents, memory: { 'bot.md': FIVE.join('') } });
    await runPipeline(makeRequest(), deps);
    expect(systemOf(model)).toBe(`You help.\n\n---\n\n## Memory\n\n${FIVE.slice(3).join('')}`);
    expect(deps.memory.get('bot.md')).toBe(FIVE.join('') + plainEntry(TASK, 'ok'));
  });

  it('is loaded and left unchanged when the model fails', async () => {
    const model = createFakeModel(Array(3).fill(new ProviderError('server', 'boom', { status: 500 })));
    const deps = createFakeDependencies({ model, memory: { 'bot.md': FIVE.join('') } });
    expect(await runPipeline(makeRequest(), deps)).toMatchObject({
      kind: 'ran',
      outcome: { kind: 'failed', error: { message: 'server: boom', exitCode: 3 } },
      remembered: undefined,
    });
    expect(systemOf(model)).toContain('## Memory');
    expect(deps.memory.get('bot.md')).toBe(FIVE.join(''));
    expect(deps.journaled).toEqual([]);
    expect(deps.steps).toContain('publish failed');
  });

  it('is shown and left unchanged in a dry run, which calls no model', async () => {
    const memory = { 'bot.md': FIVE.join('') };
    const deps = createFakeDependencies({ memory });
    expect(await runPipeline(makeRequest({ dryRun: true }), deps)).toMatchObject({
      kind: 'planned',
      plan: { agent: { name: 'bot' } },
      memory: { text: FIVE.join('') },
    });
    expect([...deps.steps].sort()).toEqual(['load agent', 'load files', 'read config', 'read memory']);
    expect(deps.memory.get('bot.md')).toBe(FIVE.join(''));
  });

  it('still causes its warning in a dry run', async () => {
    const agents = { bot: `${AGENT_WITH_MEMORY}max_entries = 1\n` };
    const deps = createFakeDependencies({ agents, memory: { 'bot.md': FIVE.join('') } });
    await runPipeline(makeRequest({ dryRun: true }), deps);
    expect(deps.warnings.map(({ code }) => code)).toEqual(['memory-max-entries']);
  });
});

describe('a run ends', () => {
  it('by its deadline: exhausted, with what is published, and no entry', async () => {
    const holder: { stop: () => void } = { stop: () => {} };
    const model = createFakeModel([never(() => holder.stop())]);
    const deps = createFakeDependencies({ model });
    holder.stop = () => deps.abort(new ProviderError('timeout', 'context deadline exceeded'));
    expect(await runPipeline(makeRequest(), deps)).toMatchObject({
      outcome: {
        kind: 'exhausted',
        limit: 'time',
        error: { message: 'timeout: context deadline exceeded', exitCode: 3 },
      },
      remembered: undefined,
    });
    expect(deps.steps.at(-1)).toBe('publish exhausted');
  });

  it('by a cancellation: failed', async () => {
    const holder: { stop: () => void } = { stop: () => {} };
    const model = createFakeModel([never(() => holder.stop())]);
    const deps = createFakeDependencies({ model });
    holder.stop = () => deps.abort(broken('everything'));
    expect(await runPipeline(makeRequest(), deps)).toMatchObject({
      outcome: { kind: 'failed', error: { message: 'everything is broken' } },
    });
    expect(deps.memory.size).toBe(0);
  });

  it('with a saved answer even if the deadline passes while it is published', async () => {
    const deps = createFakeDependencies();
    const slow = {
      ...deps.publisher,
      async publish() {
        deps.abort(new ProviderError('timeout', 'context deadline exceeded'));
        return { line: undefined, url: undefined };
      },
    };
    expect(await runPipeline(makeRequest(), { ...deps, publisher: slow })).toMatchObject({
      remembered: { result: { kind: 'saved' } },
    });
  });

  it.each(['', '   \n'])('with the empty answer %j: a failure in a workflow only (D27)', async (text) => {
    const deps = () => createFakeDependencies({ model: createFakeModel([says(text)]) });
    const atHome = deps();
    expect(await runPipeline(makeRequest(), atHome)).toMatchObject({ outcome: { kind: 'completed' } });
    expect(atHome.memory.get('bot.md')).toContain(`**Result:** ${text === '' ? '(none)' : text}`);
    const inWorkflow = deps();
    expect(await runPipeline(makeRequest({ inWorkflow: true }), inWorkflow)).toMatchObject({
      outcome: { kind: 'failed', error: { message: 'the model gave an empty answer', exitCode: 1 } },
      remembered: undefined,
    });
    expect(inWorkflow.memory.size).toBe(0);
  });

  describe('with an answer that was cut off', () => {
    const finish = { unified: 'length', raw: 'max_tokens' } as const;
    const cut = () =>
      createFakeDependencies({ model: createFakeModel([says('half', { finish, outputTokens: 12 })]) });

    it('as a success with a warning on the command line, and is remembered as in axe', async () => {
      const deps = cut();
      const report = await runPipeline(makeRequest(), deps);
      expect(report).toMatchObject({ outcome: { kind: 'completed', answer: 'half' } });
      expect(deps.memory.get('bot.md')).toContain('**Result:** half');
      expect(deps.warnings).toEqual([
        {
          code: 'answer-truncated',
          message: 'the answer was cut at 12 output tokens',
          remedy: 'Raise `max_tokens` in `[params]` of the agent.',
        },
      ]);
    });

    it('as incomplete in a workflow, and is not remembered', async () => {
      const deps = cut();
      const report = await runPipeline(makeRequest({ inWorkflow: true }), deps);
      expect(report).toMatchObject({
        outcome: {
          kind: 'incomplete',
          answer: 'half',
          error: { message: 'the answer was cut at 12 output tokens' },
        },
        remembered: undefined,
      });
      expect([deps.memory.size, deps.warnings]).toEqual([0, []]);
    });
  });
});

it('a review asks no model where it cannot be read what is open, and says so', async () => {
  const model = createFakeModel([]);
  const diff = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
  const files = [{ path: 'a.ts', status: 'modified', additions: 1, deletions: 1 }];
  const deps = createFakeDependencies({
    model,
    agents: { bot: AGENT_WITH_MEMORY.replace('[memory]', 'tools = ["add_review_comment"]\n[memory]') },
    permissions: { [OCTOCAT.login]: { kind: 'known', permission: 'write' } },
    context: { kind: 'pull_request', diff, files, filesTotal: 1, warnings: [] },
    memory: { 'bot.state.md': withFacts('', markFacts([raised({ path: 'a.ts' })], 42)) },
    said: { 42: { kind: 'unread', message: 'no right.' } },
  });
  const report = await runPipeline(makeRequest({ trigger: pullRequest(), inWorkflow: true }), deps);
  const message = 'What is open on #42 could not be read, so nothing was reviewed: no right';
  expect(report).toMatchObject({
    kind: 'skipped',
    isIncomplete: true,
    decision: { reason: 'findings-unread', message, remedy: 'Start the run again.' },
    reviewResult: { report: { findings: [{ handle: 'FQ7K2', state: 'open' }] } },
  });
  expect([model.asked, deps.requests, deps.told]).toMatchObject([[], [], [{ skipped: { message } }]]);
});
