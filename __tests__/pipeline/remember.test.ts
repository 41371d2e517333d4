import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/axe/errors.js';
import type { RunOutcome } from '../../src/axe/loop/outcome.js';
import type { RestoreResult } from '../../src/axe/memory/store.js';
import type { Plan } from '../../src/axe/plan.js';
import { prepare } from '../../src/pipeline/prepare.js';
import { entryOf, memoryWarnings, remember, restore } from '../../src/pipeline/remember.js';
import { SCHEDULE } from '../helpers/triggers.js';
import {
  AGENT,
  AGENT_WITH_MEMORY,
  createFakeWorld,
  type FakeWorld,
  type FakeWorldParts,
  makeRequest,
} from '../helpers/world-fake.js';
import { entryText, plainEntry } from '../memory-stores/entries.js';

const stats = {
  turns: 1,
  toolCalls: 0,
  calls: [],
  retries: 0,
  isTainted: false,
  costUsd: undefined,
  budget: undefined,
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  durationMs: 5,
  modelId: 'm',
  stopReason: 'stop',
};
const error = new AxeError('no');
const completed: RunOutcome = { kind: 'completed', answer: 'All good.', stats };
const FAILED: RestoreResult = {
  kind: 'failed',
  message: 'open /memory/bot.md: permission denied',
  location: '/memory/bot.md',
};

async function prepared(
  parts: FakeWorldParts,
  patch: Parameters<typeof makeRequest>[0] = {},
): Promise<{ world: FakeWorld; plan: Plan }> {
  const result = await prepare(makeRequest(patch), createFakeWorld(parts));
  if (result.kind === 'skipped') throw new Error(result.decision.message);
  return { world: createFakeWorld(parts), plan: result.plan };
}

/** Loads memory, with what is to be told of it. */
async function loaded(parts: FakeWorldParts) {
  const { world, plan } = await prepared(parts);
  const memory = await restore(plan.agent, plan.memory, world);
  return { world, plan, memory, warnings: memory === undefined ? [] : memoryWarnings(plan, memory.restored) };
}

/** Loads memory, then remembers the outcome. */
async function wholeWay(parts: FakeWorldParts, outcome: RunOutcome = completed) {
  const { world, plan, memory } = await loaded(parts);
  const remembered = await remember({ plan, memory, outcome, posted: undefined }, world);
  return { world, remembered };
}

describe('loading memory', () => {
  it('opens no store for an agent without memory', async () => {
    const { world, memory } = await loaded({ agents: { bot: AGENT } });
    expect(memory).toBeUndefined();
    expect(world.steps).toEqual([]);
  });

  it('asks for what the agent wants, and counts only for `max_entries` (D33)', async () => {
    const few = await loaded({ agents: { bot: `${AGENT_WITH_MEMORY}last_n = 4\n` } });
    expect(few.world.reads).toEqual([{ path: 'bot.md', lastN: 4, count: false }]);
    const counting = await loaded({ agents: { bot: `${AGENT_WITH_MEMORY}max_entries = 9\n` } });
    expect(counting.world.reads).toEqual([{ path: 'bot.md', lastN: 0, count: true }]);
  });

  it('gives the newest entries without their provenance lines (D8)', async () => {
    const { memory, warnings } = await loaded({
      agents: { bot: `${AGENT_WITH_MEMORY}last_n = 2\n` },
      memory: { 'bot.md': plainEntry('one') + plainEntry('two') + entryText('three') },
    });
    expect(memory?.text).toBe(plainEntry('two') + plainEntry('task of three'));
    expect(memory?.restored).toMatchObject({ kind: 'restored', loaded: 2 });
    expect(warnings).toEqual([]);
  });

  it('is silent on the first run', async () => {
    const { memory, warnings } = await loaded({});
    expect(memory).toMatchObject({ text: '', restored: { kind: 'empty' } });
    expect(warnings).toEqual([]);
  });

  it.each([
    [2, 0],
    [3, 1],
    [4, 1],
  ])('of %i entries, with `max_entries = 3`, gives %i warnings', async (count, told) => {
    const entries = Array.from({ length: count }, (_, index) => plainEntry(`${index}`)).join('');
    const agents = { bot: `${AGENT_WITH_MEMORY}last_n = 1\nmax_entries = 3\n` };
    const { warnings } = await loaded({ agents, memory: { 'bot.md': entries } });
    expect(warnings).toEqual(
      Array(told).fill({
        code: 'memory-max-entries',
        message: `agent "bot" memory has ${count} entries (max_entries: 3). Run 'axe gc bot' to trim.`,
      }),
    );
  });

  it('gives one warning where it fails, and the run goes on without (000, 4.2)', async () => {
    const { memory, warnings } = await loaded({ restore: { ...FAILED, remedy: 'Run `chmod`.' } });
    expect(memory).toMatchObject({ text: '', restored: { kind: 'failed' } });
    expect(warnings).toEqual([
      {
        code: 'memory-load-failed',
        message: 'failed to load memory for "bot": open /memory/bot.md: permission denied. Run `chmod`.',
      },
    ]);
  });

  it('passes on what the store has to say, also of an empty memory', async () => {
    const said = [{ code: 'memory-store-notice', message: 'a new branch' }] as const;
    const { warnings } = await loaded({ restore: { kind: 'empty', location: 'x', warnings: said } });
    expect(warnings).toEqual(said);
  });

  it('tells when only a part could be loaded', async () => {
    const { warnings } = await loaded({
      restore: {
        kind: 'restored',
        text: plainEntry('a'),
        loaded: 1,
        total: undefined,
        truncated: { fileBytes: 999_999 },
        location: 'x',
        warnings: [],
      },
    });
    expect(warnings).toEqual([
      {
        code: 'memory-truncated',
        message:
          'memory of "bot" holds 999999 bytes; only its newest 1 entries were loaded. Set `last_n` in `[memory]` to choose how many.',
      },
    ]);
  });
});

