import { endByTest } from '../findings/decide/demonstration.js';
import type { FindingTest, TestResult } from '../findings/finding.js';
import type { KnownFinding, Settlement } from '../findings/known-finding.js';
import { findTestText } from '../findings/post/test-text.js';
import { formatPass, formatTestsAgain } from '../findings/post/tests-again-text.js';
import { DEMONSTRATION } from '../lib/defaults.js';
import { runAgain, type TestBench } from '../tools/process/test-bench.js';
import type { Dependencies } from './dependencies.js';
import type { OpenRun } from './records.js';

/** Tests of earlier findings after they were run on the code as it is. */
interface TestedAgain {
  /** The ends of findings whose tests pass. */
  readonly settlements: readonly Settlement[];
  /** Ids of findings whose tests fail as before: no model ends them. */
  readonly failing: ReadonlySet<string>;
  /** A sentence for the model on each. */
  readonly forModel: string | undefined;
}

type TestedFinding = KnownFinding & { readonly test: FindingTest };

/**
 * Runs the tests of open findings again, without a model. Undefined if there is none. A test that
 * cannot be run says nothing of its finding, with a warning.
 */
export async function runTestsAgain(
  { plan, change, learned: { ledger } }: OpenRun,
  deps: Dependencies,
): Promise<TestedAgain | undefined> {
  const hasTest = (finding: KnownFinding): finding is TestedFinding => finding.test !== undefined;
  const tested = (ledger?.open ?? []).filter(hasTest).slice(0, DEMONSTRATION.ofPull);
  const { reading, agent } = plan;
  if (tested.length === 0 || change === undefined || ledger === undefined) return undefined;
  if (reading.rights.demonstrates === 'none') return undefined;

  const warn = (problem: string) => {
    const message = `Tests of earlier findings were not run: ${problem}.`;
    deps.reporter.warn({ code: 'not-demonstrated', message });
  };
  const { signal } = deps.deadline;
  const bench = await deps.openTestBench?.({ agent, reading, head: change.head, signal });
  if (bench === undefined) return undefined;
  if (typeof bench === 'string') {
    warn(bench);
    return undefined;
  }

  const latest =
    deps.clock.now().getTime() + Math.min(DEMONSTRATION.reviewMs, deps.deadline.leftMs() / 3);
  const results = new Map<TestedFinding, TestResult>();
  for (const finding of tested) {
    const text = findTestText(finding.test, finding, ledger.seen);
    const isLate = deps.clock.now().getTime() >= latest;
    const failure =
      text === undefined
        ? `the test of ${finding.handle} was edited in its comment, or removed from it`
        : 'no time is left';
    if (text === undefined || isLate) warn(failure);
    else results.set(finding, await testNow(finding.test, text, bench, signal));
  }
  return outcomeOf(results, plan);
}

/** Runs the test of a finding on the code as it is. */
export async function testNow(
  { path, command, saw: [withFault, withoutFault] }: FindingTest,
  text: string,
  bench: TestBench,
  signal: AbortSignal,
): Promise<TestResult> {
  const test = { path, command, test: `${text}\n`, withFault, withoutFault };
  return await runAgain(test, bench, signal);
}

function outcomeOf(
  results: ReadonlyMap<TestedFinding, TestResult>,
  plan: OpenRun['plan'],
): TestedAgain {
  const passing = [...results].flatMap(([finding, result]) => (result === 'passes' ? finding : []));
  const settlements = passing.map((finding) => settlementOf(finding, plan));
  const failing = [...results].flatMap(([{ id }, result]) => (result === 'fails' ? id : []));
  const retested = [...results].map(([finding, result]) => {
    const end = settlements.find((settlement) => settlement.finding === finding)?.byTest;
    return { handle: finding.handle, result, end };
  });
  return { settlements, failing: new Set(failing), forModel: formatTestsAgain(retested) };
}

function settlementOf(
  finding: TestedFinding,
  { trigger, scope, reading }: OpenRun['plan'],
): Settlement {
  const pushed = new Set(scope?.kind === 'since' ? scope.change.files.map(({ path }) => path) : []);
  const pull = trigger.kind === 'pull_request' ? trigger : undefined;
  const pusher = pull?.action === 'synchronize' ? pull.actor.login : undefined;
  return {
    finding,
    how: 'fixed',
    reason: formatPass(pull?.head.sha, pusher),
    evidence: [],
    by: '',
    byTest: endByTest(finding, pushed, reading.word),
  };
}
