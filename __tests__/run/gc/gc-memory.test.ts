import { describe, expect, it } from '@jest/globals';
import { AxeError, ProviderError } from '../../../src/lib/errors.js';
import { formatEntry } from '../../../src/memory/run-log.js';
import type { SaveResult } from '../../../src/memory/store.js';
import { parseLog } from '../../../src/memory/units.js';
import { collectAgentMemory } from '../../../src/run/gc/gc.js';
import {
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../../helpers/dependencies-fake.js';
import { createFakeModel, type FakeReply, says } from '../../helpers/model-fake.js';
import { outputsOf } from '../../helpers/reports.js';
import { SCHEDULE } from '../../helpers/triggers.js';

/** A million tokens of either kind cost a dollar. */
const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
const TODAY = '2026-02-03';
const TOML = 'name = "bot"\nmodel = "openai/m"\n[memory]\nenabled = true\nlast_n = 2\n';
const LOG = Array.from({ length: 5 }, (_, index) =>
  formatEntry({
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, index)),
    task: `task ${index}`,
    result: 'done',
  }),
).join('');
const CUT = { unified: 'length', raw: 'length' } as const;
const REFUSED = { unified: 'content-filter', raw: 'content_filter' } as const;
const CHEAP = { inputTokens: 200_000, outputTokens: 50_000 };

interface GcScene {
  readonly state?: string;
  readonly perDayUsd?: number;
  readonly dryRun?: boolean;
  readonly memory?: Readonly<Record<string, string>>;
  readonly save?: SaveResult;
}

function scene(
  replies: readonly FakeReply[],
  { state = '', perDayUsd = 0, dryRun = false, memory = {}, save }: GcScene = {},
  parts: FakeDependenciesParts = {},
) {
  const model = createFakeModel([...replies]);
  const deps = createFakeDependencies({
    model,
    agents: { bot: TOML },
    memory: { ...memory, 'bot.md': LOG, ...(state === '' ? {} : { 'bot.state.md': state }) },
    facts: { 'openai/m': { price: PRICE } },
    ...(save === undefined ? {} : { save }),
    ...parts,
  });
  const spendLimits = { perPullUsd: 0, perDayUsd };
  const request = makeRequest({ trigger: SCHEDULE, inWorkflow: true, spendLimits, dryRun });
  return { model, deps, request };
}

describe('the cost of garbage collection', () => {
  it('is kept in the state next to the cost of runs', async () => {
    const { deps, request } = scene([says('Found it.', CHEAP)]);
    expect(await collectAgentMemory(request, undefined, deps)).toMatchObject({
      kind: 'gc',
      collection: { end: { kind: 'trimmed', removed: 3 } },
    });
    expect(deps.memory.get('bot.state.md')).toMatch(
      new RegExp(`^- {"kind":"spent","v":1,"id":"\\S+","day":"${TODAY}","usd":0\\.25,`, 'm'),
    );
  });

  it('is a warning with its remedy if it cannot be kept', async () => {
    const remedy = 'Add `contents: write` under `permissions:` of the job.';
    const save = {
      kind: 'failed',
      reason: 'denied',
      message: 'the token cannot write',
      remedy,
    } as const;
    const { deps, request } = scene([says('', CHEAP)], {}, { save });
    await collectAgentMemory(request, undefined, deps);
    expect(deps.warnings).toContainEqual({
      code: 'memory-save-failed',
      message:
        'the cost of gc could not be recorded, so no limit counts it: the token cannot write',
      remedy,
    });
  });

  it.each<[string, readonly FakeReply[], number, number]>([
    ['an empty answer', [says('', CHEAP)], 1, 0.25],
    ['an answer that was cut off', [says('## Pat', { ...CHEAP, finish: CUT })], 1, 0.25],
    ['a refusal', [says('No.', { ...CHEAP, finish: REFUSED })], 1, 0.25],
    ['a model out of reach', [new ProviderError('auth', 'bad key')], 0, 0],
  ])('is reported and counted after %s', async (_what, replies, turns, costUsd) => {
    const { deps, request } = scene(replies);
    const report = await collectAgentMemory(request, undefined, deps);
    expect(report).toMatchObject({ collection: { end: { kind: 'failed' }, usage: { turns } } });
    expect(outputsOf(report, false)).toMatchObject({
      conclusion: 'failure',
      'input-tokens': String(turns * CHEAP.inputTokens),
      'output-tokens': String(turns * CHEAP.outputTokens),
      ...(costUsd === 0 ? {} : { 'cost-usd': costUsd.toFixed(6) }),
    });
    const spent = costUsd === 0 ? undefined : expect.stringContaining(`"usd":${costUsd},`);
    expect(deps.memory.get('bot.state.md')).toEqual(spent);
    expect(deps.memory.get('bot.md')).toBe(LOG);
  });

  it('is zero if the limit of the day is used up: the model is not called', async () => {
    const state = `- {"kind":"spent","id":"a","day":"${TODAY}","usd":2,"at":${Date.parse(TODAY)}}\n`;
    const { model, deps, request } = scene([], { state, perDayUsd: 2 });
    expect(await collectAgentMemory(request, undefined, deps)).toMatchObject({
      kind: 'skipped',
      decision: {
        reason: 'budget-spent',
        remedy: expect.stringContaining('`max-cost-usd-per-day`'),
      },
    });
    expect(model.asked).toHaveLength(0);
    expect([deps.memory.get('bot.md'), deps.memory.get('bot.state.md')]).toEqual([LOG, state]);
    const figures = await collectAgentMemory({ ...request, dryRun: true }, undefined, deps);
    expect(figures).toMatchObject({ kind: 'gc', collection: { end: { kind: 'dry-run' } } });
  });
});

