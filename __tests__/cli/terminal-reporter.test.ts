import { describe, expect, it } from '@jest/globals';
import { colorsFor, programName } from '../../src/cli/terminal.js';
import { createStatusLine, createTerminalReporter } from '../../src/cli/terminal-reporter.js';
import { ProviderError, type Warning } from '../../src/lib/errors.js';
import type { RestoreResult } from '../../src/memory/store.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { memoryOf, reportOf, STATS } from '../helpers/reports.js';
import { createFakeScreen, createFakeTerminal } from '../helpers/terminal-fake.js';

/** The lines a reporter writes for these events and warnings. */
function linesOf(verbose: boolean, told: readonly (RunEvent | Warning)[]): readonly string[] {
  const terminal = createFakeTerminal();
  const reporter = createTerminalReporter(terminal, verbose);
  for (const one of told) {
    if ('kind' in one) reporter.event(one);
    else reporter.warn(one);
  }
  return terminal.talk().split('\n').slice(0, -1);
}

const RESTORED = {
  kind: 'restored',
  text: '',
  loaded: 2,
  total: 5,
  truncated: undefined,
  location: '/data/bot.md',
  warnings: [],
} as const;

describe('the messages of a run', () => {
  it.each([true, false])('include every warning once, with its place (verbose: %p)', (verbose) => {
    const at = { file: 'bot.toml', line: 3, column: 1 };
    const lines = linesOf(verbose, [
      { code: 'memory-max-entries', message: 'memory is full' },
      { code: 'agent-unknown-key', message: 'unknown key `modle`', at },
      { code: 'context-truncated', message: 'cut', at: { file: 'a.diff' } },
      { code: 'memory-max-entries', message: 'memory is full' },
    ]);
    expect(lines).toEqual([
      'Warning: memory is full',
      ...['Warning: unknown key `modle`', '  at bot.toml:3:1'],
      ...['Warning: cut', '  at a.diff'],
    ]);
  });

  const NONE = '0 entries (no memory file)';

  it.each<[string, RestoreResult, string]>([
    ['all of it', RESTORED, '5 entries loaded from /data/bot.md'],
    [
      'too much',
      { ...RESTORED, truncated: { fileBytes: 999 } },
      '2 of 5 entries loaded from /data/bot.md',
    ],
    ['without an entry', { ...RESTORED, total: 0 }, NONE],
    ['unreadable', { kind: 'failed', message: 'no', location: '/data/bot.md' }, NONE],
  ])('tell of memory that is %s', async (_, restored, expected) => {
    const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
    const lines = linesOf(true, [{ kind: 'run-started', plan, memory: memoryOf(restored) }]);
    expect(lines.slice(2, 5)).toEqual([
      'Skill:    (none)',
      'Files:    0 file(s)',
      'Prompt:   default',
    ]);
    expect(lines.slice(7)).toEqual([`Memory:   ${expected}`]);
    expect(linesOf(true, [{ kind: 'run-started', plan, memory: undefined }]).slice(7)).toEqual([]);
  });

  const OVERLOADED = new ProviderError('overloaded', 'come back later');
  const CALLING = '[sub-agent] Calling "linter" (depth 2) with task: ';
  const CALLED: RunEvent = {
    kind: 'sub-agent-called',
    agent: 'linter',
    depth: 2,
    task: 'Lint it.',
  };
  const ENDED: Extract<RunEvent, { kind: 'sub-agent-ended' }> = {
    kind: 'sub-agent-ended',
    agent: 'linter',
    durationMs: 42,
    result: { kind: 'answer', text: 'All fine.' },
  };

  it.each<[RunEvent, string]>([
    [
      { kind: 'retry', attempt: 1, maxRetries: 2, error: OVERLOADED, delayMs: 512 },
      '[retry] Attempt 1/2 after overloaded, waiting 512ms',
    ],
    [
      { kind: 'fallback', from: 'openai/a', to: 'ollama/b', error: OVERLOADED },
      'openai/a cannot be reached; asking ollama/b',
    ],
    [{ ...CALLED, task: 'x'.repeat(80) }, `${CALLING}${'x'.repeat(80)}`],
    [{ ...CALLED, task: '😀'.repeat(81) }, `${CALLING}${'😀'.repeat(80)}...`],
    [
      { ...ENDED, result: { kind: 'failure', detail: 'it broke' } },
      '[sub-agent] "linter" failed: it broke',
    ],
    [
      { ...ENDED, result: { kind: 'part', text: 'So f', detail: 'the answer was cut' } },
      '[sub-agent] "linter" completed in 42ms (4 chars returned, incomplete: the answer was cut)',
    ],
  ])('include %j too when requested (axe-behaviour §17)', (event, line) => {
    expect(linesOf(true, [event])).toEqual([line]);
    expect(linesOf(false, [event])).toEqual([]);
  });
});

