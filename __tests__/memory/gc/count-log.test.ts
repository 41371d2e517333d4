import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countLog, figuresOf } from '../../../src/memory/gc/gc-result.js';
import { countEntries, formatEntry } from '../../../src/memory/run-log.js';
import { parseLog, partLog } from '../../../src/memory/units.js';
import { anyLog } from '../commands/logs.js';

function figures(...runs: readonly (readonly [at: string, result: string])[]) {
  const log = runs.map(([at, result]) => formatEntry({ timestamp: new Date(at), task: 'of words', result }));
  return figuresOf(countLog(log.join('')));
}

describe('a log that is counted', () => {
  it('has the entries and runs of its text, which its parts are', () => {
    fc.assert(
      fc.property(anyLog, (text) => {
        expect(
          partLog(text)
            .map((part) => part.text)
            .join(''),
        ).toBe(text);
        const { entries, days } = countLog(text);
        expect(entries).toBe(countEntries(text));
        const runs = [...days.values()].reduce((sum, one) => sum + one, 0);
        expect(runs).toBe(parseLog(text).units.length);
      }),
    );
  });

  it.each<[string, readonly (readonly [at: string, result: string])[], readonly string[]]>([
    ['no run', [], []],
    [
      'one',
      [['2026-01-06T23:59:59Z', 'one - two']],
      ['1 run on 2026-01-06', 'Average result: 2 words', 'Busiest day: Tuesday (1 run)'],
    ],
    [
      'several, of which equally busy days are named from Monday on',
      [
        ['2026-01-11T00:00:00Z', 'Sunday'],
        ['2026-01-05T00:00:00Z', 'Monday comes first'],
        ['2026-01-04T00:00:00Z', 'Sunday'],
        ['2026-01-12T00:00:00Z', '检查 测试'],
      ],
      ['4 runs from 2026-01-04 to 2026-01-12', 'Average result: 2 words', 'Busiest day: Monday (2 runs)'],
    ],
  ])('has the figures of %s', (_what, runs, lines) => {
    expect(figures(...runs)).toEqual(lines);
  });
});
