import { expect, it } from '@jest/globals';
import { mcNemar, wilson } from '../../eval/interval.js';
import { formatComparison, formatReport, type SettingResult } from '../../eval/report.js';
import { type CaseScore, scoreCase } from '../../eval/score.js';
import { makeCase, makePlayed, makePosted } from './samples.js';

function found(name: string): CaseScore {
  return scoreCase(makePlayed(makeCase({ name }), { posted: [makePosted()] }));
}

function missed(name: string): CaseScore {
  return scoreCase(makePlayed(makeCase({ name }), {}));
}

function clean(name: string, wrong: number): CaseScore {
  const posted = Array.from({ length: wrong }, (_, index) =>
    makePosted({ id: `${index}`, text: 'a fault' }),
  );
  return scoreCase(makePlayed(makeCase({ name, kind: 'clean', expect: [] }), { posted }));
}

function resultOf(scores: readonly CaseScore[], patch: Partial<SettingResult> = {}): SettingResult {
  return { setting: 'a', scores, incomplete: [], isOfModel: true, ...patch };
}

it.each([
  [0, 10, 0, 0.278],
  [5, 10, 0.237, 0.763],
  [10, 10, 0.722, 1],
  [60, 120, 0.412, 0.588],
])('an interval for %i of %i is computed', (count, of, low, high) => {
  const interval = wilson(count, of);
  expect(interval?.low).toBeCloseTo(low, 3);
  expect(interval?.high).toBeCloseTo(high, 3);
});

it('an interval for zero cases is empty', () => {
  expect(wilson(0, 0)).toBeUndefined();
});

it.each([
  [0, 0, 1],
  [1, 1, 1],
  [0, 5, 0.0625],
  [0, 6, 0.03125],
  [2, 10, 0.0386],
])('two settings that alone are right %i and %i times are compared', (onlyFirst, onlySecond, p) => {
  expect(mcNemar(onlyFirst, onlySecond)).toBeCloseTo(p, 4);
});

it('figures are reported with their intervals, cost, and errors', () => {
  const report = formatReport(resultOf([found('a'), clean('b', 1)], { incomplete: ['c'] }));
  expect(report).toContain('2 cases, 2 reviews. Without 1 that did not come to their end: c.');
  expect(report).toContain('| precision | 50 % (1 of 2) | 9 % to 91 % |');
  expect(report).toContain('| recall, critical | 100 % (1 of 1) | 21 % to 100 % |');
  expect(report).toContain('| F0.5 | 0.56 |  |\n| false findings per clean change | 1.00 |  |');
  expect(report).toContain('| cost per case | $0.010 | $0.02 in all |');
  expect(report).toContain('- b: not right: src/users.ts:11 SQL injection');
});

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

it('a comparison names the better one only if the difference is significant', () => {
  const better = resultOf(names.map(found));
  const worse = resultOf(names.map(missed), { setting: 'b' });
  expect(formatComparison(better, worse)).toContain(
    '| faults found | 6 | 0 | 0.031 | the first is better |',
  );
  expect(formatComparison(worse, better)).toContain(
    '| faults found | 0 | 6 | 0.031 | the second is better |',
  );
  const little = resultOf([missed('a'), ...names.slice(1).map(found)]);
  expect(formatComparison(better, little)).toContain(
    '| faults found | 1 | 0 | 1.000 | no difference shown |',
  );
});

it('a comparison compares only cases that both have', () => {
  const one = resultOf([found('a'), clean('x', 0)]);
  const other = resultOf([missed('b'), clean('x', 1)]);
  const text = formatComparison(one, other);
  expect(text).toContain('| faults found | 0 | 0 | 1.000 |');
  expect(text).toContain('| nothing false on a clean change | 1 | 0 | 1.000 |');
});
