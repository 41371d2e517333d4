import { expect, it } from '@jest/globals';
import { type PullRecord, recordOfPull } from '../../src/findings/kept-finding.js';
import { factsToKeep } from '../../src/findings/post/conversations.js';
import { parseReviewFacts } from '../../src/findings/state-facts.js';
import { DAY_MS } from '../../src/lib/clock.js';
import { withFacts } from '../../src/memory/state.js';
import { AT, CODE, keptOne, posting, read, recordOf } from './threads.js';

const PLAIN = keptOne({ at: AT.getTime(), thread: 'T_1' });
const WHOLE = keptOne({
  ...PLAIN,
  startLine: 9,
  confidence: 'confirmed',
  body: 'The id reaches the query unescaped.',
  trigger: 'An id with a quotation mark.',
  evidence: [{ path: 'src/auth.ts', line: 10, code: CODE }],
  suggestion: 'query(user.id);',
  model: 'a-model',
});
const DISMISSED = keptOne({
  ...PLAIN,
  rev: 2,
  state: 'dismissed',
  by: 'person',
  why: 'command',
  login: 'octocat',
  reason: 'By design.',
});

/** The record as a state file gives it back. */
function stored(record: PullRecord): PullRecord | undefined {
  return recordOfPull(parseReviewFacts(withFacts('', [...record.findings])), 42);
}

/** The lines that a run without news writes some days later. */
function linesAfter(days: number, finding: typeof PLAIN): readonly object[] {
  const record = stored(recordOf([finding]));
  const ledger = read({}, { record });
  return factsToKeep(posting({ ledger, now: new Date(AT.getTime() + days * DAY_MS) }));
}

it.each([
  ['with little', PLAIN],
  ['with everything', WHOLE],
  ['that was dismissed', DISMISSED],
])('a finding %s is written again only after a month', (_, finding) => {
  expect(linesAfter(29, finding)).toEqual([]);
  const at = AT.getTime() + 30 * DAY_MS;
  expect(linesAfter(30, finding)).toEqual([{ ...finding, at }]);
});
