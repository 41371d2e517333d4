import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Trigger } from '../../src/event/trigger.js';
import { AxeError } from '../../src/lib/errors.js';
import { createTreeStore } from '../../src/memory/stores/tree-store.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import {
  call,
  createFakeModel,
  type FakeModel,
  type FakeReply,
  reply,
  says,
} from '../helpers/model-fake.js';
import { WRITER } from '../helpers/reports.js';
import { SCHEDULE } from '../helpers/triggers.js';
import { createFakeRemote } from '../memory/stores/fake-backend.js';

const ORIGIN = { runId: '99', attempt: '1', sha: 'c'.repeat(40) };
const ALL = ['memory_write', 'memory_read', 'memory_search'];

const agent = (name: string, memory = '', top = '') =>
  `name = "${name}"\nmodel = "p/${name}"\nsystem_prompt = "I am ${name}."\n${top}\n[memory]\nenabled = true\nnotes = true\n${memory}\n`;

function writes(content: string, target = 'long_term', id = content) {
  return reply([call(id, 'memory_write', { target, content })]);
}

interface SceneParts extends FakeDependenciesParts {
  readonly replies?: readonly FakeReply[];
  readonly trigger?: Trigger;
  readonly request?: Partial<RunRequest>;
  readonly deps?: Partial<Dependencies>;
}

/** One run of an agent that keeps notes. */
async function run({
  replies = [says('Done.')],
  trigger = SCHEDULE,
  request,
  deps: given,
  ...parts
}: SceneParts) {
  const model = createFakeModel(replies);
  const deps = createFakeDependencies({
    model,
    agents: { bot: agent('bot') },
    permissions: WRITER,
    ...parts,
  });
  const inWorkflow = trigger.kind !== 'local';
  const origin = inWorkflow ? ORIGIN : undefined;
  const report = await runPipeline(makeRequest({ trigger, origin, inWorkflow, ...request }), {
    ...deps,
    ...given,
  });
  return { deps, model, report };
}

function toolsOf(model: FakeModel | undefined, at = 0): readonly string[] {
  return (model?.asked[at]?.tools ?? []).map(({ name }) => name);
}

function systemOf(model: FakeModel | undefined): string {
  return String(model?.asked[0]?.prompt[0]?.content);
}

describe('the notes that a run receives', () => {
  const memory = { 'MEMORY.md': 'Tabs.\n', 'bot.md': '' };

  it('are the block after the entries, and the tools', async () => {
    const { model } = await run({ memory });
    expect(systemOf(model)).toContain('## Long-term memory (MEMORY.md)\nTabs.\n</memory>');
    expect(toolsOf(model)).toEqual(ALL);
  });

  it('follow the agent’s file', async () => {
    const files = { 'MEMORY.md': 'a'.repeat(500) };
    const bot = agent('bot', 'max_inject_bytes = 200\ntools = ["write_memory"]');
    const { model, report } = await run({ memory: { ...memory, ...files }, agents: { bot } });
    expect(systemOf(model)).toMatch(/aaa\n…\[memory truncated\]/);
    expect(systemOf(model)).toContain('- `write_memory`');
    expect(JSON.stringify(report)).toContain('memory-truncated');
  });

  it('are absent without `notes = true`, and the store is read once', async () => {
    const bot = agent('bot').replace('notes = true', 'notes = false');
    const { model, deps } = await run({ memory, agents: { bot } });
    expect(systemOf(model)).toBe('I am bot.');
    expect(toolsOf(model)).toEqual([]);
    expect(deps.reads).toHaveLength(1);
  });

  it('are given as not checked, with a warning, if the code that they rest on cannot be read', async () => {
    const note = `Fact (a.ts:1 "x = 1") <!-- o/r@${'a'.repeat(40)} -->`;
    const readBase = async () =>
      Promise.reject(new AxeError('403', { remedy: 'Give the token a right.' }));
    const { model, deps } = await run({ memory: { 'MEMORY.md': `${note}\n` }, deps: { readBase } });
    expect(systemOf(model)).toContain('\nFact (a.ts:1 "x = 1") (not checked)\n');
    expect(deps.warnings).toMatchObject([
      {
        code: 'memory-outdated',
        message: 'the code that notes rest on could not be read, so they are used as they are: 403',
        remedy: 'Give the token a right.',
      },
    ]);
  });

  it('that cannot be read cause one warning, and nothing is written over them', async () => {
    const failed = { kind: 'failed', message: 'no way', location: 'x' } as const;
    const deps = createFakeDependencies();
    const store = { ...deps.openMemory, ...createBroken(deps, failed) };
    const { report, deps: after } = await run({
      deps: { openMemory: () => store },
      replies: [writes('a fact'), says('Done.')],
    });
    const remembered = { entries: [{}], notes: [] };
    expect(report).toMatchObject({ kind: 'ran', outcome: { kind: 'completed' }, remembered });
    expect(after.warnings).toMatchObject([
      { code: 'memory-load-failed', message: 'failed to load the notes of "bot": no way' },
    ]);
  });
});

