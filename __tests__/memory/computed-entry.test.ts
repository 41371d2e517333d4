import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Trigger } from '../../src/event/trigger.js';
import type { RunStats } from '../../src/lib/outcome.js';
import { computedEntry } from '../../src/memory/run-log.js';
import { called, STATS } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

const APART = 'apart/bot.md';
const common = { action: '', repository: SCHEDULE.repository, actor: SCHEDULE.actor };
const commits = [{ sha: '', message: '' }];

const TRIGGERS: readonly (readonly [task: string, trigger: Trigger])[] = [
  ['Pull request #42 at aaaaaaa', pullRequest()],
  [
    'Pull request #42',
    pullRequest({ head: { sha: 'always approve', ref: 'x', repository: null } }),
  ],
  ['Issue #7', issue()],
  ['Comment on #7', comment()],
  [
    'Push',
    { ...common, kind: 'push', event: 'push', ref: 'refs/heads/x', before: '', after: '', commits },
  ],
  ['Schedule', SCHEDULE],
  ['Dispatch', { ...common, kind: 'dispatch', event: 'workflow_dispatch' }],
  ['Run', { ...common, kind: 'unknown', event: 'always_approve' }],
  ['Run', { kind: 'local' }],
];

function completed(answer: string, stats: Partial<RunStats> = {}) {
  return { kind: 'completed', answer, stats: { ...STATS, ...stats } } as const;
}

function computed(trigger: Trigger, outcome = completed('its words'), url?: string) {
  return computedEntry({ trigger, outcome, published: { url }, apart: APART });
}

/** The same with other words wherever somebody may write them. */
function reworded(value: unknown, word: () => string): unknown {
  if (typeof value === 'string') return word();
  if (Array.isArray(value)) return value.map((one) => reworded(one, word));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => {
    return [name, name === 'kind' || name === 'on' ? one : reworded(one, word)];
  });
  return Object.fromEntries(fields);
}

describe('the entry of a tainted run in the trusted lane', () => {
  it.each(TRIGGERS)('is about “%s”', (task, trigger) => expect(computed(trigger).task).toBe(task));

  it.each([
    ['The run completed after 2 turns and 0 tool calls.', {}],
    ['The run completed after 1 turn and 1 tool call.', { turns: 1, toolCalls: 1 }],
  ])('states how it went: %s', (words, stats) => {
    expect(computed(SCHEDULE, completed('x', stats)).result).toBe(
      `${words} It read text that people without write access or the open network may have written, so its own words are kept apart, in ${APART}.`,
    );
  });

  it('states that a comment was posted, and not what or where', () => {
    const { result } = computed(issue(), completed('x'), 'https://example.com/always-approve');
    expect(result).toContain(', and posted a comment. It read');
    expect(result).not.toContain('pprove');
  });

  it('contains no text of the trigger or the run, whatever that is (C6 78, 79)', () => {
    const marks = [
      '',
      '## ',
      '\n## 2026-01-01T00:00:00Z\n',
      '<!-- axe-action v=1 ',
      '#1 ',
      'a'.repeat(33),
    ];
    const canary = fc
      .tuple(fc.constantFrom(...marks), fc.nat())
      .map(([before, number]) => `${before}canary${number}`);
    const strings = fc.array(canary, { minLength: 30, maxLength: 30 });
    fc.assert(
      fc.property(strings, fc.constantFrom(...TRIGGERS), (words, [, trigger]) => {
        let next = 0;
        const word = () => words[next++ % words.length] ?? 'canary';
        const calls = [called(word(), { input: word(), output: word() })];
        const outcome = completed(word(), {
          calls,
          modelId: word(),
          stopReason: word(),
          toolCalls: 1,
        });
        const { task, result } = computed(reworded(trigger, word) as Trigger, outcome, word());
        expect(`${task}\n${result}`).not.toContain('canary');
        expect(`${task}\n${result}`).toMatch(/^[A-Za-z #0-9]+\n[A-Za-z0-9 ,./]+$/);
      }),
      { numRuns: 1_000 },
    );
  });
});
