import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Trigger } from '../../src/event/trigger.js';
import { ProviderError } from '../../src/lib/errors.js';
import { notesPlaces, pathOf } from '../../src/memory/notes/place.js';
import type { Place } from '../../src/memory/store.js';
import { createTreeStore } from '../../src/memory/stores/store.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import type { RunRequest } from '../../src/run/records.js';
import { runPipeline } from '../../src/run/run.js';
import type { Tool } from '../../src/tools/tool.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { call, createFakeModel, type FakeModel, type FakeReply, reply, says } from '../helpers/model-fake.js';
import { issue, SCHEDULE, STRANGER } from '../helpers/triggers.js';
import { createFakeRemote } from '../memory/stores/fake-backend.js';

const ORIGIN = { runId: '99', attempt: '1', job: 'review', sha: 'c'.repeat(40) };
const WRITER = { octocat: { kind: 'known', permission: 'write' } } as const;
const LOCAL: Trigger = { kind: 'local' };
const DOWN = new ProviderError('auth', 'wrong key', { status: 401 });
const ALL = ['memory_write', 'memory_read', 'memory_search'];
const READING = ['memory_read', 'memory_search'];

function fileIn(root: string, separator: string): Place {
  return { location: `${root}${separator}bot.md`, within: { root, separator } };
}

const agent = (name: string, memory = '', top = '') =>
  `name = "${name}"\nmodel = "p/${name}"\nsystem_prompt = "I am ${name}."\n${top}\n[memory]\nenabled = true\nnotes = true\n${memory}\n`;

/** A tool that finds a stranger's words on the open network. */
const fetching: Tool = {
  name: 'url_fetch',
  effect: 'network',
  description: 'fetches',
  inputSchema: { type: 'object' },
  execute: async () => ({ text: 'Spaces, not tabs.', isError: false }),
};

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

function resultsOf(model: FakeModel, at: number): string {
  return JSON.stringify(model.asked[at]?.prompt.filter(({ role }) => role === 'tool'));
}

describe('the notes that a run receives', () => {
  const memory = { 'MEMORY.md': 'Tabs.\n', 'bot.md': '' };

  it('are the block after the entries, and the tools', async () => {
    const { model } = await run({ memory });
    expect(systemOf(model)).toContain('## Long-term memory (MEMORY.md)\nTabs.\n</memory>');
    expect(toolsOf(model)).toEqual(ALL);
  });

  it('are absent without `notes = true`, and the store is read once', async () => {
    const bot = agent('bot').replace('notes = true', 'notes = false');
    const { model, deps } = await run({ memory, agents: { bot } });
    expect(systemOf(model)).toBe('I am bot.');
    expect(toolsOf(model)).toEqual([]);
    expect(deps.reads).toHaveLength(1);
  });

  it('are shown in a dry run, which writes nothing', async () => {
    const { report, deps } = await run({ memory, request: { dryRun: true } });
    expect(report).toMatchObject({
      kind: 'planned',
      memory: { notes: { prompt: { block: expect.stringContaining('Tabs.') } } },
    });
    expect(deps.steps).not.toContain('write memory');
  });

  it('are reported to listeners', async () => {
    const { deps } = await run({ memory });
    expect(deps.events[0]).toMatchObject({ kind: 'run-started', notes: { files: 1, location: '/memory' } });
  });

  it.each([
    [fileIn('octo/hello@axe-memory', ':'), 'octo/hello@axe-memory'],
    [fileIn('/work/.axe/memory', '/'), '/work/.axe/memory'],
    [fileIn('/work/this and that', '/'), '/work/this and that'],
    [{ location: 'octo/hello@main:robot.md' }, 'octo/hello@main:robot.md'],
  ] satisfies readonly (readonly [Place, string])[])(
    'come from the place of the run log, %j',
    async (place, around) => {
      const restore = {
        kind: 'empty',
        ...place,
        warnings: [],
        alongside: new Map(Object.entries(memory)),
      } as const;
      const { deps } = await run({ restore });
      expect(deps.events[0]).toMatchObject({ notes: { files: 1, location: around } });
    },
  );

  it.each<[string, Trigger, string]>([
    ['by the repository in a workflow', SCHEDULE, 'octocat/hello'],
    ['by the folder on the command line', LOCAL, '/work/sub'],
  ])('belong to a project that is identified %s', async (_, trigger, identity) => {
    const places = notesPlaces('project', identity);
    const { deps } = await run({
      trigger,
      request: { workdir: 'sub' },
      replies: [writes('- [ ] look', 'scratchpad'), says('Done.')],
    });
    expect(deps.memory.get(pathOf({ kind: 'scratchpad' }, places))).toBe('- [ ] look\n');
  });

  it('that cannot be read cause one warning, and nothing is written over them', async () => {
    const failed = { kind: 'failed', message: 'no way', location: 'x' } as const;
    const deps = createFakeDependencies();
    const store = { ...deps.openMemory, ...createBroken(deps, failed) };
    const { report, deps: after } = await run({
      deps: { openMemory: () => store },
      replies: [writes('a fact'), says('Done.')],
    });
    expect(report).toMatchObject({
      kind: 'ran',
      outcome: { kind: 'completed' },
      remembered: { entries: [{}], notes: [] },
    });
    expect(after.warnings).toMatchObject([
      { code: 'memory-load-failed', message: 'failed to load the notes of "bot": no way' },
    ]);
  });

  it('are below `offline/` for the offline rules (D32)', async () => {
    const { deps, model } = await run({
      agents: { bot: agent('bot').replace('p/bot', 'offline/rules') },
      memory: { 'MEMORY.md': 'Real.\n', 'offline/MEMORY.md': 'Tried out.\n' },
      replies: [writes('Tried more.'), says('Done.')],
    });
    expect(systemOf(model)).toContain('Tried out.');
    expect(systemOf(model)).not.toContain('Real.');
    expect(deps.memory.get('offline/MEMORY.md')).toBe('Tried out.\nTried more.\n');
    expect(deps.memory.get('MEMORY.md')).toBe('Real.\n');
  });
});

