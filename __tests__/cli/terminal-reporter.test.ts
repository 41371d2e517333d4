import { describe, expect, it } from '@jest/globals';
import { createTerminalReporter } from '../../src/cli/terminal-reporter.js';
import { ProviderError, type Warning } from '../../src/lib/errors.js';
import type { RestoreResult } from '../../src/memory/store.js';
import type { RunEvent } from '../../src/run/dependencies.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { reportOf } from '../helpers/reports.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';

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
    const lines = linesOf(verbose, [
      { code: 'memory-max-entries', message: 'memory is full' },
      {
        code: 'agent-unknown-key',
        message: 'unknown key `modle`',
        at: { file: 'bot.toml', line: 3, column: 1 },
      },
      { code: 'context-truncated', message: 'cut', at: { file: 'a.diff' } },
      { code: 'memory-max-entries', message: 'memory is full' },
    ]);
    expect(lines).toEqual([
      'Warning: memory is full',
      'Warning: unknown key `modle`',
      '  at bot.toml:3:1',
      'Warning: cut',
      '  at a.diff',
    ]);
  });

  it.each<[string, RestoreResult | undefined, readonly string[]]>([
    ['off', undefined, []],
    ['there, all of it counted', RESTORED, ['Memory:   5 entries loaded from /data/bot.md']],
    [
      'there, not counted',
      { ...RESTORED, total: undefined },
      ['Memory:   2 entries loaded from /data/bot.md'],
    ],
    [
      'there, more than fits',
      { ...RESTORED, truncated: { fileBytes: 999 } },
      ['Memory:   2 of 5 entries loaded from /data/bot.md'],
    ],
    ['there without an entry', { ...RESTORED, total: 0 }, ['Memory:   0 entries (no memory file)']],
    [
      'not there',
      { kind: 'empty', location: '/data/bot.md', warnings: [] },
      ['Memory:   0 entries (no memory file)'],
    ],
    [
      'unreadable',
      { kind: 'failed', message: 'no', location: '/data/bot.md' },
      ['Memory:   0 entries (no memory file)'],
    ],
  ])('report that memory is %s', async (_, restored, expected) => {
    const { plan } = await reportOf('planned', { agents: { bot: AGENT } });
    const lines = linesOf(true, [{ kind: 'run-started', plan, restored }]);
    expect(lines.slice(2, 5)).toEqual(['Skill:    (none)', 'Files:    0 file(s)', 'Prompt:   default']);
    expect(lines.slice(7)).toEqual(expected);
  });

  const OVERLOADED = new ProviderError('overloaded', 'come back later');
  const CALLED: RunEvent = { kind: 'sub-agent-called', agent: 'linter', depth: 2, task: 'Lint it.' };
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
      '[fallback] openai/a is out of reach (overloaded), asking ollama/b',
    ],
    [
      { kind: 'too-long', model: 'p/m', windowTokens: 32_768 },
      '[shorten] p/m takes about 32768 tokens, leaving out earlier turns',
    ],
    [
      { ...CALLED, task: 'x'.repeat(80) },
      `[sub-agent] Calling "linter" (depth 2) with task: ${'x'.repeat(80)}`,
    ],
    [
      { ...CALLED, task: 'x'.repeat(81) },
      `[sub-agent] Calling "linter" (depth 2) with task: ${'x'.repeat(80)}...`,
    ],
    [
      { ...CALLED, task: '😀'.repeat(81) },
      `[sub-agent] Calling "linter" (depth 2) with task: ${'😀'.repeat(80)}...`,
    ],
    [
      { ...ENDED, result: { kind: 'failure', detail: 'server: boom' } },
      '[sub-agent] "linter" failed: server: boom',
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
