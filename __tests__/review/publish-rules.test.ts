import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { parseAgent } from '../../src/agent/inspect.js';
import { allowedName, planReview, type ReviewWishes, splitNames } from '../../src/review/publish-rules.js';

describe('an allow-list', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['BUG', ['docs', 'Bug'], 'Bug'],
    ['bugs', ['bug'], undefined],
    ['a-b-c', ['a*b*c'], 'a-b-c'],
    ['abba', ['ab*ba'], 'abba'],
    ['a', ['a*a'], undefined],
  ])('maps %j with %j to %j', (name, patterns, expected) => {
    expect(allowedName(name, patterns)).toBe(expected);
  });

  it('is matched at once for a long name and many stars', () => {
    expect(allowedName('a'.repeat(10_000), [`${'*a'.repeat(1000)}*b`])).toBeUndefined();
  });
});

it.each<[string | undefined, readonly string[]]>([
  ['bug, Bug', ['Bug']],
  [undefined, []],
])('is split from %j into %j', (list, expected) => {
  expect(splitNames(list)).toEqual(expected);
});

function plan(wishes: ReviewWishes, toml = '', model = 'a/m') {
  const text = `name = "v"\nmodel = "a/m"\n[review]\n${toml}\n`;
  const { config } = parseAgent(text, { name: 'v', file: 'v.toml' });
  return planReview(wishes, { config: config.review, model: parseModelRef(model) });
}

const OWN = 'depth = "quick"\nverify_model = "b/w"\nmin_severity = "nit"\n[review.severity]\ntest = "nit"';

describe('the review plan of a run', () => {
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
    ['is quick if no model answers', plan({ depth: 'standard' }, '', 'offline/rules'), { depth: 'quick' }],
  ])('%s', (_, made, expected) => {
    expect(made).toMatchObject(expected);
  });
});