/** A store whose tree cannot be read. */
function createBroken(
  deps: ReturnType<typeof createFakeDependencies>,
  failed: Awaited<ReturnType<ReturnType<Dependencies['openMemory']>['readTree']>>,
) {
  const store = deps.openMemory(
    { name: 'bot', source: '', warnings: [], config: {} as never },
    {} as never,
  );
  return { ...store, readTree: async () => failed };
}

it.each(['', '[memory]\nenabled = true\n'])(
  'the right to write notes: an agent without notes gets the lines that `write_memory` needs',
  async (more) => {
    const bot = `name = "bot"\nmodel = "p/m"\ntools = ["write_memory"]\n${more}`;
    const { model, deps } = await run({ agents: { bot } });
    expect(toolsOf(model)).toEqual([]);
    const message = expect.stringContaining('`enabled = true` and `notes = true`');
    expect(deps.warnings).toMatchObject([{ code: 'tool-not-available', message }]);
    expect(deps.toolRequests[0]?.agent.config.tools).toEqual([]);
  },
);

it('a run’s change to its notes is saved with its entry, in one write, after the journal has it', async () => {
  const { deps, report } = await run({ replies: [writes('A fact.'), says('Done.')] });
  expect(deps.steps.filter((step) => step === 'write memory')).toHaveLength(1);
  expect(deps.memory.get('MEMORY.md')).toBe('A fact.\n');
  expect(deps.memory.get('bot.md')).toContain('Done.');
  const notes = [{ kind: 'note', path: 'MEMORY.md' }];
  expect(report).toMatchObject({ remembered: { entries: [{}], notes } });
  expect(deps.journaled[0]).toMatchObject(notes);
  expect(deps.steps.indexOf('journal pending')).toBeLessThan(deps.steps.lastIndexOf('ask model'));
  expect(deps.settled.at(-1)).toMatchObject([{ kind: 'append' }, { kind: 'note' }]);
});

it('many runs at once lose no entry and no line of a note', async () => {
  const target = fc.constantFrom('long_term', 'daily', 'scratchpad');
  const targetsOfRun = fc.array(target, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(targetsOfRun, { minLength: 2, maxLength: 6 }), async (runs) => {
      const remote = createFakeRemote();
      const ends = runs.map(async (targets, at) => {
        const clock = createFakeDependencies().clock;
        const store = createTreeStore(remote.backend(), { clock, budgetMs: 600_000 });
        const replies = targets.map((target, index) => writes(`line ${at}.${index};`, target));
        let ids = 0;
        const own = { ...clock, newId: () => `r${at}-${++ids}` };
        const deps = { openMemory: () => store, clock: own };
        return await run({ replies: [...replies, says(`answer ${at};`)], deps });
      });
      for (const { report } of await Promise.all(ends))
        expect(report).toMatchObject({ remembered: { result: { kind: 'saved' } } });
      const all = [...remote.tree.values()].join('');
      for (const [at, targets] of runs.entries()) {
        expect(all.split(`answer ${at};`)).toHaveLength(2);
        for (const index of targets.keys())
          expect(all.split(`line ${at}.${index};`)).toHaveLength(2);
      }
    }),
    { numRuns: 30 },
  );
});
