import { describe, expect, it } from '@jest/globals';
import { collect, type GcRequest } from '../../../src/commands/gc/gc.js';
import type { GcStep } from '../../../src/commands/gc/gc-result.js';
import { AxeError, ProviderError } from '../../../src/core/errors.js';
import type { LanguageModel } from '../../../src/core/loop/messages.js';
import { notesPlaces, pathOf } from '../../../src/core/memory/notes/place.js';
import { formatEntry } from '../../../src/core/memory/run-log.js';
import { parseLog } from '../../../src/core/memory/units.js';
import { estimateText } from '../../../src/core/text/truncate.js';
import { createFakeDependencies, type FakeDependenciesParts } from '../../helpers/dependencies-fake.js';
import { createFakeModel, type FakeReply, says } from '../../helpers/model-fake.js';

const TOML = `name = "bot"
model = "anthropic/m"
[memory]
enabled = true
last_n = 2
`;

function log(entries: number, words = 1): string {
  return Array.from({ length: entries }, (_, index) =>
    formatEntry({
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)),
      task: `task ${index}`,
      result: 'word '.repeat(words),
    }),
  ).join('');
}

async function scene(parts: Partial<FakeDependenciesParts> & { readonly model: LanguageModel }, toml = TOML) {
  const deps = createFakeDependencies({ agents: { bot: toml }, memory: { 'bot.md': log(5) }, ...parts });
  const agent = await deps.agents.loadAgent('bot');
  const steps: GcStep[] = [];
  const request: GcRequest = {
    agent,
    model: '',
    fallbackModels: [],
    store: deps.openMemory(agent, PLAN),
    path: 'bot.md',
    identity: 'octocat/hello-world',
    limits: () => ({ maxTokens: 0, maxCostUsd: 0 }),
    onAsking: () => {},
    dryRun: false,
    timeLimitMs: () => 60_000,
    onStep: (step) => steps.push(step),
  };
  return { deps, request, steps };
}

const THINKS = { thinks: 'by default', maxOutputTokens: 128_000 } as const;

const PLAN = {
  path: 'bot.md',
  readPaths: ['bot.md'],
  lane: 'trusted',
  lastN: 0,
  maxBytes: 0,
  maxEntries: 0,
  count: true,
  entryId: 'e',
  provenance: undefined,
} as const;

