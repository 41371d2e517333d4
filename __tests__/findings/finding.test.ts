import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createHandle,
  type FindingEffect,
  isSourceFile,
  mintId,
  parseHandle,
  REACHES,
  type Severity,
  type SeverityFacts,
  severityOf,
} from '../../src/findings/finding.js';

it('the id of a finding is different for every run and every number in it', () => {
  const run = fc.stringMatching(/^[0-9]{1,3}\/[0-9]$/);
  fc.assert(
    fc.property(run, run, fc.nat(200), fc.nat(200), (one, other, number, next) => {
      fc.pre(one !== other || number !== next);
      expect(mintId(one, number)).not.toBe(mintId(other, next));
    }),
  );
});

describe('the handle of a finding', () => {
  it('is another one while it is taken, and can be read back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{16}$/), (id) => {
        const first = createHandle(id, () => false);
        const second = createHandle(id, (handle) => handle === first);
        expect([first, second].map(parseHandle)).toEqual([first, second]);
        expect(second).not.toBe(first);
        expect(createHandle(id, () => false)).toBe(first);
      }),
    );
  });

  it.each<[string, string | undefined]>([
    ['`FQ7K2`:', 'FQ7K2'],
    ['(FQ7K2)', 'FQ7K2'],
    ['false', undefined],
    ['F1', undefined],
  ])('is read from %j as %j', (word, expected) => {
    expect(parseHandle(word)).toBe(expected);
  });
});

const FACTS: SeverityFacts = {
  effect: 'breach',
  reach: 'always',
  category: 'security',
  isInSource: true,
  overrides: {},
};

describe('severityOf', () => {
  /** `always`, `common`, `rare`. */
  it.each<[FindingEffect, readonly Severity[]]>([
    ['breach', ['critical', 'critical', 'major']],
    ['data-loss', ['critical', 'critical', 'major']],
    ['outage', ['critical', 'major', 'minor']],
    ['wrong-result', ['major', 'major', 'minor']],
    ['failure', ['major', 'major', 'minor']],
    ['degraded', ['minor', 'minor', 'nit']],
    ['upkeep', ['minor', 'nit', 'nit']],
  ])('computes the severity of %s from how often it happens', (effect, expected) => {
    expect(REACHES.map((reach) => severityOf({ ...FACTS, effect, reach }))).toEqual(expected);
  });

  it('limits a file that is no source to minor', () => {
    const isInSource = false;
    expect(severityOf({ ...FACTS, isInSource })).toBe('minor');
    expect(severityOf({ ...FACTS, effect: 'upkeep', reach: 'rare', isInSource })).toBe('nit');
  });

  it('lets the agent lower and raise a category, also above the limit', () => {
    const overrides = { security: 'nit', test: 'major' } as const;
    expect(severityOf({ ...FACTS, overrides })).toBe('nit');
    const test = { category: 'test', effect: 'upkeep', isInSource: false } as const;
    expect(severityOf({ ...FACTS, overrides, ...test })).toBe('major');
    expect(severityOf({ ...FACTS, overrides, category: 'data' })).toBe('critical');
  });
});

it.each<[string, boolean]>([
  ['src/db.ts', true],
  ['src/latest.ts', true],
  ['src/contest/run.go', true],
  ['requirements.txt', true],
  ['docs/conf.py', true],
  ['.github/workflows/test.yml', true],
  ['src/manifest.ts', true],
  ['README.md', false],
  ['LICENSE', false],
  ['docs/guide.rst', false],
  ['docs/notes.txt', false],
  ['__tests__/core/db.ts', false],
  ['src/db.test.ts', false],
  ['pkg/cache_test.go', false],
  ['app/test_pay.py', false],
  ['src/test/java/PayTest.java', false],
  ['app/PayTest.java', false],
  ['spec/models/user_spec.rb', false],
])('%s is source: %s, and never if it is generated', (path, expected) => {
  expect(isSourceFile(path, true)).toBe(expected);
  expect(isSourceFile(path, false)).toBe(false);
});
