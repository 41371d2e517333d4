import { describe, expect, it } from '@jest/globals';
import { withFacts } from '../../src/memory/state.js';
import { pruneState } from '../../src/review/prune-state.js';
import { markFacts } from '../../src/review/state-facts.js';
import { back, ended, raised } from './threads.js';

const NOW = new Date('2026-11-22T10:00:00Z');

function daysAgo(days: number): number {
  return NOW.getTime() - days * 24 * 60 * 60 * 1000;
}

const line = (fact: object) => `- ${JSON.stringify(fact)}`;

describe('pruning a state', () => {
  it.each<[object, number]>([
    [{ kind: 'spent', id: '1-1', pull: 1, day: '2026-01-01', usd: 1 }, 35],
    [{ ...raised(), pull: 1 }, 180],
    [{ ...ended(), pull: 1 }, 180],
    [{ ...back(), pull: 1 }, 180],
    [{ kind: 'posted', id: '1-1', pull: 1, ids: [7] }, 180],
    [{ kind: 'reviewed', pull: 1, head: 'a', base: 'b' }, 180],
    [{ kind: 'paused', pull: 1, by: 'octocat' }, 365],
    [{ kind: 'resumed', pull: 1, by: 'octocat' }, 365],
  ])('drops %j after %i days', (fact, days) => {
    const [young, old] = [days, days + 1].map((age) => line({ ...fact, at: daysAgo(age) }));
    expect(pruneState(`${young}\n${old}\n`, NOW)).toBe(`${young}\n`);
  });

  it('keeps every unknown line, byte for byte', () => {
    const at = daysAgo(999);
    const unknown = [
      { kind: 'forgotten', id: 'abc', at },
      { kind: 'spent', id: 'broken', at },
    ].map(line);
    const text = `# State\r\n\r\n${unknown.join('\r\n')}\r\n- spent broken\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it.each<[string, number, (n: number) => object]>([
    ['raised', 550, (n) => ({ ...raised(), pull: n + 1 })],
    ['ended', 600, (n) => ({ ...ended(), pull: n + 1 })],
    ['back', 250, (n) => ({ ...back(), pull: n + 1 })],
    ['posted', 900, (n) => ({ kind: 'posted', id: `${n}-1`, pull: 1, ids: [7] })],
    ['reviewed', 600, (n) => ({ kind: 'reviewed', pull: n + 1, head: 'a', base: 'b' })],
    ['spent', 1300, (n) => ({ kind: 'spent', id: `${n}-1`, pull: 1, day: '2026-11-22', usd: 1 })],
    ['paused', 200, (n) => ({ kind: 'paused', pull: n + 1, by: 'octocat' })],
  ])('keeps of %s at most the latest %i', (_, most, fact) => {
    const lines = Array.from({ length: most + 5 }, (__, n) => line({ ...fact(n), at: daysAgo(n / 1000) }));
    const others = `# State\n- forgotten abc\n${line({ kind: 'resumed', pull: 1, by: 'octocat', at: daysAgo(0) })}`;
    expect(pruneState([others, ...lines.toReversed()].join('\n'), NOW)).toBe(
      [others, ...lines.slice(0, most).toReversed()].join('\n'),
    );
  });

  it('leaves a state of the busiest repository that the cache can hold', () => {
    const path = 'packages/a-package-with-a-name/src/components/forms/login.tsx';
    const title = 'The session outlives the person who signed out in another tab';
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 2000 }, (_, n) => {
      const at = daysAgo(n / 1000);
      const id = n.toString(16).padStart(16, '0');
      const person = { by: 'person', why: 'thumbs-down', login: 'octocat', state: 'dismissed' } as const;
      const marks = [
        raised({
          id,
          at,
          path,
          title,
          severity: 'critical',
          thread: 'PRRT_kwDOABCDEF4AbCdE',
          comment: 1_234_567_890,
        }),
        ended({ id, at, ...person }),
        back({ id, at, path, severity: 'critical', by: 'person', login: 'octocat' }),
      ];
      return [
        { kind: 'reviewed', pull: n + 1, head: sha, base: sha, into: 'main', at } as const,
        ...markFacts(marks, n + 1),
        {
          kind: 'spent',
          id: `01m8k2zq8w4v6x-${n}`,
          pull: n + 1,
          day: '2026-11-22',
          usd: 0.123456,
          at,
        } as const,
        {
          kind: 'posted',
          id: `01m8k2zq8w4v6x-${n}`,
          pull: n + 1,
          ids: [1_234_567_890, 1_234_567_891],
          at,
        } as const,
      ];
    }).flat();
    expect(pruneState(withFacts('', lines), NOW).length).toBeLessThan(768 * 1024);
  });

  it('changes nothing the second time', () => {
    const spent = { kind: 'spent', id: '1-1', day: '2026-01-01', usd: 1, at: daysAgo(99) };
    const text = withFacts('', [spent, { ...spent, id: '2-1', at: daysAgo(0) }]);
    const once = pruneState(text, NOW);
    expect(pruneState(once, NOW)).toBe(once);
    expect(pruneState('', NOW)).toBe('');
  });
});
