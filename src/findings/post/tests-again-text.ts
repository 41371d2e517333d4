import type { TestResult } from '../finding.js';
import type { TestedEnd } from '../known-finding.js';

/** A finding whose test was run again. */
interface RetestedFinding {
  readonly handle: string;
  readonly result: TestResult;
  /** Its pass ends the finding alone, or a second look does; undefined if it did not pass. */
  readonly end: TestedEnd | undefined;
}

/** Names the results of tests to the model, one a line; undefined if there are none. */
export function formatTestsAgain(findings: readonly RetestedFinding[]): string | undefined {
  if (findings.length === 0) return undefined;
  const lines = findings.map((finding) => `- ${finding.handle}: ${describeResult(finding)}`);
  return [HEADING, ...lines].join('\n');
}

const HEADING =
  'Tests of your open findings were run on the code as it is now. Each was shown by its test before.';

function describeResult({ result, end }: RetestedFinding): string {
  if (result === 'fails') return 'its test still fails. It is open; do not settle it.';
  if (result === 'unclear') return 'its test has no clear result now. Look at the code.';
  return end === 'alone'
    ? 'its test passes. It is settled; you need not do anything.'
    : 'its test passes. A second check decides; you need not settle it.';
}

/** Half a sentence on the end of a finding by its test; `pusher` is undefined if nobody pushed. */
export function formatPass(head: string | undefined, pusher: string | undefined): string {
  const atCommit = head === undefined ? '' : ` at ${head.slice(0, 7)}`;
  const byPusher = pusher === undefined ? '' : `, pushed by ${pusher}`;
  return `its test passes${atCommit}${byPusher}`;
}
