import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLiveStatus, type LiveStatus } from '../../src/cli/live-status.js';
import { createTerminalReporter } from '../../src/cli/terminal-reporter.js';
import type { RunEvent } from '../../src/core/dependencies.js';
import type { RunOutcome } from '../../src/core/outcome.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { createFakeScreen } from '../helpers/fake-screen.js';
import { setProcessEnv } from '../helpers/process-env.js';
import { reportOf, STATS } from '../helpers/reports.js';

const statuses: LiveStatus[] = [];

// The spinner looks there whether somebody watches.
beforeEach(() => setProcessEnv({ CI: undefined, TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: undefined }));
afterEach(() => {
  for (const status of statuses.splice(0)) status.stop();
});

function open({ columns = 100, env = {}, verbose = false } = {}) {
  const screen = createFakeScreen(columns);
  const interrupts: (() => void)[] = [];
  const time = { ms: 0 };
  const status = createLiveStatus(
    { stderr: screen.stream, env, onInterrupt: (listener) => void interrupts.push(() => listener('SIGINT')) },
    { now: () => time.ms, verbose },
  );
  if (status === undefined) throw new Error('there is no status');
  statuses.push(status);
  return { screen, status, time, interrupt: () => interrupts.forEach((one) => void one()) };
}

async function started(): Promise<RunEvent> {
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  return { kind: 'run-started', plan, restored: undefined };
}

const ASKS: RunEvent = { kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 2 };
const USED: RunEvent = {
  kind: 'tokens-used',
  use: { input: 12_000, output: 480, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0.0432,
};
const READS: RunEvent = { kind: 'tool-started', turn: 1, tool: 'read_file', input: { path: 'src/auth.ts' } };
const HAS_READ: RunEvent = {
  kind: 'tool-call',
  turn: 1,
  tool: 'read_file',
  input: {},
  isError: false,
  durationMs: 3,
};

/** The line without the sign that turns. */
const shown = ({ line }: { line(): string }) => line().replace(/^\S /, '');

describe('the status line', () => {
  it('shows model, turn, tool and its target, time, tokens and cost', async () => {
    const { screen, status, time } = open();
    expect(shown(screen)).toBe('starting · 0 s');
    status.event(await started());
    status.event(ASKS);
    expect(shown(screen)).toBe('m · turn 1 · thinking · 0 s');
    time.ms = 12_400;
    status.event(USED);
    status.event(READS);
    expect(shown(screen)).toBe('m · turn 1 · read_file src/auth.ts · 12 s · 12,480 tokens · $0.0432');
    status.event(HAS_READ);
    time.ms = 61_000;
    status.event({ ...ASKS, turn: 2 });
    expect(shown(screen)).toBe('m · turn 2 · thinking · 1 min 1 s · 12,480 tokens · $0.0432');
    expect(screen.kept()).toEqual([]);
  });

  it.each<[string, readonly RunEvent[], string]>([
    [
      'calls at the same time',
      [ASKS, READS, { ...READS, tool: 'url_fetch', input: { url: 'https://example.com' } }],
      'turn 1 · url_fetch https://example.com and 1 more · 0 s',
    ],
    [
      'a call without a target',
      [ASKS, { ...READS, tool: 'submit_review', input: { summary: 'x' } }],
      'turn 1 · submit_review · 0 s',
    ],
    ['arguments that are not an object', [ASKS, { ...READS, input: undefined }], 'turn 1 · read_file · 0 s'],
    [
      'a target with control characters',
      [ASKS, { ...READS, tool: 'run_command', input: { command: 'ls\n\u001b[31mrm' } }],
      'turn 1 · run_command ls rm · 0 s',
    ],
    [
      'another model',
      [{ kind: 'fallback', from: 'a/b', to: 'openrouter/x/y', error: new Error() as never }, ASKS],
      'x/y · turn 1 · thinking · 0 s',
    ],
    [
      'a sub-agent',
      [ASKS, { kind: 'sub-agent-called', agent: 'helper', depth: 1, task: 'x' }],
      'turn 1 · asking helper · 0 s',
    ],
  ])('names %s', (_, events, line) => {
    const { screen, status } = open();
    for (const event of events) status.event(event);
    expect(shown(screen)).toBe(line);
  });

  it('fits into a narrow window', async () => {
    const { screen, status } = open({ columns: 30 });
    status.event(await started());
    status.event({ ...READS, input: { path: 'src/a/very/long/path/to/some/file.ts' } });
    expect(screen.line().length).toBeLessThanOrEqual(30);
    expect(screen.line()).toMatch(/…$/);
  });

  it('stays below other output', () => {
    const { screen, status } = open();
    const reporter = createTerminalReporter({
      write: (line) => screen.stream.write(`${line}\n`),
      verbose: true,
      status,
    });
    reporter.event(ASKS);
    reporter.warn({ code: 'memory-max-entries', message: 'memory is full' });
    expect(screen.kept()).toEqual([
      '[turn 1] Sending request (1 messages, 0 tool calls pending)',
      'Warning: memory is full',
    ]);
    expect(shown(screen)).toBe('turn 1 · thinking · 0 s');
  });

  it('leaves a line with what a completed run used, and the cursor', () => {
    const { screen, status } = open();
    const outcome: RunOutcome = {
      kind: 'completed',
      answer: 'x',
      stats: {
        ...STATS,
        turns: 3,
        inputTokens: 24_000,
        outputTokens: 730,
        costUsd: 0.09,
        durationMs: 12_900,
      },
    };
    expect(screen.isCursorHidden).toBe(true);
    status.done(outcome);
    expect(screen.kept()).toEqual([`✔ ${STATS.modelId} · 3 turns · 12 s · 24,730 tokens · $0.09`]);
    expect([screen.line(), screen.isCursorHidden]).toEqual(['', false]);
  });

  it.each(['failed', 'stopped', 'verbose'] as const)('leaves nothing but the cursor: %s', (how) => {
    const { screen, status } = open({ verbose: how === 'verbose' });
    if (how === 'stopped') status.stop();
    else if (how === 'verbose') status.done({ kind: 'completed', answer: 'x', stats: STATS });
    else status.done({ kind: 'refused', answer: 'x', stats: STATS });
    expect([screen.kept(), screen.line(), screen.isCursorHidden]).toEqual([[], '', false]);
  });

  it('shows that the run is stopping when it is interrupted', () => {
    const { screen, status, interrupt } = open();
    status.event(ASKS);
    interrupt();
    expect(shown(screen)).toBe('turn 1 · stopping · 0 s');
  });
});

describe('the status line is not shown', () => {
  it.each<[string, boolean, Record<string, string>]>([
    ['in a pipe', false, {}],
    ['in CI', true, { CI: 'true' }],
    ['on a dumb terminal', true, { TERM: 'dumb' }],
  ])('%s', (_, isTTY, env) => {
    const { stream } = createFakeScreen();
    const stderr = Object.assign(stream, { isTTY });
    const listening = process.listenerCount('exit');
    const status = createLiveStatus(
      { stderr, env, onInterrupt: () => undefined },
      { now: () => 0, verbose: false },
    );
    expect(status).toBeUndefined();
    expect(process.listenerCount('exit')).toBe(listening);
  });
});