describe('the entry of a run', () => {
  it("is axe's, with time, task and answer", async () => {
    const { world, plan } = await prepared({}, { readStdin: async () => 'look\nhere' });
    const memory = await restore(plan.agent, plan.memory, world);
    expect(entryOf({ plan, memory, outcome: completed, posted: undefined }, world)).toEqual({
      kind: 'append',
      path: 'bot.md',
      id: 'id1',
      text: '## 2026-02-03T04:05:06Z\n**Task:** look here\n**Result:** All good.\n\n',
    });
  });

  it('begins with what was posted (D9)', async () => {
    const { world, plan } = await prepared({});
    const posted = 'Posted 1 comment: a.ts:3';
    const textOf = (outcome: RunOutcome) =>
      entryOf({ plan, memory: undefined, outcome, posted }, world)?.text ?? '';
    expect(textOf(completed)).toContain('**Result:** Posted 1 comment: a.ts:3\nAll good.\n\n');
    expect(textOf({ ...completed, answer: '' })).toContain('**Result:** Posted 1 comment: a.ts:3\n\n');
  });

  it('holds no secret, neither in the task nor in the answer, and is cut after that (D10, D11)', async () => {
    const secret = 'correct-horse-battery-staple';
    const { world, plan } = await prepared(
      { secrets: [secret] },
      { readStdin: async () => `use ${secret} now` },
    );
    const answer = `${'x'.repeat(985)}${secret} and more`;
    const text = entryOf(
      { plan, memory: undefined, outcome: { ...completed, answer }, posted: undefined },
      world,
    )?.text;
    expect(text).not.toContain('correct-horse');
    expect(text).toMatch(/^\*\*Task:\*\* use \S+ now$/m);
    expect(text).toMatch(/^\*\*Result:\*\* x{985}/m);
  });

  it.each<[string, RunOutcome]>([
    ['failed', { kind: 'failed', error, stats }],
    ['was refused', { kind: 'refused', answer: 'I cannot.', stats }],
    ['ran out of time', { kind: 'exhausted', limit: 'time', answer: 'half', error, stats }],
    ['ran out of turns', { kind: 'exhausted', limit: 'turns', answer: 'half', error, stats }],
  ])('is none for a run that %s (000, 4.4)', async (_, outcome) => {
    const { world, remembered } = await wholeWay({}, outcome);
    expect(remembered).toEqual({ kind: 'nothing' });
    expect(world.memory.size).toBe(0);
    expect(world.steps).not.toContain('write memory');
    expect(world.journaled).toEqual([]);
  });

  it('is none for an agent without memory', async () => {
    const { world, remembered } = await wholeWay({ agents: { bot: AGENT } });
    expect(remembered).toEqual({ kind: 'nothing' });
    expect(world.steps).not.toContain('write memory');
  });
});

