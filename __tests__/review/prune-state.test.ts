import { describe, expect, it } from '@jest/globals';
import type { FindingMark } from '../../src/review/marks.js';
import { pruneState } from '../../src/review/prune-state.js';
import { withReviewFacts } from '../../src/review/state-facts.js';
import { back, ended, ID, raised } from './threads.js';

const NOW = new Date('2026-11-22T10:00:00Z');

function daysAgo(days: number): string {
  return new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000).toISOString();
}

/** The line of a mark without its time. */
function lineOf(mark: FindingMark, number = 0): string {
  return `- ${mark.kind} ${mark.id}/${number + 1} ${JSON.stringify(mark)}`;
}

describe('pruning a state', () => {
  it.each<[string, number]>([
    ['- spent 1-1 pr=1 day=2026-01-01 usd=1.00', 35],
    [lineOf(raised()), 180],
    [lineOf(ended()), 180],
    [lineOf(back()), 180],
    ['- posted 1-1 pr=1 ids=7', 180],
    ['- reviewed 1 head=a base=b', 180],
    ['- paused 1 by=octocat', 365],
    ['- resumed 1 by=octocat', 365],
  ])('drops %j after %i days', (line, days) => {
    const [young, old] = [days, days + 1].map((age) => line.replace(/(?: \{.*)?$/, ` at=${daysAgo(age)}$&`));
    expect(pruneState(`${young}\n${old}\n`, NOW)).toBe(`${young}\n`);
  });

  it('keeps facts that do not expire, and every unknown line, byte for byte', () => {
    const text = `# State\r\n\r\n- forgotten abc at=${daysAgo(999)}\r\n- finding ${ID}/1 pr=1 path=a cat=data at=${daysAgo(999)}\r\n- spent broken at=${daysAgo(999)}\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it.each<[string, number, (n: number) => string]>([
    ['raised', 550, (n) => lineOf(raised(), n)],
    ['ended', 600, (n) => lineOf(ended(), n)],
    ['back', 250, (n) => lineOf(back(), n)],
    ['posted', 900, (n) => `- posted ${n}-1 pr=1 ids=7`],
    ['reviewed', 600, (n) => `- reviewed ${n + 1} head=a base=b`],
    ['spent', 1300, (n) => `- spent ${n}-1 pr=1 day=2026-11-22 usd=1.00`],
    ['paused', 200, (n) => `- paused ${n + 1} by=octocat`],
  ])('keeps of %s at most the latest %i', (_, most, line) => {
    const lines = Array.from({ length: most + 5 }, (__, n) =>
      line(n).replace(/(?: \{.*)?$/, ` at=${daysAgo(n / 1000)}$&`),
    );
    const others = `# State\n- forgotten abc\n- resumed 1 by=octocat at=${daysAgo(0)}`;
    expect(pruneState([others, ...lines.toReversed()].join('\n'), NOW)).toBe(
      [others, ...lines.slice(0, most).toReversed()].join('\n'),
    );
  });

  it('leaves a state of the busiest repository that the cache can hold', () => {
    const path = 'packages/a-package-with-a-name/src/components/forms/login.tsx';
    const title = 'The session outlives the person who signed out in another tab';
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 2000 }, (_, n) => {
      const at = new Date(daysAgo(n / 1000));
      const id = n.toString(16).padStart(16, '0');
      const person = { by: 'person', why: 'thumbs-down', login: 'octocat', state: 'dismissed' } as const;
      const marks = [
        raised({
          id,
          path,
          title,
          severity: 'critical',
          thread: 'PRRT_kwDOABCDEF4AbCdE',
          comment: 1_234_567_890,
        }),
        ended({ id, ...person }),
        back({ id, path, severity: 'critical', by: 'person', login: 'octocat' }),
      ];
      return [
        { kind: 'reviewed', pull: n + 1, head: sha, base: sha, into: 'main', at } as const,
        ...marks.map((mark) => ({ kind: 'mark', mark: { ...mark, pull: n + 1 }, at }) as const),
        {
          kind: 'spent',
          run: `01m8k2zq8w4v6x-${n}`,
          pull: n + 1,
          day: '2026-11-22',
          usd: 0.123456,
          at,
        } as const,
        {
          kind: 'posted',
          run: `01m8k2zq8w4v6x-${n}`,
          pull: n + 1,
          ids: [1_234_567_890, 1_234_567_891],
          at,
        } as const,
      ];
    }).flat();
    expect(pruneState(withReviewFacts('', lines), NOW).length).toBeLessThan(768 * 1024);
  });

  it('changes nothing the second time', () => {
    const text = `- spent 1-1 day=2026-01-01 usd=1.00 at=${daysAgo(99)}\n- spent 2-1 day=2026-11-22 usd=1.00 at=${daysAgo(0)}\n`;
    const once = pruneState(text, NOW);
    expect(pruneState(once, NOW)).toBe(once);
    expect(pruneState('', NOW)).toBe('');
  });
});
