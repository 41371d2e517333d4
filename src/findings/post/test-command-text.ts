import { DEMONSTRATION } from '../../lib/defaults.js';
import { cleanLine, codeSpan } from '../../lib/text/format.js';
import { fence } from '../../safety/fence.js';
import type { FindingVerdict } from '../decide/second-look.js';
import type { FindingTest, TestResult } from '../finding.js';

/** Texts of `/axe test`, and of `/axe fix` for a finding with a test. */

/** Why a finding is not shown by a test, as half a sentence. */
export const WHY_NOT_SHOWN = {
  rule: 'a fixed rule found it, so it needs no test',
  limit: `${DEMONSTRATION.ofPull} open findings here have a test already`,
  fork: 'the pull request comes from a fork, whose code is not run',
  edited: 'its test was edited in the comment, or removed from it',
  noBench: 'tests run only in workflows',
} as const;

export function formatNotOpen(handles: readonly string[]): string {
  return `${handles.join(', ')} is not open`;
}

export function formatNotShown(handle: string, cause: string): string {
  return `${handle} cannot be shown by a test: ${cause}`;
}

/** The result of a test that a person has run again. */
export function formatTestNow(
  { handle, test: { saw } }: { readonly handle: string; readonly test: FindingTest },
  result: TestResult,
  head: string,
): string {
  const [withFault, withoutFault] = saw.map(codeSpan);
  const test = `At ${head.slice(0, 7)} the test of ${handle}`;
  switch (result) {
    case 'fails':
      return `${test} still fails: it sees ${withFault}.`;
    case 'passes':
      return `${test} passes: it sees ${withoutFault}. \`/axe done ${handle}\` settles it.`;
    case 'unclear':
      return `${test} has no clear result: it saw neither ${withFault} nor ${withoutFault}, or did not end as a test.`;
  }
}

const MAX_REASON = 300;

/** The end of a second look at one finding; `cause` is undefined if a test shows it. */
export function formatLookEnd(
  handle: string,
  cause: string | undefined,
  { kind, reason }: FindingVerdict,
): string {
  if (cause === undefined) return `${handle} is shown by a test.`;
  if (kind === 'refuted')
    return `A second check found that ${handle} does not hold: ${cleanLine(reason, MAX_REASON)} It stays open until a person says so: \`/axe dismiss ${handle}\`.`;
  return `${handle} could not be shown by a test: ${cause}. That proves nothing either way.`;
}

/** For the model, before its commit. */
export function formatGoalMissed(
  { handle }: { readonly handle: string },
  result: TestResult,
  output: string,
): string {
  const seen = result === 'fails' ? 'it fails as before' : 'it has no clear result now';
  const printed = output === '' ? '' : `\n${fence(output, { source: 'output of the test' })}`;
  return `Not committed yet: the test of ${handle} does not pass over your changes, ${seen}. Correct them, or call again if the test is wrong.${printed}`;
}

/** For people, behind the answer of a fix. */
export function formatGoalEnd(
  { handle, test: { saw } }: { readonly handle: string; readonly test: FindingTest },
  result: TestResult,
  isCommitted: boolean,
): string {
  const [withFault, withoutFault] = saw.map(codeSpan);
  const test = `${isCommitted ? 'With this change,' : 'Over changes that were not committed,'} the test of ${handle}`;
  switch (result) {
    case 'passes':
      return `${test} passes: it sees ${withoutFault}.`;
    case 'fails':
      return `${test} still fails: it sees ${withFault}.`;
    case 'unclear':
      return `${test} has no clear result.`;
  }
}

export function formatGoalNotRun(handle: string, cause: string): string {
  return `The test of ${handle} was not run: ${cause}.`;
}
