import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { RestoreResult } from '../../src/memory/store.js';
import { chooseMemory, memoryWarnings, readMemory } from '../../src/run/memory.js';
import { UNPUBLISHED } from '../../src/run/publish.js';
import type { Plan, RunRequest } from '../../src/run/records.js';
import { entryChanges, postedKeeper, saveToMemory } from '../../src/run/save.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { completed, STATS } from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';
import { plainEntry } from '../memory/stores/entries.js';
import { prepare } from './prepare.js';

const rest = { error: new AxeError('no'), stats: STATS };
const SECRET = 'correct-horse-battery-staple';
const DENIED = 'open /memory/bot.md: permission denied';
const FAILED: RestoreResult = { kind: 'failed', message: DENIED, location: '/memory/bot.md' };

async function prepared(
  parts: FakeDependenciesParts,
  patch: Partial<RunRequest> = {},
): Promise<{ deps: FakeDependencies; plan: Plan }> {
  const result = await prepare(makeRequest(patch), createFakeDependencies(parts));
  if (result.kind === 'skipped') throw new Error(result.decision.message);
  return { deps: createFakeDependencies(parts), plan: result.plan };
}

/** Loads memory, with what has to be reported about it. */
async function loaded(parts: FakeDependenciesParts, patch: Partial<RunRequest> = {}) {
  const { deps, plan } = await prepared(parts, patch);
  const stored = await readMemory(plan.agent, plan.memory, deps);
  const memory = stored && plan.memory && chooseMemory(stored, plan.memory, plan.subject);
  const warnings = memory === undefined ? [] : memoryWarnings(plan, memory, deps);
  return { deps, plan, memory, warnings };
}

/** Loads memory, then remembers the outcome. */
async function wholeWay(
  parts: FakeDependenciesParts,
  outcome = completed('All good.'),
  patch: Partial<RunRequest> = {},
  read: readonly string[] = [],
) {
  const { deps, plan, memory } = await loaded(parts, patch);
  for (const source of read) plan.reading.add(source);
  const end = { plan, memory, outcome, published: UNPUBLISHED, facts: [] };
  const remembered = await saveToMemory(end, deps);
  return { deps, remembered };
}

it('loading memory causes one warning if it fails, and the run continues without (000, 4.2)', async () => {
  const { memory, warnings } = await loaded({ restore: { ...FAILED, remedy: 'Run `chmod`.' } });
  expect(memory).toMatchObject({ text: '', restored: { kind: 'failed' } });
  expect(warnings).toEqual([
    {
      code: 'memory-load-failed',
      message: `failed to load memory for "bot": ${DENIED}`,
      remedy: 'Run `chmod`.',
    },
  ]);
});

it.each([
  [2, 0],
  [3, 1],
  [4, 1],
])(
  'C2 32: a memory of %i entries, with `max_entries = 3`, causes %i warnings and loses no entry',
  async (count, told) => {
    const entries = Array.from({ length: count }, (_, index) => plainEntry(`${index}`)).join('');
    const agents = { bot: `${AGENT_WITH_MEMORY}last_n = 1\nmax_entries = 3\n` };
    const { warnings, deps } = await loaded({ agents, memory: { 'bot.md': entries } });
    expect(deps.memory.get('bot.md')).toBe(entries);
    expect(warnings).toEqual(
      Array(told).fill({
        code: 'memory-max-entries',
        message: `agent "bot" memory has ${count} entries (max_entries: 3)`,
        remedy: "Run 'axe-action gc bot' to trim.",
      }),
    );
  },
);

it.each([
  ['branch', 8_000, ['memory-file-large']],
  ['branch', 1_000, []],
  ['file', 8_000, []],
] as const)('a log on a %s with %i entries causes %j', async (kind, count, codes) => {
  const log = plainEntry('one', 'x'.repeat(100)).repeat(count);
  const pull = { trigger: pullRequest(), inWorkflow: true };
  const parts = {
    agents: { bot: AGENT_WITH_MEMORY },
    memory: { 'bot.md': log },
    permissions: { octocat: { kind: 'known', permission: 'write' } },
  } as const;
  const { memory, plan, deps } = await loaded(parts, pull);
  const onKind = memory && { ...memory, store: { ...memory.store, kind } };
  expect(memoryWarnings(plan, onKind, deps).map(({ code }) => code)).toEqual(codes);
});

it('C2 25: produces text that every provider accepts, whatever bytes the file holds', async () => {
  const odd = `${plainEntry('one', 'a\0b\uDC80c')}`;
  const { memory } = await loaded({ memory: { 'bot.md': odd } });
  expect(memory?.text).toBe(plainEntry('one', 'a\uFFFDb\uFFFDc'));
});

it.each<[string, Partial<RunRequest>, RegExp]>([
  ['whole', { readStdin: async () => `use ${SECRET} now` }, /^\*\*Task:\*\* use \S+ now$/m],
  ['cut', { prompt: `${'x'.repeat(450)}${SECRET}${'y'.repeat(200)}` }, /^\*\*Task:\*\* x{450}/m],
])(
  'the entry of a run holds no secret in task or answer, not even a half of one: a task kept %s (D10, D11)',
  async (_, patch, task) => {
    const { deps, plan } = await prepared({ secrets: [SECRET] }, patch);
    const outcome = completed(`${'x'.repeat(985)}${SECRET} and more`);
    const end = { plan, memory: undefined, outcome, published: UNPUBLISHED, facts: [] };
    const text = entryChanges(end, deps)[0]?.text;
    expect(text).not.toContain('correct');
    expect(text).toMatch(task);
    expect(text).toMatch(/^\*\*Result:\*\* x{985}/m);
  },
);

