import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
  nameOnAllowList,
  parseNameList,
} from '../../src/findings/buffered-publications.js';
import { mergePasses } from '../../src/findings/publication-buffer.js';
import { planReview, type ReviewWishes } from '../../src/run/review-plan.js';
import { placed } from './change.js';

function pass(id: string, ...all: readonly Parameters<typeof placed>[0][]): BufferedPublications {
  const findings = all.map((parts, index) => placed({ id: `${id}${index}`, ...parts }));
  return { ...NO_PUBLICATIONS, findings };
}

const SAME = {
  body: 'The `id` of the user reaches the `query` unescaped.',
  category: 'data',
} as const;
const OTHER = {
  title: 'All columns are read',
  body: 'The blob makes each row a megabyte large.',
} as const;

describe('findings of several passes', () => {
  it('are one if two passes raised it under one title on one line', () => {
    const { findings } = mergePasses([pass('a', {}), pass('b', SAME)], 100);
    expect(findings.map(({ finding }) => finding.id)).toEqual(['a0']);
  });

  it.each<[string, Parameters<typeof placed>[0]]>([
    ['have different titles', OTHER],
    ['have similar titles, which nobody can ask about', { title: 'The query built from an id' }],
    ['are on different lines', { line: 11 }],
  ])('stay two if they %s', (_, parts) => {
    expect(mergePasses([pass('a', {}), pass('b', parts)], 100).findings).toHaveLength(2);
  });

  it('are limited to the worst ones if there are too many', () => {
    const nit = { ...OTHER, line: 49, severity: 'nit' } as const;
    const buffered = mergePasses([pass('a', nit), pass('b', { severity: 'critical' })], 1);
    expect(buffered.findings.map(({ finding }) => finding.severity)).toEqual(['critical']);
    expect(buffered.refusedFindings).toMatchObject([{ title: OTHER.title }]);
  });

  it('have the summaries of all', () => {
    const passes = ['A.', 'B.'].map((summary) => ({ ...pass('a'), review: { summary } }));
    expect(mergePasses(passes, 100).review).toEqual({ summary: 'A.\n\nB.' });
    expect(mergePasses([], 100)).toEqual(NO_PUBLICATIONS);
  });
});

describe('an allow-list', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['BUG', ['docs', 'Bug'], 'Bug'],
    ['bugs', ['bug'], undefined],
    ['a-b-c', ['a*b*c'], 'a-b-c'],
    ['abba', ['ab*ba'], 'abba'],
    ['a', ['a*a'], undefined],
  ])('maps %j with %j to %j', (name, patterns, expected) => {
    expect(nameOnAllowList(name, patterns)).toBe(expected);
  });

  it('is matched at once for a long name and many stars', () => {
    expect(nameOnAllowList('a'.repeat(10_000), [`${'*a'.repeat(1000)}*b`])).toBeUndefined();
  });
});

it('a list of names is split, each once', () => {
  expect(['bug, Bug', undefined].map(parseNameList)).toEqual([['Bug'], []]);
});

function plan(wishes: ReviewWishes, toml = '', model = 'a/m') {
  const text = `name = "v"\nmodel = "a/m"\n[review]\n${toml}\n`;
  const { config } = parseAgent(text, { name: 'v', file: 'v.toml' });
  return planReview(wishes, { config: config.review, model: parseModelRef(model) });
}

const OWN =
  'depth = "quick"\nverify_model = "b/w"\nmin_severity = "nit"\n[review.severity]\ntest = "nit"';

it.each<[string, ReturnType<typeof plan>, Partial<ReturnType<typeof plan>>]>([
  [
    'is the default',
    plan({}),
    { depth: 'standard', verifyModel: undefined, verifier: '', minSeverity: undefined },
  ],
  [
    'is what the agent says',
    plan({}, OWN),
    {
      depth: 'quick',
      verifyModel: parseModelRef('b/w'),
      minSeverity: 'nit',
      overrides: { test: 'nit' },
    },
  ],
  [
    'is what the workflow says, before the agent',
    plan({ depth: 'standard', minSeverity: 'major' }, OWN),
    { depth: 'standard', verifyModel: parseModelRef('b/w'), minSeverity: 'major' },
  ],
  [
    'is quick if no model answers',
    plan({ depth: 'standard' }, '', 'offline/rules'),
    { depth: 'quick' },
  ],
])('the review plan of a run %s', (_, made, expected) => {
  expect(made).toMatchObject(expected);
});
