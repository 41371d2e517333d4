import { describe, expect, it } from '@jest/globals';
import type { KnownFinding } from '../../src/review/known.js';
import { readFindingMark } from '../../src/review/marks.js';
import { backMark, backText, claimText, endedMark, endText, reopenedText } from '../../src/review/said.js';
import { AT, HEAD, KEY, known } from './threads.js';

const FRAME = { head: HEAD, clean: (text: string) => text.replace('evil', 'good') };

describe('the answer in the conversation of a finding', () => {
  it.each<[string, Partial<KnownFinding>, string | undefined]>([
    ['settled', { why: 'fixed', reason: 'an evil\nend' }, '✅ FQ7K2 is settled by aaaaaaa: an good end'],
    ['taken back', { why: 'wrong', reason: 'it is bound' }, 'I take FQ7K2 back: it is bound'],
    [
      'dismissed in words',
      { why: 'words', login: 'octocat', reason: 'R' },
      'FQ7K2 is not raised again on this line, as `octocat` said: R',
    ],
    [
      'committed as suggested',
      { why: 'suggestion' },
      '✅ FQ7K2 is settled by aaaaaaa: its suggestion was committed.',
    ],
    ['resolved, which its person sees', { why: 'resolved' }, undefined],
    [
      'dismissed, with how to undo it',
      { state: 'dismissed', why: 'thumbs-down' },
      'Noted: FQ7K2 is dismissed, and not raised again on this line. Undo: `/axe reopen FQ7K2`.',
    ],
    [
      'done',
      { why: 'command' },
      'Noted: FQ7K2 is settled. It is not raised again while its line stays as it is. Undo: `/axe reopen FQ7K2`.',
    ],
  ])('says that it is %s', (_, parts, expected) => {
    expect(endText(known({ state: 'settled', ...parts }), FRAME)).toBe(expected);
  });

  it.each<[string, Partial<KnownFinding>, string]>([
    ['by the model', { by: 'model' }, 'FQ7K2 is back since aaaaaaa.'],
    ['by a person', { by: 'person' }, 'FQ7K2 is open again.'],
    [
      'because its fix was reverted',
      { by: 'program', why: 'reverted' },
      'FQ7K2 is back since aaaaaaa: what fixed it was taken back.',
    ],
  ])('says that it is open again %s', (_, parts, expected) => {
    expect(backText(known(parts), FRAME)).toBe(expected);
  });

  it('says what takes a person', () => {
    const person = '\n\nA person with write access has to resolve it: the change comes from outside.';
    expect(claimText({ ...CLAIM, how: 'fixed' }, FRAME)).toBe(`FQ7K2 looks done as of aaaaaaa: R${person}`);
    expect(claimText({ ...CLAIM, how: 'wrong' }, FRAME)).toBe(`FQ7K2 may be wrong: R${person}`);
    expect(reopenedText('FQ7K2')).toBe(
      'FQ7K2 is open again. Undo: `/axe dismiss FQ7K2`, or `/axe done FQ7K2`.',
    );
  });
});

const CLAIM = { finding: known({}), reason: 'R', evidence: [], by: '' };

describe('the mark of such an answer', () => {
  const at = AT.getTime();

  it.each<[string, Partial<KnownFinding>, object]>([
    ['with its line', {}, { by: 'model', why: 'fixed', code: KEY }],
    ['without a line that was gone', { endedGone: true }, { code: '' }],
    [
      'of a person',
      { state: 'dismissed', by: 'person', why: 'words', login: 'octocat' },
      { state: 'dismissed', by: 'person', why: 'words', login: 'octocat' },
    ],
  ])('keeps an end %s', (_, parts, expected) => {
    const mark = endedMark(known({ state: 'settled', ...parts }), { at, closed: true });
    expect(mark).toMatchObject({ at, closed: true, ...expected });
    expect(readFindingMark(mark)).toEqual(mark);
  });

  it('keeps who had closed the conversation of one that is back', () => {
    const mark = backMark(known({ by: 'person', login: 'octocat' }), { at, closedBy: 'reader' });
    expect(mark).toMatchObject({
      by: 'person',
      login: 'octocat',
      line: 10,
      code: KEY,
      severity: 'major',
      closedBy: 'reader',
    });
    expect(readFindingMark(mark)).toEqual(mark);
    expect(backMark(known(), { at, closedBy: undefined }).closedBy).toBeUndefined();
  });
});