it.each<[string, RunOutcome]>([
  ['failed', { kind: 'failed', ...rest }],
  ['was refused', { kind: 'refused', answer: 'I cannot.', stats: STATS }],
  ['is incomplete', { kind: 'incomplete', answer: 'half', ...rest }],
  ['ran out of time', { kind: 'exhausted', limit: 'time', answer: 'half', ...rest }],
  ['ran out of turns', { kind: 'exhausted', limit: 'turns', answer: 'half', ...rest }],
])('the entry of a run is not written for a run that %s (000, 4.4)', async (_, outcome) => {
  const { deps, remembered } = await wholeWay({}, outcome);
  expect(remembered).toBeUndefined();
  expect(deps.memory.size).toBe(0);
  expect(deps.steps).not.toContain('write memory');
  expect(deps.journaled).toEqual([]);
});

describe('saving the entry', () => {
  it('appends it, with the journal written before and closed after (D16)', async () => {
    const { deps, remembered } = await wholeWay({ memory: { 'bot.md': plainEntry('old') } });
    const text = plainEntry('Execute the task described in your instructions.', 'All good.');
    expect(deps.memory.get('bot.md')).toBe(plainEntry('old') + text);
    expect(remembered).toEqual({
      entries: [{ kind: 'append', path: 'bot.md', id: 'id1', text }],
      notes: [],
      result: { kind: 'saved', location: '/memory/bot.md', prefix: '/memory/', attempts: 1 },
    });
    expect(deps.steps.slice(-3)).toEqual(['journal pending', 'write memory', 'journal done']);
    expect(deps.journaled).toEqual([[{ kind: 'append', path: 'bot.md', id: 'id1', text }]]);
  });

  it('leaves the journal open if it fails, and warns once (D14)', async () => {
    const save = {
      kind: 'failed',
      reason: 'denied',
      message: 'not allowed',
      remedy: 'Add `x`.',
    } as const;
    const { deps, remembered } = await wholeWay({ save });
    expect(remembered).toMatchObject({ entries: [{ id: 'id1' }], result: save });
    expect(deps.steps.slice(-2)).toEqual(['journal pending', 'write memory']);
    const message = 'failed to save memory for "bot": not allowed';
    expect(deps.warnings).toEqual([{ code: 'memory-save-failed', message, remedy: 'Add `x`.' }]);
  });

  it('closes the journal for what was saved and warns of a note that was not (D54)', async () => {
    const unsaved = [
      { path: 'MEMORY.md', reason: 'denied', message: 'not allowed', remedy: 'Run `chmod`.' },
    ] as const;
    const save = { kind: 'saved', location: '/memory/bot.md', attempts: 1, unsaved } as const;
    const { deps, remembered } = await wholeWay({ save });
    expect(remembered).toMatchObject({ entries: [{ id: 'id1' }], result: save });
    expect(deps.steps.slice(-2)).toEqual(['write memory', 'journal done']);
    const message = 'failed to save the note `MEMORY.md` of "bot": not allowed';
    expect(deps.warnings).toEqual([
      { code: 'memory-save-failed', message, remedy: 'Run `chmod`.' },
    ]);
  });

  it('adds it to a log that could not be loaded at the start, and keeps what is there', async () => {
    const { deps, remembered } = await wholeWay({
      restore: FAILED,
      memory: { 'bot.md': plainEntry('unseen') },
    });
    const text = plainEntry('Execute the task described in your instructions.', 'All good.');
    expect(deps.memory.get('bot.md')).toBe(plainEntry('unseen') + text);
    expect(deps.warnings).toEqual([]);
    expect(remembered).toMatchObject({ entries: [{ id: 'id1' }], result: { kind: 'saved' } });
    // What is in the journal, `post` appends after the job if this run is killed first.
    expect(deps.journaled).toEqual([[{ kind: 'append', path: 'bot.md', id: 'id1', text }]]);
  });
});

describe('what a killed run leaves in the journal', () => {
  const REVIEWED = {
    kind: 'reviewed',
    pull: 42,
    head: 'a1',
    base: 'b2',
    at: 1_770_091_506_000,
  } as const;

  it('is every fact of the save that it was killed in', async () => {
    const { deps, plan, memory } = await loaded({ agents: { bot: AGENT_WITH_MEMORY } });
    const outcome = completed('All good.');
    const end = { plan, memory, outcome, published: UNPUBLISHED, facts: [REVIEWED] };
    await saveToMemory(end, deps);
    const facts = {
      kind: 'facts',
      text: expect.stringContaining('"kind":"reviewed","v":1,"pull":42,"head":"a1"'),
    };
    expect(deps.journaled.flat()).toContainEqual(expect.objectContaining(facts));
    expect(deps.settled.flat()).toContainEqual(expect.objectContaining(facts));
  });

  it('is each text of ours as soon as it is posted', async () => {
    const { deps, plan } = await loaded({ agents: { bot: AGENT_WITH_MEMORY } });
    const onPosted = postedKeeper(plan, deps);
    onPosted(7);
    onPosted(8);
    expect(deps.journaled.flat()).toMatchObject([
      { kind: 'facts', text: expect.stringContaining('"ids":[7],') },
      { kind: 'facts', text: expect.stringContaining('"ids":[7,8],') },
    ]);
  });
});
