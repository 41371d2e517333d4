import { describe, expect, it } from '@jest/globals';
import { pruneState } from '../../../src/axe/review/prune-state.js';

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
    const text = `# State\r\n\r\n- forgotten abc at=${daysAgo(999)}\r\n- withdrawn ${FINGERPRINT} pr=1 path=a rule=b why=answered by=c at=${daysAgo(999)}\r\n- spent broken at=${daysAgo(999)}\r\nA note.`;
    expect(pruneState(text, NOW)).toBe(text);
  });

  it('keeps the latest thousand of what was withdrawn', () => {
    const lines = Array.from({ length: 1003 }, (_, n) => {
      const fingerprint = n.toString(16).padStart(16, '0');
      return `- withdrawn ${fingerprint} pr=1 path=a rule=b why=answered by=c at=${daysAgo(n)}`;
    });
    const kept = pruneState(lines.join('\n'), NOW).split('\n');
    expect(kept).toEqual(lines.slice(0, 1000));
  });

  it('does nothing twice', () => {
    const text = `- spent 1-1 day=2026-01-01 usd=1.00 at=${daysAgo(99)}\n- spent 2-1 day=2026-11-22 usd=1.00 at=${daysAgo(0)}\n`;
    const once = pruneState(text, NOW);
    expect(pruneState(once, NOW)).toBe(once);
    expect(pruneState('', NOW)).toBe('');
  });
});