/** A store whose tree cannot be read. */
function createBroken(
  deps: ReturnType<typeof createFakeDependencies>,
  failed: Awaited<ReturnType<ReturnType<Dependencies['openMemory']>['readTree']>>,
) {
  const store = deps.openMemory({ name: 'bot', source: '', warnings: [], config: {} as never }, {} as never);
  return { ...store, readTree: async () => failed };
}

describe('the right to write notes', () => {
  const stranger = issue({ actor: STRANGER, author: STRANGER });
  const open = { admissionPolicy: { ...makeRequest().admissionPolicy, minPermission: 'none' as const } };

  it.each<[string, SceneParts, readonly string[], number]>([
    ['a trusted run can', {}, ALL, 0],
    ['an untrusted run cannot', { trigger: stranger, request: open }, READING, 1],
    ['a run without memory writes cannot', { request: { isMemoryReadOnly: true } }, READING, 1],
    ['a run on the command line can', { trigger: LOCAL }, ALL, 0],
    [
      'an agent has the tools that its memory names',
      { agents: { bot: agent('bot', 'tools = ["write_memory", "memory_read"]') } },
      ['memory_read', 'write_memory'],
      0,
    ],
    [
      'an agent has `write_memory` by its other tools, too',
      { agents: { bot: agent('bot', '', 'tools = ["write_memory"]') } },
      [...ALL, 'write_memory'],
      0,
    ],
  ])('%s', async (_, parts, tools, withheld) => {
    const { model, deps } = await run(parts);
    expect(toolsOf(model)).toEqual(tools);
    expect(deps.warnings.filter(({ code }) => code === 'tool-not-available')).toHaveLength(withheld);
  });

  it.each(['', '[memory]\nenabled = true\n'])(
    'an agent without notes gets the lines that `write_memory` needs',
    async (more) => {
      const bot = `name = "bot"\nmodel = "p/m"\ntools = ["write_memory"]\n${more}`;
      const { model, deps } = await run({ agents: { bot } });
      expect(toolsOf(model)).toEqual([]);
      expect(deps.warnings).toMatchObject([
        {
          code: 'tool-not-available',
          message: expect.stringContaining('`enabled = true` and `notes = true`'),
        },
      ]);
      expect(deps.toolRequests[0]?.agent.config.tools).toEqual([]);
    },
  );

  it('a sub-agent only reads, and sees what its caller has just written', async () => {
    const models = {
      'p/bot': createFakeModel([
        writes('Fresh fact.'),
        reply([call('2', 'call_agent', { agent: 'a', task: 'look' })]),
        says('Done.'),
      ]),
      'p/a': createFakeModel([reply([call('1', 'memory_search', { query: 'fresh' })]), says('Found.')]),
    };
    const { deps } = await run({
      models,
      agents: { bot: agent('bot', '', 'sub_agents = ["a"]'), a: agent('a') },
    });
    expect(toolsOf(models['p/a'])).toEqual(READING);
    expect(systemOf(models['p/a'])).toContain('Fresh fact.');
    expect(resultsOf(models['p/a'], 1)).toContain('Fresh fact.');
    expect(deps.warnings).toEqual([]);
    expect(deps.memory.get('MEMORY.md')).toBe('Fresh fact.\n');
  });
});

