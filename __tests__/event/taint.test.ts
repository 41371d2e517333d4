import { describe, expect, it } from '@jest/globals';
import {
  createTaintTracker,
  describeTaint,
  laneOfWords,
  mayChange,
  type TaintSource,
  whyOnlyPatch,
} from '../../src/event/taint.js';
import type { Trust } from '../../src/event/trust.js';

const SOURCES: readonly TaintSource[] = [
  { kind: 'event', reason: 'it reads text by hubot, who is not known to have write access' },
  { kind: 'failing-checks' },
  { kind: 'history' },
  { kind: 'own-words' },
  { kind: 'tool', tool: 'run_command' },
];

describe('a run that has read nothing by strangers', () => {
  it.each(['trusted', 'tainted', 'untrusted', 'none'] as const)('stays in the lane %s', (lane) => {
    expect(createTaintTracker({ kind: 'schedule' }).lane(lane)).toBe(lane);
  });
});

describe.each(SOURCES)('a run that is tainted by $kind', (source) => {
  it.each([
    ['trusted', 'tainted'],
    ['tainted', 'tainted'],
    ['untrusted', 'untrusted'],
    ['none', 'none'],
  ] as const)('writes to the lane %s as %s', (planned, lane) => {
    const taint = createTaintTracker({ kind: 'push' });
    taint.add(source);
    expect(taint.lane(planned)).toBe(lane);
  });

  it('changes nothing on a person’s own machine', () => {
    const taint = createTaintTracker({ kind: 'local' });
    taint.add(source);
    expect([taint.lane('trusted'), taint.sources]).toEqual(['trusted', []]);
  });

  it('states why, in words that follow "because"', () => {
    expect(describeTaint(source)).toMatch(/^(?:it |`)[^\n]+[^.]$/);
  });
});

it('the taint tracker keeps every source once, in the order in which they were read', () => {
  const taint = createTaintTracker({ kind: 'push' });
  for (const source of [...SOURCES, ...SOURCES.toReversed()]) taint.add(source);
  expect(taint.sources).toEqual(SOURCES);
});

it.each<[Trust['level'], Trust['lane'], readonly TaintSource[], string, boolean, string | undefined]>([
  ['trusted', 'trusted', [], 'trusted', true, undefined],
  [
    'trusted',
    'trusted',
    SOURCES,
    'tainted',
    true,
    'it reads text by hubot, who is not known to have write access',
  ],
  ['untrusted', 'tainted', [], 'untrusted', true, 'logs hold anything'],
  ['untrusted', 'untrusted', [], 'untrusted', false, 'logs hold anything'],
])(
  'a run that is %s, in the lane %s, tainted by %j: words %s, may change files %s, only a patch: %s',
  (level, lane, sources, words, changes, why) => {
    const trust: Trust = { level, lane, reason: 'logs hold anything' };
    const taint = createTaintTracker({ kind: 'push' });
    for (const source of sources) taint.add(source);
    expect([laneOfWords(trust, taint), mayChange(trust), whyOnlyPatch(trust, taint)]).toEqual([
      words,
      changes,
      why,
    ]);
  },
);
