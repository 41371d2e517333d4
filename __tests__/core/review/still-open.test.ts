import { expect, it } from '@jest/globals';
import type { ReviewFact } from '../../../src/core/review/state-facts.js';
import { isStillOpen, type StillOpenQuestion } from '../../../src/core/review/still-open.js';

const FINGERPRINT = '0123456789abcdef';
const PLACE = { fingerprint: FINGERPRINT, path: 'src/a.ts', rule: 'wrong', at: new Date(0) };
const RAISED: ReviewFact = { kind: 'finding', pull: 42, ...PLACE };
const WITHDRAWN = { kind: 'withdrawn', pull: 7, why: 'reply', by: 'octocat', ...PLACE } as const;

const QUESTION: StillOpenQuestion = {
  facts: [RAISED],
  pull: 42,
  again: new Set(),
  withdrawnHere: [],
  isPart: false,
};

it.each<[string, Partial<StillOpenQuestion>, boolean]>([
  ['the run was told not to repeat', {}, true],
  ['the run did not look at', { facts: [], isPart: true }, true],
  ['was fixed elsewhere, and is here again', { facts: [RAISED, { ...WITHDRAWN, why: 'fixed' }] }, true],
  ['a run that saw everything, and knew nothing, does not raise again', { facts: [] }, false],
  ['is known of another pull request alone', { facts: [{ ...RAISED, pull: 7 }] }, false],
  ['the run raised again', { again: new Set([FINGERPRINT]), isPart: true }, false],
  ['people withdrew', { facts: [RAISED, WITHDRAWN], isPart: true }, false],
  ['people withdrew here', { withdrawnHere: [FINGERPRINT], isPart: true }, false],
])('of an open finding that %s', (_, patch, stands) => {
  expect(isStillOpen(FINGERPRINT, { ...QUESTION, ...patch })).toBe(stands);
});