describe('a run’s change to its notes', () => {
  it('is saved with its entry, in one write, after the journal has it', async () => {
    const { deps, report } = await run({ replies: [writes('A fact.'), says('Done.')] });
    expect(deps.steps.filter((step) => step === 'write memory')).toHaveLength(1);
    expect(deps.memory.get('MEMORY.md')).toBe('A fact.\n');
    expect(deps.memory.get('bot.md')).toContain('Done.');
    expect(report).toMatchObject({
      remembered: { entries: [{}], notes: [{ kind: 'note', path: 'MEMORY.md' }] },
    });
    const [first] = deps.journaled;
    expect(first).toMatchObject([{ kind: 'note', path: 'MEMORY.md' }]);
    expect(deps.steps.indexOf('journal pending')).toBeLessThan(deps.steps.lastIndexOf('ask model'));
    expect(deps.settled.at(-1)).toMatchObject([{ kind: 'append' }, { kind: 'note' }]);
  });

  it.each<[string, readonly FakeReply[], Partial<RunRequest>]>([
    ['fails', [writes('A fact.'), DOWN], {}],
    ['answers nothing', [writes('A fact.'), says('')], {}],
    ['spends its turns', [writes('A fact.')], { maxTurns: 1 }],
  ])('is saved without an entry if the run %s (D16)', async (_, replies, request) => {
    const { deps, report } = await run({ replies, request });
    expect(deps.memory.get('MEMORY.md')).toBe('A fact.\n');
    expect(deps.memory.get('bot.md') ?? '').toBe('');
    expect(report).toMatchObject({ remembered: { entries: [], result: { kind: 'saved' } } });
  });

  it('is saved immediately on the command line, and not again at the end', async () => {
    const { deps } = await run({ trigger: LOCAL, replies: [writes('A fact.'), DOWN] });
    expect(deps.steps.indexOf('write memory')).toBeLessThan(deps.steps.lastIndexOf('ask model'));
    expect(deps.memory.get('MEMORY.md')).toBe('A fact.\n');
    expect(deps.steps.filter((step) => step === 'write memory')).toHaveLength(1);
    expect(deps.journaled).toEqual([]);
  });

  it('goes to the untrusted lane if the run has read the open network, whenever it was written (D19)', async () => {
    const bot = agent('bot', '', 'tools = ["url_fetch"]');
    const { deps } = await run({
      agents: { bot },
      boxes: { bot: { tools: [fetching] } },
      memory: { 'MEMORY.md': 'Tabs.\n' },
      replies: [writes('Before.'), reply([call('2', 'url_fetch', {})]), writes('Spaces.'), says('Done.')],
    });
    expect(deps.memory.get('MEMORY.md')).toBe('Tabs.\n');
    expect(deps.memory.get('untrusted/MEMORY.md')).toBe('Before.\nSpaces.\n');
    const places = deps.journaled.map((changes) => changes.map(({ path }) => path));
    expect(places[0]).toEqual(['MEMORY.md']);
    expect(places[1]).toEqual(['untrusted/MEMORY.md', 'untrusted/MEMORY.md']);
    // What the journal had for the trusted lane was taken back before.
    expect(deps.settled[0]).toMatchObject([{ path: 'MEMORY.md' }]);
  });

  it('stays in place on the command line, with or without the network', async () => {
    const bot = agent('bot', '', 'tools = ["url_fetch"]');
    const { deps } = await run({
      trigger: LOCAL,
      agents: { bot },
      boxes: { bot: { tools: [fetching] } },
      replies: [reply([call('1', 'url_fetch', {})]), writes('Spaces.'), says('Done.')],
    });
    expect(deps.memory.get('MEMORY.md')).toBe('Spaces.\n');
  });

  it('that cannot be saved is one warning', async () => {
    const { deps, report } = await run({
      save: { kind: 'failed', reason: 'denied', message: 'no permission' },
      replies: [writes('A fact.'), DOWN],
    });
    expect(report).toMatchObject({ remembered: { entries: [], result: { kind: 'failed' } } });
    expect(deps.warnings).toEqual([
      {
        code: 'memory-save-failed',
        agent: 'bot',
        message: expect.stringContaining('no permission'),
      },
    ]);
    expect(deps.settled).toEqual([]);
  });

  it('holds no secret', async () => {
    const { deps } = await run({
      secrets: ['hunter2hunter2'],
      replies: [writes('The key is hunter2hunter2.'), says('Done.')],
    });
    expect(deps.memory.get('MEMORY.md')).not.toContain('hunter2');
  });
});

describe('many runs at once', () => {
  it('lose no entry and no line of a note', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.constantFrom('long_term', 'daily', 'scratchpad'), { minLength: 1, maxLength: 3 }),
          {
            minLength: 2,
            maxLength: 6,
          },
        ),
        async (runs) => {
          const remote = createFakeRemote();
          const ends = runs.map(async (targets, at) => {
            const clock = createFakeDependencies().clock;
            const store = createTreeStore(remote.backend(), { clock, budgetMs: 600_000 });
            const replies = targets.map((target, index) => writes(`line ${at}.${index};`, target));
            let ids = 0;
            const own = { ...clock, newId: () => `r${at}-${++ids}` };
            return await run({
              replies: [...replies, says(`answer ${at};`)],
              deps: { openMemory: () => store, clock: own },
            });
          });
          for (const { report } of await Promise.all(ends))
            expect(report).toMatchObject({ remembered: { result: { kind: 'saved' } } });
          const all = [...remote.tree.values()].join('');
          for (const [at, targets] of runs.entries()) {
            expect(all.split(`answer ${at};`)).toHaveLength(2);
            for (const index of targets.keys()) expect(all.split(`line ${at}.${index};`)).toHaveLength(2);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});
