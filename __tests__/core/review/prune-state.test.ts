import { describe, expect, it } from '@jest/globals';
import { pruneState } from '../../../src/core/review/prune-state.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const FINGERPRINT = '0123456789abcdef';

function daysAgo(days: number): string {
  return new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000).toISOString();
}

describe('pruning a state', () => {
  it.each<[string, number]>([
    ['- spent 1-1 pr=1 day=2026-01-01 usd=1.00', 35],
    [`- finding ${FINGERPRINT}/1 pr=1 path=a rule=b`, 90],
    ['- reviewed 1 head=a base=b', 180],
    ['- paused 1 by=octocat', 365],
    ['- resumed 1 by=octocat', 365],
  ])('drops %j after %i days', (line, days) => {
    const young = `${line} at=${daysAgo(days)}`;
    const old = `${line} at=${daysAgo(days + 1)}`;
    expect(pruneState(`${young}\n${old}\n`, NOW)).toBe(`${young}\n`);
  });

  it('keeps what does not grow old, and every line that is not its own, byte for byte', () => {
    const text = `# State\r\n\r\n- forgotten abc at=${daysAgo(999)}\r\n- withdrawn ${FINGERPRINT} pr=1 path=a rule=b why=reply by=c at=${daysAgo(999)}\r\n- spent broken at=${daysAgo(999)}\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it('keeps the latest thousand of what was withdrawn', () => {
    const lines = Array.from({ length: 1003 }, (_, n) => {
      const fingerprint = n.toString(16).padStart(16, '0');
      return `- withdrawn ${fingerprint} pr=1 path=a rule=b why=reply by=c at=${daysAgo(n)}`;
    });
    const kept = pruneState(lines.join('\n'), NOW).split('\n');
    expect(kept).toEqual(lines.slice(0, 1000));
  });

  it.each<[string, number, (n: number) => string]>([
    ['finding', 1500, (n) => `finding ${FINGERPRINT}/${n + 1} pr=${n + 1} path=a rule=b`],
    ['reviewed', 1000, (n) => `reviewed ${n + 1} head=a base=b`],
    ['spent', 2000, (n) => `spent ${n}-1 pr=1 day=2026-11-22 usd=1.00`],
    ['paused', 200, (n) => `paused ${n + 1} by=octocat`],
  ])('keeps of %s no more than the latest %i', (_, most, line) => {
    const lines = Array.from({ length: most + 5 }, (__, n) => `- ${line(n)} at=${daysAgo(n / 1000)}`);
    const others = `# State\n- forgotten abc\n- resumed 1 by=octocat at=${daysAgo(0)}`;
    expect(pruneState([others, ...lines.toReversed()].join('\n'), NOW)).toBe(
      [others, ...lines.slice(0, most).toReversed()].join('\n'),
    );
  });

  it('leaves of the busiest repository what the cache can hold', () => {
    const long = encodeURIComponent('packages/a-package-with-a-name/src/components/forms/login.tsx');
    const sha = 'a'.repeat(40);
    const lines = Array.from({ length: 20_000 }, (_, n) => {
      const fingerprint = n.toString(16).padStart(16, '0');
      const at = `at=${daysAgo(n / 1000)}`;
      return [
        `- reviewed ${n + 1} head=${sha} base=${sha} into=main ${at}`,
        `- finding ${fingerprint}/${n + 1} pr=${n + 1} path=${long} rule=unchecked-return-value ${at}`,
        `- spent 01m8k2zq8w4v6x-${n} pr=${n + 1} day=2026-11-22 usd=0.123456 ${at}`,
      ].join('\n');
    });
    expect(pruneState(lines.join('\n'), NOW).length).toBeLessThan(768 * 1024);
  });

  it('does nothing twice', () => {
    const text = `- spent 1-1 day=2026-01-01 usd=1.00 at=${daysAgo(99)}\n- spent 2-1 day=2026-11-22 usd=1.00 at=${daysAgo(0)}\n`;
    const once = pruneState(text, NOW);
    expect(pruneState(once, NOW)).toBe(once);
    expect(pruneState('', NOW)).toBe('');
  });
});
