import { describe, expect, it } from '@jest/globals';
import {
  type FatedFinding,
  findingStats,
  formatStatsChart,
  formatStatsTables,
} from '../../../src/core/findings/stats.js';

const FINDINGS: readonly FatedFinding[] = [
  { category: 'test', fate: 'dismissed', at: new Date('2026-09-30T23:59:59Z') },
  { category: 'security', fate: 'acted-on', at: new Date('2026-11-02T10:00:00Z') },
  { category: 'security', fate: 'acted-on', at: new Date('2026-11-03T10:00:00Z') },
  { category: 'security', fate: 'unanswered', at: new Date('2026-11-04T10:00:00Z') },
];

describe('findingStats', () => {
  it('counts by category and month, including months without findings', () => {
    expect(findingStats(FINDINGS)).toEqual({
      categories: [
        { name: 'security', fates: { 'acted-on': 2, dismissed: 0, unanswered: 1 }, total: 3 },
        { name: 'test', fates: { 'acted-on': 0, dismissed: 1, unanswered: 0 }, total: 1 },
      ],
      months: [
        { name: '2026-09', fates: { 'acted-on': 0, dismissed: 1, unanswered: 0 }, total: 1 },
        { name: '2026-10', fates: { 'acted-on': 0, dismissed: 0, unanswered: 0 }, total: 0 },
        { name: '2026-11', fates: { 'acted-on': 2, dismissed: 0, unanswered: 1 }, total: 3 },
      ],
      all: { name: 'all', fates: { 'acted-on': 2, dismissed: 1, unanswered: 1 }, total: 4 },
    });
  });

  it('names the last twelve months, across a new year', () => {
    const old = { category: 'test', fate: 'dismissed', at: new Date('2020-01-01T00:00:00Z') } as const;
    const recent = { ...old, at: new Date('2026-02-01T00:00:00Z') };
    const { months, all } = findingStats([recent, old]);
    expect(months.map(({ name }) => name).slice(0, 2)).toEqual(['2025-03', '2025-04']);
    expect(months.map(({ name }) => name).slice(-3)).toEqual(['2025-12', '2026-01', '2026-02']);
    expect(months).toHaveLength(12);
    expect(all.total).toBe(2);
  });
});

describe('formatStatsTables', () => {
  it('shows the share that was acted on', () => {
    expect(formatStatsTables(findingStats(FINDINGS))).toBe(
      [
        '| Category | Acted on | Dismissed | Unanswered | Share acted on |',
        '| --- | --: | --: | --: | --: |',
        '| security | 2 | 0 | 1 | 67 % |',
        '| test | 0 | 1 | 0 | 0 % |',
        '| all | 2 | 1 | 1 | 50 % |',
        '',
        '| Month | Acted on | Dismissed | Unanswered | Share acted on |',
        '| --- | --: | --: | --: | --: |',
        '| 2026-09 | 0 | 1 | 0 | 0 % |',
        '| 2026-10 | 0 | 0 | 0 |  |',
        '| 2026-11 | 2 | 0 | 1 | 67 % |',
      ].join('\n'),
    );
  });

  it('is empty for nothing', () => {
    expect(formatStatsTables(findingStats([]))).toBe('');
    expect(formatStatsChart(findingStats([]))).toBe('');
  });
});

describe('formatStatsChart', () => {
  it('draws all findings of a month, and those acted on in front', () => {
    expect(formatStatsChart(findingStats(FINDINGS))).toBe(
      [
        '```mermaid',
        'xychart-beta',
        '  title "Findings a month; in front, those acted on"',
        '  x-axis ["2026-09", "2026-10", "2026-11"]',
        '  y-axis "Findings" 0 --> 3',
        '  bar [1, 0, 3]',
        '  bar [0, 0, 2]',
        '```',
      ].join('\n'),
    );
  });
});
