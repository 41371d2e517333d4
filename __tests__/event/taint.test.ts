import { expect, it } from '@jest/globals';
import {
  createTaintTracker,
  describeTaint,
  laneOfWords,
  mayChange,
  type TaintSource,
  type Trust,
  whyOnlyPatch,
} from '../../src/event/trust.js';

const WHY = 'it reads text by hubot, who is not known to have write access';
const SOURCES: readonly TaintSource[] = [
  { kind: 'event', reason: WHY },
  { kind: 'failing-checks' },
  { kind: 'history' },
  { kind: 'own-words' },
  { kind: 'tool', tool: 'run_command' },
];

it.each([
  ['trusted', 'tainted'],
  ['tainted', 'tainted'],
  ['untrusted', 'untrusted'],
  ['none', 'none'],
] as const)('a run writes to the lane %s, and after any source to %s', (planned, lane) => {
  expect(createTaintTracker({ kind: 'schedule' }).lane(planned)).toBe(planned);
  for (const source of SOURCES) {
    const taint = createTaintTracker({ kind: 'push' });
    taint.add(source);
    expect(taint.lane(planned)).toBe(lane);
  }
});

it.each(SOURCES)('$kind taints no run on a person’s own machine, and is told after "because"', (source) => {
  const taint = createTaintTracker({ kind: 'local' });
  taint.add(source);
  expect([taint.lane('trusted'), taint.sources]).toEqual(['trusted', []]);
  expect(describeTaint(source)).toMatch(/^(?:it |`)[^\n]+[^.]$/);
});

it('the taint tracker keeps every source once, in the order in which they were read', () => {
  const taint = createTaintTracker({ kind: 'push' });
  for (const source of [...SOURCES, ...SOURCES.toReversed()]) taint.add(source);
  expect(taint.sources).toEqual(SOURCES);
});

it.each<[Trust['level'], Trust['lane'], readonly TaintSource[], string, boolean, string | undefined]>([
  ['trusted', 'trusted', [], 'trusted', true, undefined],
  ['trusted', 'trusted', SOURCES, 'tainted', true, WHY],
  ['untrusted', 'tainted', [], 'untrusted', true, 'it may be'],
  ['untrusted', 'untrusted', [], 'untrusted', false, 'it may be'],
])('a run that is %s and %s, by %j: words %s, changes %s, patch %s', (level, lane, sources, ...expected) => {
  const trust: Trust = { level, lane, reason: 'it may be' };
  const taint = createTaintTracker({ kind: 'push' });
  for (const source of sources) taint.add(source);
  expect([laneOfWords(trust, taint), mayChange(trust), whyOnlyPatch(trust, taint)]).toEqual(expected);
});
