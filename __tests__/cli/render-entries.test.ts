import { describe, expect, it } from '@jest/globals';
import { renderEntries } from '../../src/cli/memory.js';
import { readEntries } from '../../src/memory/commands/entry.js';
import { formatEntry } from '../../src/memory/run-log.js';

const NOW = Date.UTC(2026, 2, 1, 12);

function render(result: string, { ageMs = 0, width = 60 } = {}): string {
  const text = formatEntry({ timestamp: new Date(NOW - ageMs), task: 'Review it', result });
  return renderEntries(readEntries(text, 'trusted'), { nowMs: NOW, width });
}

describe('entries in a terminal', () => {
  it.each([
    [0, 'just now'],
    [-5_000, 'just now'],
    [59_000, 'just now'],
    [60_000, '1 minute ago'],
    [2 * 3_600_000, '2 hours ago'],
    [36 * 3_600_000, '1 day ago'],
    [15 * 86_400_000, '2 weeks ago'],
    [70 * 86_400_000, '2 months ago'],
    [800 * 86_400_000, '2 years ago'],
  ])('of %d ms ago show %s', (ageMs, shown) => {
    expect(render('x', { ageMs }).split('\n')[0]).toMatch(new RegExp(`^${shown} · \\S+$`));
  });

  it('have their fields below, in lines that fit', () => {
    const lines = render(`${'word '.repeat(20)}\n${'x'.repeat(70)}`).split('\n');
    expect(lines.slice(1)).toEqual([
      '          2026-03-01T12:00:00Z',
      '  Task    Review it',
      `  Result  ${'word '.repeat(10).trimEnd()}`,
      `          ${'word '.repeat(10).trimEnd()}`,
      `          ${'x'.repeat(50)}`,
      `          ${'x'.repeat(20)}`,
    ]);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  });

  it('count wide characters as two columns', () => {
    const lines = render('検'.repeat(40)).split('\n').slice(3);
    expect(lines.map((line) => [...line.trim().replace('Result', '').trim()].length)).toEqual([25, 15]);
  });

  it('show the first lines of a long result and count the rest', () => {
    const lines = render(Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')).split('\n');
    expect(lines.at(-1)).toBe('          … 14 more lines');
  });
});