describe('an entry after text of the open network was read (D19)', () => {
  const tainted: RunOutcome = {
    kind: 'completed',
    answer: 'So it says.',
    stats: { ...stats, isTainted: true },
  };

  it('stays in the lane that trusted runs do not load, in a workflow', async () => {
    const { world, plan } = await prepared(
      { agents: { bot: AGENT_WITH_MEMORY } },
      { trigger: SCHEDULE, origin: { runId: '1', attempt: '1', job: 'report', sha: '0123456789' } },
    );
    const end = { plan, memory: undefined, posted: undefined };
    expect(entryOf({ ...end, outcome: completed }, world)).toMatchObject({ path: 'bot.md' });
    const entry = entryOf({ ...end, outcome: tainted }, world);
    expect(entry).toMatchObject({ path: 'untrusted/bot.md' });
    expect(entry?.text).toContain(' trust=untrusted ');
  });

  it("stays where it is on somebody's own machine (D18)", async () => {
    const { world, plan } = await prepared({ agents: { bot: AGENT_WITH_MEMORY } });
    expect(entryOf({ plan, memory: undefined, outcome: tainted, posted: undefined }, world)).toMatchObject({
      path: 'bot.md',
    });
  });
});

describe('saving the entry', () => {
  it('appends it, with the journal written before and closed after (D16)', async () => {
    const { world, remembered } = await wholeWay({ memory: { 'bot.md': plainEntry('old') } });
    const text = plainEntry('Execute the task described in your instructions.', 'All good.');
    expect(world.memory.get('bot.md')).toBe(plainEntry('old') + text);
    expect(remembered).toEqual({
      kind: 'entry',
      path: 'bot.md',
      text,
      id: 'id1',
      result: { kind: 'saved', location: '/memory/bot.md', attempts: 1 },
    });
    expect(world.steps.slice(-3)).toEqual(['journal pending', 'write memory', 'journal done']);
    expect(world.journaled).toEqual([[{ kind: 'append', path: 'bot.md', id: 'id1', text }]]);
  });

  it('leaves the journal open where it fails, and warns once (D14)', async () => {
    const save = { kind: 'failed', reason: 'denied', message: 'not allowed', remedy: 'Add `x`.' } as const;
    const { world, remembered } = await wholeWay({ save });
    expect(remembered).toMatchObject({ kind: 'entry', result: save });
    expect(world.steps.slice(-2)).toEqual(['journal pending', 'write memory']);
    expect(world.warnings).toEqual([
      { code: 'memory-save-failed', message: 'failed to save memory for "bot": not allowed. Add `x`.' },
    ]);
  });

  it('adds nothing to a log that could not be read, now or later (D14)', async () => {
    const { world, remembered } = await wholeWay({ restore: FAILED, memory: { 'bot.md': 'unseen' } });
    expect(world.steps).not.toContain('write memory');
    expect(world.memory.get('bot.md')).toBe('unseen');
    expect(world.warnings).toEqual([
      {
        code: 'memory-save-failed',
        message:
          'failed to save memory for "bot": it could not be loaded, so nothing was added to it (open /memory/bot.md: permission denied)',
      },
    ]);
    expect(remembered).toMatchObject({ kind: 'entry', result: { kind: 'failed', reason: 'unavailable' } });
    // What is in the journal, `post` appends after the job.
    expect(world.journaled).toEqual([]);
  });

  it('works without a journal', async () => {
    const { world, plan } = await prepared({});
    const { journal: _none, ...withoutJournal } = world;
    const memory = await restore(plan.agent, plan.memory, world);
    const end = { plan, memory, outcome: completed, posted: undefined };
    expect(await remember(end, withoutJournal)).toMatchObject({ result: { kind: 'saved' } });
  });
});
