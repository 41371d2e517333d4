import { describe, expect, it } from '@jest/globals';
import { readDiffLines } from '../../src/review/diff-lines.js';
import type { KnownFinding, Settlement } from '../../src/review/seen.js';
import { type SettleRequest, takeSettlement } from '../../src/review/settle.js';
import type { FindingScope } from '../../src/review/take-finding.js';
import { LINES, scopeRest } from './change.js';
import { known, ledgerOf, otherKnown, said, thread } from './threads.js';

/** On a line that `src/auth.ts` had before; the change adds two lines below it. */
const FINDING = known({
  thread: thread({
    hunk: '@@ -9,1 +9,1 @@\n line 8;\n+line 9;',
    replies: [
      said('Octocat', 'We bind it elsewhere.'),
      said('reader', 'I dismiss it.'),
      said('hubot', 'Edited by another.', { isEditedByOther: true }),
      said('monalisa', 'A bot.', { author: { login: 'monalisa', isBot: true } }),
    ],
  }),
});
const CURE = { path: 'src/auth.ts', line: 11, code: 'return user;' };
const FIXED: SettleRequest = { finding: 'FQ7K2', how: 'fixed', reason: 'It is bound now.', evidence: [CURE] };

interface Given extends Partial<Omit<FindingScope, 'ledger'>> {
  readonly findings?: readonly KnownFinding[];
}

function take(
  request: Partial<SettleRequest>,
  { findings = [FINDING, otherKnown()], ...scope }: Given = {},
  settlements: readonly Settlement[] = [],
) {
  const whole = { ...scopeRest(), ledger: ledgerOf(findings), lines: LINES, ...scope };
  return takeSettlement({ ...FIXED, ...request }, settlements, whole);
}

describe('the end of an earlier finding', () => {
  it.each<[string, Partial<SettleRequest>, Partial<Settlement>]>([
    ['can be named in small letters', { finding: ' fq7k2 ' }, { how: 'fixed' }],
    [
      'is proved by a line that was copied with the mark of the diff',
      { evidence: [{ ...CURE, code: '+  return user;' }] },
      { how: 'fixed' },
    ],
    ['is taken back without any proof', { how: 'wrong', evidence: [] }, { how: 'wrong', by: '' }],
    [
      'is dismissed by somebody who has written there',
      { how: 'dismissed', evidence: [], by: '@octocat' },
      { how: 'dismissed', by: 'octocat' },
    ],
    ['names nobody if nobody dismissed it', { how: 'wrong', by: 'octocat' }, { how: 'wrong', by: '' }],
  ])('%s', (_, request, expected) => {
    const { answer, settlements } = take(request);
    expect(answer).toEqual({
      kind: 'taken',
      text: `FQ7K2 is ended (${expected.how ?? 'fixed'}). Nothing is posted before the run ends.`,
    });
    expect(settlements).toMatchObject([{ finding: { id: FINDING.id }, ...expected }]);
  });

  it.each<[string, Partial<SettleRequest>, string]>([
    [
      'names an id',
      { finding: FINDING.id },
      `"${FINDING.id}" is not one of your open findings; these are FQ7K2, FX3M9.`,
    ],
    ['has no reason', { reason: ' \n' }, '`reason` is empty; say in one sentence what ends the finding.'],
  ])('is refused if it %s', (_, request, expected) => {
    expect(take(request)).toEqual({
      answer: { kind: 'refused', text: `Not accepted: ${expected}` },
      settlements: [],
    });
  });

  const NO_CURE =
    'Not accepted: name in `evidence` a line that changed since FQ7K2 was posted and that fixes it, copied as it is.';
  it.each<[string, Partial<SettleRequest['evidence'][number]>]>([
    ['a line that was removed', { code: 'line 10;' }],
    ['a file that is not in the diff', { path: 'src/other.ts' }],
  ])('is refused as fixed if its evidence is %s', (_, parts) => {
    expect(take({ evidence: [{ ...CURE, ...parts }] }).answer).toEqual({ kind: 'refused', text: NO_CURE });
  });

  it('is proved only by what is new since the last review', () => {
    const fresh = readDiffLines(
      'diff --git a/src/auth.ts b/src/auth.ts\n--- a/src/auth.ts\n+++ b/src/auth.ts\n@@ -10,1 +10,2 @@\n return user;\n+bind(user.id);\n',
    );
    expect(take({}, { fresh }).answer.kind).toBe('refused');
    const evidence = [{ path: 'src/auth.ts', line: 11, code: 'bind(user.id);' }];
    expect(take({ evidence }, { fresh }).answer.kind).toBe('taken');
  });

  it.each<[string, string | undefined, string]>([
    ['an empty name is given', '@', '`by` names nobody'],
    ['a reader is named', 'reader', '"reader" has not written in the conversation of FQ7K2'],
    ['a bot is named', '@monalisa', '"@monalisa" has not written in the conversation of FQ7K2'],
  ])('is refused as dismissed if %s', (_, by, why) => {
    expect(take({ how: 'dismissed', evidence: [], by }).answer).toEqual({
      kind: 'refused',
      text: `Not accepted: ${why}; only a person who answered there can have dismissed it.`,
    });
  });

  it.each([['is outdated', known({ state: 'outdated' })]])('is refused if the finding %s', (_, finding) => {
    expect(take({}, { findings: [finding] }).answer.text).toBe(
      'Not accepted: "FQ7K2" is not one of your open findings; there are none.',
    );
  });

  it('is that of the last call, one for each finding', () => {
    const first = take({});
    const second = take({ finding: 'FX3M9', how: 'wrong' }, {}, first.settlements);
    const third = take({ how: 'wrong', reason: 'It never was.' }, {}, second.settlements);
    expect(third.answer.text).toBe(
      'FQ7K2 is ended (wrong), in place of what you said before. Nothing is posted before the run ends.',
    );
    expect(third.settlements.map(({ finding, how }) => [finding.handle, how])).toEqual([
      ['FX3M9', 'wrong'],
      ['FQ7K2', 'wrong'],
    ]);
    expect(take({ reason: '' }, {}, third.settlements).settlements).toBe(third.settlements);
  });
});

describe('a fix that only removes lines', () => {
  const fresh = (hunk: string) =>
    readDiffLines(
      `diff --git a/src/other.ts b/src/other.ts\n--- a/src/other.ts\n+++ b/src/other.ts\n${hunk}\n`,
    );
  const REMOVED = fresh('@@ -4,2 +4,1 @@\n keep();\n-unsafe();');
  const MOVED = fresh('@@ -4,2 +4,2 @@\n-unsafe();\n keep();\n+unsafe();');
  const evidence = [{ path: 'src/other.ts', line: 5, code: '-unsafe();' }];

  it.each(['  unsafe();'])('is proved by the removed line `%s`', (code) => {
    const request = { evidence: [{ path: 'src/other.ts', line: 5, code }] };
    expect(take(request, { fresh: REMOVED }).settlements).toHaveLength(1);
  });

  it.each([['was only moved', { fresh: MOVED }]])('is not proved by a line that %s', (_, scope) => {
    expect(take({ evidence }, scope)).toMatchObject({ answer: { kind: 'refused' }, settlements: [] });
  });
});