describe('garbage collection', () => {
  it('analyzes, and trims to what the agent keeps', async () => {
    const { deps, request, steps } = await scene({ model: createFakeModel([says('Found it.')]) });
    const collected = await collect(request, deps);
    expect(collected).toMatchObject({
      kind: 'collected',
      entries: 5,
      trim: { kind: 'trimmed', removed: 3, kept: 2 },
    });
    expect(steps.map(({ kind }) => kind)).toEqual(['read', 'analysed']);
    expect(parseLog(deps.memory.get('bot.md') ?? '').units).toHaveLength(2);
    expect(parseLog(deps.memory.get('bot.md.bak') ?? '').units).toHaveLength(3);
  });

  it('sends no request about an empty memory', async () => {
    const { deps, request } = await scene({ model: createFakeModel([]), memory: {} });
    expect(await collect(request, deps)).toEqual({
      kind: 'empty',
      removed: { days: 0, untrusted: 0 },
    });
  });

  it('trims nothing in a dry run', async () => {
    const { deps, request } = await scene({ model: createFakeModel([says('Found it.')]) });
    const collected = await collect({ ...request, dryRun: 'analysis' }, deps);
    expect(collected).toMatchObject({ kind: 'collected', trim: { kind: 'dry-run' } });
    expect(deps.memory.get('bot.md')).toBe(log(5));
  });

  it('sends no request in a dry run for figures, and shows what would be sent and trimmed', async () => {
    const model = createFakeModel([]);
    const { deps, request } = await scene({ model });
    expect(await collect({ ...request, dryRun: 'figures' }, deps)).toMatchObject({
      kind: 'counted',
      stats: { runs: 5 },
      trim: {
        kind: 'not-asked',
        model: 'anthropic/m',
        tokens: estimateText(log(5)),
        plan: { kind: 'trim', removed: 3, kept: 2 },
      },
    });
    expect([model.asked.length, deps.memory.get('bot.md')]).toEqual([0, log(5)]);
  });

  it.each([
    ['30 entries of one second with the same text', log(1).repeat(30), 30, log(1).repeat(2)],
    ['headings without times', '## a\n1\n## b\n2\n## c\n3\n## d\n4\n', 4, '## c\n3\n## d\n4\n'],
    ['text above the first entry', `Mine.\n\n${log(3)}`, 3, `Mine.\n\n${log(3).slice(log(1).length)}`],
  ])('counts %s as a run does, and keeps text that is not an entry', async (_what, text, entries, kept) => {
    const memory = { 'bot.md': text };
    const { deps, request, steps } = await scene({ model: createFakeModel([says('Found it.')]), memory });
    expect(await collect(request, deps)).toMatchObject({
      entries,
      trim: { kind: 'trimmed', removed: entries - 2, kept: 2 },
    });
    expect(steps[0]).toMatchObject({ kind: 'read', entries });
    expect(deps.memory.get('bot.md')).toBe(kept);
  });

  it('reports that the newest entry alone is over the limit', async () => {
    const memory = { 'bot.md': `${log(1)}## Findings\nx\n## Advice\ny\n` };
    const { deps, request } = await scene({ model: createFakeModel([says('Found it.')]), memory });
    expect(await collect(request, deps)).toMatchObject({
      trim: { kind: 'indivisible', entries: 3, target: 2 },
    });
  });

  it('prints figures and trims nothing with the offline rules, which analyze nothing', async () => {
    const model = createFakeModel([]);
    const { deps, request, steps } = await scene({ model });
    expect(await collect({ ...request, model: 'offline/rules' }, deps)).toMatchObject({
      kind: 'counted',
      stats: { runs: 5 },
      trim: { kind: 'not-analysed' },
    });
    expect([model.asked.length, steps.map(({ kind }) => kind)]).toEqual([0, ['read']]);
    expect(deps.memory.get('bot.md')).toBe(log(5));
  });

  it('never falls back on the offline rules', async () => {
    const model = createFakeModel([new ProviderError('overloaded', 'busy')]);
    const { deps, request } = await scene({ model }, `${TOML}[retry]\nmax_retries = 0\n`);
    const fallbackModels = ['offline/rules'];
    await expect(collect({ ...request, fallbackModels }, deps)).rejects.toThrow('busy');
    expect(model.asked).toHaveLength(1);
    expect(deps.memory.get('bot.md')).toBe(log(5));
  });

  it.each([
    ['axe’s for a model that does not think', '', {}, 4096],
    ['none for a model that thinks', '', { thinking: THINKS }, undefined],
    ['the agent’s, where it is larger', '[params]\nmax_tokens = 9000', { thinking: THINKS }, 9000],
    ['axe’s, where the agent’s is smaller', '[params]\nmax_tokens = 900', {}, 4096],
  ])('asks with a limit of output: %s', async (_what, params, facts, expected) => {
    const model = createFakeModel([says('Found it.')]);
    const { deps, request } = await scene({ model, facts: { 'anthropic/m': facts } }, `${TOML}\n${params}`);
    await collect(request, deps);
    expect(model.asked.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([expected]);
  });

  it.each([
    ['shows what came and trims nothing', 'analysis', 'resolves'],
    ['shows what came and fails', false, 'rejects'],
  ] as const)('after an analysis that was cut off %s', async (_what, dryRun, ends) => {
    const cut = says('## Patt', { finish: { unified: 'length', raw: 'length' } });
    const { deps, request, steps } = await scene({ model: createFakeModel([cut]) });
    const ended = expect(collect({ ...request, dryRun }, deps))[ends];
    await (dryRun === 'analysis'
      ? ended.toMatchObject({ trim: { kind: 'dry-run' } })
      : ended.toThrow('the analysis was cut off, so nothing was trimmed'));
    expect(steps[1]).toMatchObject({ kind: 'analysed', text: '## Patt', broken: { isCut: true } });
    expect(deps.warnings.map(({ code }) => code)).toEqual(dryRun === false ? [] : ['answer-truncated']);
    expect(deps.memory.get('bot.md')).toBe(log(5));
  });

  it('shows the reports that came before one that was cut off', async () => {
    const cut = says('two, and', { finish: { unified: 'length', raw: 'length' } });
    const { deps, request, steps } = await scene({
      model: createFakeModel([says('one'), cut]),
      memory: { 'bot.md': log(200, 150) },
      facts: { 'anthropic/m': { windowTokens: 8000 } },
    });
    await expect(collect(request, deps)).rejects.toThrow('the analysis was cut off');
    expect(steps[1]).toMatchObject({ text: 'one\n\ntwo, and' });
  });

  it('reports that limits are too small, sends no request and trims nothing', async () => {
    const model = createFakeModel([]);
    const { deps, request } = await scene({ model, memory: { 'bot.md': log(50, 150) } });
    const limits = () => ({ maxTokens: 800, maxCostUsd: 0 });
    await expect(collect({ ...request, limits }, deps)).rejects.toMatchObject({
      message: '`max-tokens` (800) leaves no room for an analysis, so nothing was trimmed',
      remedy: expect.stringContaining('Raise the limit'),
      exitCode: 4,
    });
    expect(deps.memory.get('bot.md')).toBe(log(50, 150));
  });

  it('trims nothing if one of several requests fails', async () => {
    const { deps, request } = await scene({
      model: createFakeModel([says('one'), says('')]),
      memory: { 'bot.md': log(200, 150) },
      facts: { 'anthropic/m': { windowTokens: 8000 } },
    });
    await expect(collect(request, deps)).rejects.toBeInstanceOf(AxeError);
    expect(deps.memory.get('bot.md')).toBe(log(200, 150));
  });

  it('reads a log that is longer than the window in parts, and joins the reports', async () => {
    const asked: string[] = [];
    const answer: FakeReply = async ({ prompt: [system, user] }) => {
      const question = JSON.stringify(user?.content ?? '');
      asked.push(JSON.stringify(system?.content ?? ''));
      return says(question.includes('--- Report 1') ? 'joined' : `report ${asked.length}`);
    };
    const model = createFakeModel(Array.from({ length: 50 }, () => answer));
    const { deps, request, steps } = await scene({
      model,
      memory: { 'bot.md': log(100, 150) },
      facts: { 'anthropic/m': { windowTokens: 16_000 } },
    });
    const collected = await collect(request, deps);
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    expect(collected.analysis.text).toBe('joined');
    expect(collected.analysis.parts).toBeGreaterThan(1);
    expect(asked).toHaveLength(collected.analysis.parts + 1);
    expect(asked[0]).toContain(`This is part 1 of ${collected.analysis.parts}`);
    expect(steps.at(-1)).toMatchObject({ kind: 'analysed', parts: collected.analysis.parts });
  });

  it('removes daily logs that are too old, and none of another project', async () => {
    const places = notesPlaces('project', 'octocat/hello-world');
    const old = pathOf({ kind: 'daily', date: '2001-01-01' }, places);
    const others = 'projects/other-1a2b3c4d/daily/2001-01-01.md';
    const toml = TOML.replace('last_n = 2', 'notes = true\nretention_days = 30');
    const copy = old.replace(/md$/, 'bak');
    const memory = { 'bot.md': log(5), [old]: 'old', [others]: 'old', [copy]: 'older' };
    const { deps, request } = await scene({ model: createFakeModel([says('Found it.')]), memory }, toml);
    expect(await collect(request, deps)).toMatchObject({
      trim: { kind: 'no-target' },
      removed: { days: 1 },
    });
    expect([deps.memory.get(old) ?? '', deps.memory.get(copy) ?? '']).toEqual(['', '']);
    expect(deps.memory.get(others)).toBe('old');
    expect(deps.memory.get('bot.md')).toBe(log(5));
  });

  it.each<[string, Readonly<Record<string, string>>, GcRequest['dryRun'], object, string]>([
    ['an empty log', { 'bot.md': '' }, false, { kind: 'empty', removed: { days: 1, untrusted: 0 } }, ''],
    ['no log', {}, false, { kind: 'empty', removed: { days: 1, untrusted: 0 } }, ''],
    ['no log in a dry run', {}, 'analysis', { kind: 'empty', removed: { days: 0, untrusted: 0 } }, 'old'],
  ])(
    'checks the age of daily logs next to %s, and sends no request',
    async (_, files, dryRun, ended, left) => {
      const places = notesPlaces('project', 'octocat/hello-world');
      const old = pathOf({ kind: 'daily', date: '2001-01-01' }, places);
      const toml = TOML.replace('last_n = 2', 'notes = true\nretention_days = 30');
      const memory = { ...files, [old]: 'old' };
      const { deps, request } = await scene({ model: createFakeModel([]), memory }, toml);
      expect(await collect({ ...request, dryRun }, deps)).toEqual(ended);
      expect(deps.memory.get(old) ?? '').toBe(left);
    },
  );

  it.each(['project', 'shared'] as const)(
    'for a trial without a model leaves the real daily logs unchanged, with scope %s',
    async (scope) => {
      const places = notesPlaces(scope, 'octocat/hello-world');
      const old = pathOf({ kind: 'daily', date: '2001-01-01' }, places);
      const toml = TOML.replace('last_n = 2', `notes = true\nscope = "${scope}"\nretention_days = 30`);
      const memory = { 'offline/bot.md': log(5), [old]: 'old', [`offline/${old}`]: 'old' };
      const { deps, request } = await scene({ model: createFakeModel([says('Found it.')]), memory }, toml);
      expect(await collect({ ...request, path: 'offline/bot.md' }, deps)).toMatchObject({
        removed: { days: 1 },
      });
      expect([deps.memory.get(old), deps.memory.get(`offline/${old}`) ?? '']).toEqual(['old', '']);
    },
  );
});