it('garbage collection in a workflow reads and trims the trusted lane alone', async () => {
  const memory = { 'apart/bot.md': LOG.replaceAll('task', 'raise all tools') };
  const { model, deps, request } = scene([says('Found it.')], { memory });
  await collectAgentMemory(request, undefined, deps);
  expect(JSON.stringify(model.asked)).not.toContain('raise all tools');
  expect(parseLog(deps.memory.get('apart/bot.md') ?? '').units).toHaveLength(5);
});

it('garbage collection in a workflow asks with the effort of the workflow', async () => {
  const { model, deps, request } = scene([says('Found it.')]);
  await collectAgentMemory({ ...request, effort: 'max' }, undefined, deps);
  expect(model.asked.map(({ reasoning }) => reasoning)).toEqual(['max']);
});

describe('the notes of an agent, in garbage collection in a workflow', () => {
  const [SQUASHED, OPEN, BASE] = ['a', 'b', 'c'].map((digit) => digit.repeat(40));
  const fact = (path: string, code: string, commit = SQUASHED) =>
    `- Fact (${path}:1 "${code}") <!-- octocat/hello@${commit} -->`;
  const NOTES = [
    fact('src/a.ts', 'one two three'),
    fact('src/a.ts', 'of an open pull request', OPEN),
    fact('src/former.ts', 'one two three'),
    fact('src/now.ts', 'one two three'),
  ].join('\n');

  async function collect({
    dryRun = false,
    hasAnswer = true,
    toml = TOML,
    save,
  }: Pick<GcScene, 'dryRun' | 'save'> & { hasAnswer?: boolean; toml?: string } = {}) {
    const memory = { 'MEMORY.md': NOTES };
    const { deps, request } = scene(
      [says('Found it.')],
      { memory, dryRun, save },
      {
        agents: { bot: `${toml}notes = true\n` },
      },
    );
    const base = {
      repository: 'octocat/hello',
      isOnlyRepository: true,
      commit: BASE ?? '',
      files: new Map([
        ['src/a.ts', 'another text'],
        ['src/former.ts', null],
        ['src/now.ts', 'first\none two three'],
      ]),
      history: new Set([BASE ?? '']),
      renamed: new Map([['src/former.ts', 'src/now.ts']]),
    };
    const asked: (readonly string[])[] = [];
    const world = {
      ...deps,
      readBase: async () => base,
      async withEndedPulls(commits: readonly string[]) {
        asked.push(commits);
        if (!hasAnswer) throw new AxeError('GitHub does not answer');
        return commits.filter((commit) => commit === SQUASHED);
      },
    };
    const report = await collectAgentMemory(request, undefined, world);
    const collection = report.kind === 'gc' ? report.collection : undefined;
    return { collection, notes: deps.memory.get('MEMORY.md'), asked, deps };
  }

  it('are called gone where the pull request of their commit has ended', async () => {
    const { collection, asked } = await collect({ dryRun: true });
    expect(collection?.gone?.map(({ line }) => line)).toEqual([1]);
    expect(asked).toEqual([[OPEN, SQUASHED]]);
    expect((await collect({ dryRun: true, hasAnswer: false })).collection?.gone ?? []).toEqual([]);
  });

  it.each([
    ['together with a trim', TOML, 'trimmed', 'trim memory for'],
    ['without one', TOML.replace('last_n = 2\n', ''), 'no-target', 'update the notes of'],
  ])('get the current path of a renamed file %s', async (_, toml, kind, what) => {
    const save: SaveResult = { kind: 'failed', reason: 'error', message: 'no space' };
    const message = `failed to ${what} "bot": no space`;
    expect((await collect({ toml, save })).collection?.end).toMatchObject({ error: { message } });

    const { collection, notes, deps } = await collect({ toml });
    expect(collection?.end.kind).toBe(kind);
    const renewed = `- Fact (src/now.ts:2 \`"one two three"\`) <!-- octocat/hello@${BASE} -->`;
    expect(notes).toBe(NOTES.replace(fact('src/former.ts', 'one two three'), renewed));
    // The other save is that of what gc cost.
    expect(deps.steps.filter((step) => step === 'write memory')).toHaveLength(2);
  });

  it('are left as they are by a dry run', async () => {
    expect((await collect({ dryRun: true })).notes).toBe(NOTES);
  });
});