function open(columns = 100) {
  const screen = createFakeScreen(columns);
  const status = createStatusLine({ stderr: screen.stream, env: {} });
  if (status === undefined) throw new Error('there is no status');
  return { screen, status };
}

async function started(): Promise<RunEvent> {
  const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
  return { kind: 'run-started', plan, memory: undefined };
}

const ASKS: RunEvent = { kind: 'model-request', turn: 1, messages: 1, toolResults: 0, tools: 2 };
const HELPS: RunEvent = { kind: 'sub-agent-called', agent: 'helper', depth: 1, task: 'x' };
const READS: RunEvent = {
  kind: 'tool-started',
  turn: 1,
  tool: 'read_file',
  input: { path: 'src/auth.ts' },
};

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
      'a target with control characters',
      [ASKS, { ...READS, tool: 'run_command', input: { command: 'ls\n\u001b[31mrm' } }],
      'turn 1 · run_command ls rm',
    ],
    [
      'another model',
      [{ kind: 'fallback', from: 'a/b', to: 'openrouter/x/y', error: new Error() as never }, ASKS],
      'openrouter/x/y · turn 1 · thinking',
    ],
    ['a sub-agent', [ASKS, HELPS], 'turn 1 · asking helper'],
  ])('names %s', (_, events, line) => {
    const { screen, status } = open();
    for (const event of events) status.event(event);
    expect(screen.line()).toBe(line);
  });

  it.each<[string, { readonly isTTY: boolean }, Record<string, string>]>([
    ['a pipe', { isTTY: false }, {}],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }],
    ['CI', { isTTY: true }, { CI: 'true' }],
  ])('is not there in %s', (_, stream, env) => {
    const stderr = Object.assign(createFakeScreen(100).stream, stream);
    expect(createStatusLine({ stderr, env })).toBeUndefined();
  });

  it('stays below other output, and goes when it is cleared', () => {
    const { screen, status } = open();
    const reporter = createTerminalReporter(
      { stderr: screen.stream, env: { NO_COLOR: '1' } },
      true,
      status,
    );
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
    const figures = {
      turns: 3,
      inputTokens: 24_000,
      outputTokens: 730,
      costUsd: 0.09,
      durationMs: 12_900,
    };
    status.event(ASKS);
    status.done({ kind, answer: 'x', stats: { ...STATS, ...figures } });
    expect([screen.kept(), screen.line()]).toEqual([kept, '']);
  });
});

it.each([
  ['/usr/local/bin/axe', 'axe'],
  ['/usr/local/bin/axe-action', 'axe-action'],
  ['/work/dist/cli/index.js', 'axe-action'],
  [undefined, 'axe-action'],
])('the program started as %j calls itself %s', (script, name) => {
  expect(programName(script)).toBe(name);
});

it.each<[string, { readonly isTTY?: boolean }, Record<string, string>, boolean]>([
  ['a terminal has colours', { isTTY: true }, {}, true],
  ['a pipe has none', {}, {}, false],
  ['NO_COLOR takes them away', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR says nothing', { isTTY: true }, { NO_COLOR: '' }, true],
  ['a dumb terminal has none', { isTTY: true }, { TERM: 'dumb' }, false],
])('%s', (_, stream, env, expected) => {
  expect(colorsFor(stream, env).red('x') !== 'x').toBe(expected);
});
