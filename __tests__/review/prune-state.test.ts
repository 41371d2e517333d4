import { describe, expect, it } from '@jest/globals';
import { pruneState } from '../../src/review/prune-state.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const ID = '0123456789abcdef';

function daysAgo(days: number): string {
  return new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000).toISOString();
}

describe('pruning a state', () => {
  it.each<[string, number]>([
    ['- spent 1-1 pr=1 day=2026-01-01 usd=1.00', 35],
    [`- finding ${ID}/1 pr=1 path=a cat=data sev=nit`, 180],
    [`- finding ${ID}/1 pr=1 path=a rule=b`, 180],
    [`- ended ${ID}/1 pr=1 path=a cat=data how=settled why=fixed by=c`, 180],
    [`- withdrawn ${ID} pr=1 path=a rule=b why=reply by=c`, 180],
    [`- lesson ${ID} pr=1 path=a cat=data strength=1 sk=AAAA code=b by=c`, 180],
    ['- reviewed 1 head=a base=b', 180],
    ['- paused 1 by=octocat', 365],
    ['- resumed 1 by=octocat', 365],
  ])('drops %j after %i days', (line, days) => {
    const young = `${line} at=${daysAgo(days)}`;
    const old = `${line} at=${daysAgo(days + 1)}`;
    expect(pruneState(`${young}\n${old}\n`, NOW)).toBe(`${young}\n`);
  });

  it('keeps facts that do not expire, and every unknown line, byte for byte', () => {
    const text = `# State\r\n\r\n- forgotten abc at=${daysAgo(999)}\r\n- withdrawn ${ID} pr=1 path=a rule=b why=bribed by=c at=${daysAgo(999)}\r\n- spent broken at=${daysAgo(999)}\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it.each<[string, number, (n: number) => string]>([
    ['finding', 800, (n) => `finding ${ID}/${n + 1} pr=${n + 1} path=a cat=data`],
    ['ended', 700, (n) => `ended ${ID}/${n + 1} pr=${n + 1} path=a cat=data how=settled why=gone by=`],
    ['lesson', 300, (n) => `lesson ${n.toString(16).padStart(16, '0')} pr=1 path=a cat=data strength=1`],
    ['reviewed', 1000, (n) => `reviewed ${n + 1} head=a base=b`],
    ['spent', 2000, (n) => `spent ${n}-1 pr=1 day=2026-11-22 usd=1.00`],
    ['paused', 200, (n) => `paused ${n + 1} by=octocat`],
  ])('keeps of %s at most the latest %i', (_, most, line) => {
    const lines = Array.from({ length: most + 5 }, (__, n) => `- ${line(n)} at=${daysAgo(n / 1000)}`);
    const others = `# State\n- forgotten abc\n- resumed 1 by=octocat at=${daysAgo(0)}`;
    expect(pruneState([others, ...lines.toReversed()].join('\n'), NOW)).toBe(
      [others, ...lines.slice(0, most).toReversed()].join('\n'),
    );
  });

  it('leaves a state of the busiest repository that the cache can hold', () => {
    const long = encodeURIComponent('packages/a-package-with-a-name/src/components/forms/login.tsx');
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 20_000 }, (_, n) => {
      const id = n.toString(16).padStart(16, '0');
      const at = `at=${daysAgo(n / 1000)}`;
      return [
        `- reviewed ${n + 1} head=${sha} base=${sha} into=main ${at}`,
        `- finding ${id}/${n + 1} pr=${n + 1} path=${long} cat=error-handling sev=critical ${at}`,
        `- ended ${id}/${n + 1} pr=${n + 1} path=${long} cat=error-handling how=dismissed why=thumbs-down by=octocat ${at}`,
        `- lesson ${id} pr=${n + 1} path=${long} cat=error-handling strength=0.5 sk=${'A'.repeat(128)} code=${id} by=octocat ${at}`,
        `- spent 01m8k2zq8w4v6x-${n} pr=${n + 1} day=2026-11-22 usd=0.123456 ${at}`,
      ].join('\n');
    });
    expect(pruneState(lines.join('\n'), NOW).length).toBeLessThan(768 * 1024);
  });

  it('changes nothing the second time', () => {
    const text = `- spent 1-1 day=2026-01-01 usd=1.00 at=${daysAgo(99)}\n- spent 2-1 day=2026-11-22 usd=1.00 at=${daysAgo(0)}\n`;
    const once = pruneState(text, NOW);
    expect(pruneState(once, NOW)).toBe(once);
    expect(pruneState('', NOW)).toBe('');
  });
});
