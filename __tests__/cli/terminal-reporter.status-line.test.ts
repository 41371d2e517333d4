import { describe, expect, it } from '@jest/globals';
import { createStatusLine, createTerminalReporter } from '../../src/cli/terminal-reporter.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { createFakeScreen } from '../helpers/fake-screen.js';
import { reportOf, STATS } from '../helpers/reports.js';

function open(columns = 100) {
  const screen = createFakeScreen(columns);
  const status = createStatusLine({ stderr: screen.stream, env: {} });
  if (status === undefined) throw new Error('there is no status');
  return { screen, status };
}

async function started(): Promise<RunEvent> {
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  return { kind: 'run-started', plan, restored: undefined };
}

const ASKS: RunEvent = { kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 2 };
const READS: RunEvent = { kind: 'tool-started', turn: 1, tool: 'read_file', input: { path: 'src/auth.ts' } };

describe('the status line', () => {
  it('shows model, turn, tool and its target', async () => {
    const { screen, status } = open();
    expect(screen.line()).toBe('');
    status.event(await started());
    expect(screen.line()).toBe('m · starting');
    status.event(ASKS);
    expect(screen.line()).toBe('m · turn 1 · thinking');
    status.event(READS);
    expect(screen.line()).toBe('m · turn 1 · read_file src/auth.ts');
    expect(screen.kept()).toEqual([]);
  });

  it.each<[string, readonly RunEvent[], string]>([
    [
      'a call without a target',
      [ASKS, { ...READS, tool: 'submit_review', input: { summary: 'x' } }],
      'turn 1 · submit_review',
    ],
    ['arguments that are not an object', [ASKS, { ...READS, input: undefined }], 'turn 1 · read_file'],
    [
      'a target with control characters',
      [ASKS, { ...READS, tool: 'run_command', input: { command: 'ls\n\u001b[31mrm' } }],
      'turn 1 · run_command ls rm',
    ],
    [
      'another model',
      [{ kind: 'fallback', from: 'a/b', to: 'openrouter/x/y', error: new Error() as never }, ASKS],
      'openrouter/x/y · turn 1 · thinking',
    ],
    [
      'a sub-agent',
      [ASKS, { kind: 'sub-agent-called', agent: 'helper', depth: 1, task: 'x' }],
      'turn 1 · asking helper',
    ],
  ])('names %s', (_, events, line) => {
    const { screen, status } = open();
    for (const event of events) status.event(event);
    expect(screen.line()).toBe(line);
  });

  it('stays below other output, and goes when it is cleared', () => {
    const { screen, status } = open();
    const reporter = createTerminalReporter({ stderr: screen.stream, env: { NO_COLOR: '1' } }, true, status);
    reporter.event(ASKS);
    reporter.warn({ code: 'memory-max-entries', message: 'memory is full' });
    reporter.event(READS);
    expect(screen.kept()).toEqual([
      '[turn 1] Sending request (1 messages, 0 tool calls pending)',
      'Warning: memory is full',
    ]);
    expect(screen.line()).toBe('turn 1 · read_file src/auth.ts');
    status.clear();
    expect(screen.line()).toBe('');
  });

  it.each([
    ['completed', [`✔ ${STATS.modelId} · 3 turns · 13 s · 24,730 tokens · $0.09`]],
    ['refused', []],
  ] as const)('leaves what a run used that is %s', (kind, kept) => {
    const { screen, status } = open();
    const figures = { turns: 3, inputTokens: 24_000, outputTokens: 730, costUsd: 0.09, durationMs: 12_900 };
    status.event(ASKS);
    status.done({ kind, answer: 'x', stats: { ...STATS, ...figures } });
    expect([screen.kept(), screen.line()]).toEqual([kept, '']);
  });
});
