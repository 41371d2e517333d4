import type { FindingRecord, FindingsReport } from '../../src/findings/post/record.js';

/** A finding with as little as one has. */
export const PLAIN_RECORD: FindingRecord = {
  id: '00000000000000a1',
  handle: 'FQ7K2',
  agent: 'pr-reviewer',
  state: 'open',
  isNew: true,
  title: 'Timeout of the provider is taken for a refusal',
  path: 'src/provider.ts',
  line: 77,
  side: 'RIGHT',
  severity: 'minor',
  confidence: 'likely',
  category: 'error-handling',
};

/** A finding with all that one may have. */
export const FULL_RECORD: FindingRecord = {
  id: '9f2c000000000001',
  handle: 'FX3M9',
  state: 'dismissed',
  why: 'command',
  by: 'anna',
  title: 'Refund is booked twice when the request is retried',
  body: '`refund()` writes the ledger row before it asks the provider.',
  trigger: 'The provider times out once.',
  path: 'src/refund.ts',
  line: 41,
  startLine: 40,
  side: 'RIGHT',
  severity: 'major',
  confidence: 'confirmed',
  category: 'data',
  effect: 'wrong-result',
  reach: 'common',
  evidence: [{ path: 'src/queue.ts', line: 88, code: 'await refund(job)' }],
  suggestion: '  await ledger.insertOnce(refund.id, row);',
  url: 'https://github.com/acme/shop/pull/7#discussion_r1',
  agent: 'pr-reviewer',
};

/** A report of findings on a pull request that was read in part. */
export const REPORT: FindingsReport = {
  head: 'abc1234abc1234abc1234abc1234abc1234abc12',
  base: 'def5678def5678def5678def5678def5678def56',
  pull: 7,
  coverage: { kind: 'part', files: 20, read: 19, unread: [{ path: 'docs/big.md', why: 'size' }] },
  findings: [PLAIN_RECORD, FULL_RECORD],
};
