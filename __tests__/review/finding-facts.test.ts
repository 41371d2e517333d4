import { describe, expect, it } from '@jest/globals';
import { type FindingFact, livesOf } from '../../src/review/finding-facts.js';
import { formatReviewFact, parseReviewFacts, withReviewFacts } from '../../src/review/state-facts.js';
import { AT, ended, ID, LATER, lesson, NOW, raised } from './threads.js';

const TIME = 'at=2026-11-20T10:00:00.000Z';

function read(line: string) {
  return parseReviewFacts(`- ${line} ${TIME}\n`);
}

describe('the line of a stored finding', () => {
  it.each<[FindingFact, string]>([
    [raised(), `${ID}/41 pr=41 path=src/auth.ts cat=security sev=major`],
    [raised({ severity: undefined, path: 'a b' }), `${ID}/41 pr=41 path=a%20b cat=security`],
    [ended(), `${ID}/41 pr=41 path=src/auth.ts cat=security how=dismissed why=reply by=octocat`],
    [
      lesson({ sketch: 'AAAA', code: 'f'.repeat(16), strength: 0.5 }),
      `${ID} pr=41 path=src/auth.ts cat=security strength=0.5 sk=AAAA code=ffffffffffffffff by=octocat`,
    ],
  ])('is written and read again: %j', (fact, expected) => {
    const { kind, key, rest } = formatReviewFact(fact);
    expect(`${key} ${rest}`).toBe(`${expected} ${TIME}`);
    expect(read(`${kind} ${expected}`)).toEqual([fact]);
  });

  it('is read if the person or the sketch is empty', () => {
    const facts = [ended({ how: 'outdated', why: 'gone', by: '' }), lesson()];
    expect(parseReviewFacts(withReviewFacts('', facts))).toEqual(facts);
  });
});

describe('the line of an older version', () => {
  const PLACE = { id: ID, pull: 41, path: 'src/auth.ts', at: AT };

  it.each<[string, string]>([
    ['security', 'security'],
    ['Error-Handling', 'error-handling'],
    ['security-sql-injection', 'security'],
    ['sql-injection', 'other'],
    ['general', 'other'],
  ])('has a category for the rule %j: %j', (rule, category) => {
    expect(read(`finding ${ID}/41 pr=41 path=src/auth.ts rule=${rule}`)).toEqual([
      { kind: 'finding', ...PLACE, category, severity: undefined },
    ]);
  });

  it.each<[string, string, string]>([
    ['resolved', 'settled', 'closed'],
    ['fixed', 'settled', 'fixed'],
    ['thumbs-down', 'dismissed', 'thumbs-down'],
    ['reply', 'dismissed', 'reply'],
  ])('that has withdrawn for %j becomes %s for %s', (why, how, reason) => {
    const line = `withdrawn ${ID} pr=41 path=src/auth.ts rule=xss why=${why} by=octocat`;
    expect(read(line)).toEqual([
      { kind: 'ended', ...PLACE, category: 'other', how, why: reason, by: 'octocat' },
    ]);
  });

  it('is replaced by a later line of this version', () => {
    const former = `- withdrawn ${ID} pr=41 path=src/auth.ts rule=security why=resolved by=octocat ${TIME}\n`;
    const now = ended({ why: 'thumbs-down', at: LATER });
    expect(parseReviewFacts(withReviewFacts(former, [now]))).toEqual([now]);
    const older = ended({ why: 'thumbs-down', at: new Date(0) });
    expect(parseReviewFacts(withReviewFacts(former, [older]))).toMatchObject([{ how: 'settled' }]);
  });
});

describe('an incomplete line', () => {
  it.each<[string, string]>([
    ['an id of another length', `finding ${ID}0/41 pr=41 path=a cat=data`],
    ['no pull request', `finding ${ID}/41 path=a cat=data`],
    ['no path', `finding ${ID}/41 pr=41 cat=data`],
    ['neither a category nor a rule', `finding ${ID}/41 pr=41 path=a`],
    ['an invalid category', `finding ${ID}/41 pr=41 path=a cat=taste`],
    ['no way it ended', `ended ${ID}/41 pr=41 path=a cat=data why=fixed by=b`],
    ['an invalid way', `ended ${ID}/41 pr=41 path=a cat=data how=bribed why=fixed by=b`],
    ['an invalid reason', `ended ${ID}/41 pr=41 path=a cat=data how=settled why=bribed by=b`],
    ['no strength', `lesson ${ID} pr=41 path=a cat=data sk=AAAA`],
    ['more strength than there is', `lesson ${ID} pr=41 path=a cat=data strength=2 sk=AAAA`],
    ['no strength at all', `lesson ${ID} pr=41 path=a cat=data strength=0 sk=AAAA`],
  ])('is left out: %s', (_, line) => {
    expect(read(line)).toEqual([]);
  });

  it('has no severity if it names an unknown one', () => {
    expect(read(`finding ${ID}/41 pr=41 path=a cat=data sev=awful`)).toMatchObject([{ severity: undefined }]);
  });
});

describe('the life of a finding', () => {
  it.each<[string, readonly FindingFact[], string | undefined]>([
    ['open', [raised()], undefined],
    ['ended', [raised(), ended({ at: LATER })], 'dismissed'],
    ['ended at the very time it was raised', [raised(), ended()], 'dismissed'],
    ['back', [raised({ at: NOW }), ended({ at: LATER })], undefined],
    ['ended, though nobody keeps when it was raised', [ended()], 'dismissed'],
    ['open next to a lesson', [raised(), lesson({ at: LATER })], undefined],
  ])('is %s', (_, facts, how) => {
    expect(livesOf(facts).get(`${ID}/41`)?.ended?.how).toBe(how);
  });

  it('is separate for every pull request', () => {
    const lives = livesOf([raised(), raised({ pull: 42 }), ended({ pull: 42 })]);
    expect([lives.get(`${ID}/41`)?.ended, lives.get(`${ID}/42`)?.ended?.how]).toEqual([
      undefined,
      'dismissed',
    ]);
  });
});
