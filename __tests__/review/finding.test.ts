import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type FindingEffect,
  handleOf,
  mintId,
  pathKindOf,
  REACHES,
  readHandle,
  type Severity,
  type SeverityFacts,
  severityOf,
  visibleWords,
} from '../../src/review/finding.js';

describe('the id of a finding', () => {
  it('is different for every run and every number in it', () => {
    const run = fc.stringMatching(/^[0-9]{1,3}\/[0-9]$/);
    fc.assert(
      fc.property(run, run, fc.nat(200), fc.nat(200), (one, other, number, next) => {
        fc.pre(one !== other || number !== next);
        expect(mintId(one, number)).not.toBe(mintId(other, next));
      }),
    );
  });
});

describe('the handle of a finding', () => {
  it('is another one while it is taken, and can be read back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{16}$/), (id) => {
        const first = handleOf(id, () => false);
        const second = handleOf(id, (handle) => handle === first);
        expect([first, second].map(readHandle)).toEqual([first, second]);
        expect(second).not.toBe(first);
        expect(handleOf(id, () => false)).toBe(first);
      }),
    );
  });

  it.each<[string, string | undefined]>([
    ['`FQ7K2`:', 'FQ7K2'],
    ['(FQ7K2)', 'FQ7K2'],
    ['false', undefined],
    ['F1', undefined],
  ])('is read from %j as %j', (word, expected) => {
    expect(readHandle(word)).toBe(expected);
  });
});

it.each<[string, string]>([
  ['<!-- a -->\nText <!-- b\nc --> more.', 'Text  more.'],
  ['Text.\n\n<details><summary>x</summary>\n\ny</details>', 'Text.'],
  ['Text.\n\n<details><summary>x</summary>\n\nnever closed', 'Text.'],
  ['', ''],
])('the visible words of %j are %j', (body, words) => {
  expect(visibleWords(body)).toBe(words);
});

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
