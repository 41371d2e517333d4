import { describe, expect, it } from '@jest/globals';
import { type FindingEffect, REACHES, type Severity } from '../../src/review/finding.js';
import { pathKindOf, type SeverityFacts, severityOf } from '../../src/review/severity.js';

const FACTS: SeverityFacts = {
  effect: 'breach',
  reach: 'always',
  category: 'security',
  pathKind: 'source',
  overrides: {},
};

/** `always`, `common`, `rare`. */
const TABLE: readonly (readonly [FindingEffect, readonly Severity[]])[] = [
  ['breach', ['critical', 'critical', 'major']],
  ['data-loss', ['critical', 'critical', 'major']],
  ['outage', ['critical', 'major', 'minor']],
  ['wrong-result', ['major', 'major', 'minor']],
  ['failure', ['major', 'major', 'minor']],
  ['degraded', ['minor', 'minor', 'nit']],
  ['upkeep', ['minor', 'nit', 'nit']],
];

describe('severityOf', () => {
  it.each(TABLE)('computes the severity of %s from how often it happens', (effect, expected) => {
    expect(REACHES.map((reach) => severityOf({ ...FACTS, effect, reach }))).toEqual(expected);
  });

  it.each(['unread', 'docs', 'test'] as const)('limits a file of the kind %s to minor', (pathKind) => {
    expect(severityOf({ ...FACTS, pathKind })).toBe('minor');
    expect(severityOf({ ...FACTS, effect: 'upkeep', reach: 'rare', pathKind })).toBe('nit');
  });

  it('lets the agent lower and raise a category, also above the limit', () => {
    const overrides = { security: 'nit', test: 'major' } as const;
    expect(severityOf({ ...FACTS, overrides })).toBe('nit');
    expect(severityOf({ ...FACTS, overrides, category: 'test', effect: 'upkeep', pathKind: 'test' })).toBe(
      'major',
    );
    expect(severityOf({ ...FACTS, overrides, category: 'data' })).toBe('critical');
  });
});

describe('pathKindOf', () => {
  it.each([
    ['src/db.ts', 'source'],
    ['src/latest.ts', 'source'],
    ['src/contest/run.go', 'source'],
    ['requirements.txt', 'source'],
    ['docs/conf.py', 'source'],
    ['.github/workflows/test.yml', 'source'],
    ['src/manifest.ts', 'source'],
    ['README.md', 'docs'],
    ['LICENSE', 'docs'],
    ['docs/guide.rst', 'docs'],
    ['docs/notes.txt', 'docs'],
    ['__tests__/core/db.ts', 'test'],
    ['src/db.test.ts', 'test'],
    ['pkg/cache_test.go', 'test'],
    ['app/test_pay.py', 'test'],
    ['src/test/java/PayTest.java', 'test'],
    ['app/PayTest.java', 'test'],
    ['spec/models/user_spec.rb', 'test'],
  ] as const)('classifies %s as %s', (path, kind) => {
    expect(pathKindOf(path, true)).toBe(kind);
  });

  it('uses the diff’s statement that a file is generated', () => {
    expect(pathKindOf('src/api.pb.go', false)).toBe('unread');
  });
});
