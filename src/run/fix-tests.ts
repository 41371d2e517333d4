import { resultOfRun } from '../findings/decide/demonstration.js';
import type { FindingTest, TestResult } from '../findings/finding.js';
import type { FindingToFix } from '../findings/known-finding.js';
import {
  formatGoalEnd,
  formatGoalMissed,
  formatGoalNotRun,
  WHY_NOT_SHOWN,
} from '../findings/post/test-command-text.js';
import type { RunOutcome } from '../lib/outcome.js';
import { redact } from '../safety/redact.js';
import { lastLines, type TestBench } from '../tools/process/test-bench.js';
import { escapeOutput, type Tool } from '../tools/tool.js';
import type { Changes } from '../tools/workspace/changes.js';

/** The tests of the findings that a run fixes: each is run over its changes before their commit. */
export interface FixTests {
  /** The tools, of which the one that commits runs the test first. */
  before(tools: readonly Tool[]): readonly Tool[];
  /** The outcome, whose answer says how the tests ended. */
  withResults(outcome: RunOutcome): RunOutcome;
}

type TestedFinding = FindingToFix & { readonly test: FindingTest; readonly testText: string };

const COMMIT = 'push_to_pull_request';

export function createFixTests(
  findings: readonly FindingToFix[],
  bench: TestBench | string,
  changes: Pick<Changes, 'edits' | 'problem'>,
): FixTests {
  const tested = findings.filter(hasTest);
  const results = new Map<string, TestResult>();
  const committed = new Set<string>();

  /** The finding with a test that a commit fixes. */
  function fixedBy(message: string): TestedFinding | undefined {
    const named = (candidate: FindingToFix) => message.includes(candidate.handle);
    const [finding, ...others] = findings.length === 1 ? tested : tested.filter(named);
    return others.length > 0 ? undefined : finding;
  }

  /** Runs the test of a finding before its commit; a text says once that it does not pass. */
  async function failureOf(
    finding: TestedFinding,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (typeof bench === 'string' || changes.problem !== undefined) return undefined;

    const { handle, test } = finding;
    const { path, command } = test;
    const [withFault, withoutFault] = test.saw;
    const edited = [...changes.edits].map(
      ([name, { after }]) =>
        [name, after === undefined ? undefined : Buffer.from(after).toString()] as const,
    );
    const file = { path, command, test: `${finding.testText}\n` };
    const run = await bench.run(file, new Map(edited), signal);
    const result = resultOfRun(run, { withFault, withoutFault });
    const isFirst = !results.has(handle);
    results.set(handle, result);
    if (result === 'passes' || !isFirst) return undefined;
    const output = redact(escapeOutput(lastLines(run.output)), []);
    return formatGoalMissed(finding, result, output);
  }

  async function commit(tool: Tool, ...[input, signal]: Parameters<Tool['execute']>) {
    const { message } = (input ?? {}) as { readonly message?: unknown };
    const finding = fixedBy(String(message ?? ''));
    if (finding === undefined) return await tool.execute(input, signal);
    const failure = await failureOf(finding, signal);
    if (failure !== undefined) return { text: failure, isError: true };
    const answer = await tool.execute(input, signal);
    if (answer.isError !== true) committed.add(finding.handle);
    return answer;
  }

  return {
    before: (tools) =>
      tools.map((tool) =>
        tool.name === COMMIT
          ? { ...tool, execute: (input, signal) => commit(tool, input, signal) }
          : tool,
      ),
    withResults(outcome) {
      if (outcome.kind !== 'completed') return outcome;
      const sentences = findings.flatMap((finding) => {
        const { handle, test } = finding;
        if (test === undefined) return [];
        if (!hasTest(finding)) return formatGoalNotRun(handle, WHY_NOT_SHOWN.edited);
        if (typeof bench === 'string') return formatGoalNotRun(handle, bench);
        const result = results.get(handle);
        if (result === undefined) return [];
        return formatGoalEnd(finding, result, committed.has(handle));
      });
      const answer = [outcome.answer.trimEnd(), ...sentences].join('\n\n');
      return sentences.length === 0 ? outcome : { ...outcome, answer };
    },
  };
}

function hasTest(finding: FindingToFix): finding is TestedFinding {
  return finding.test !== undefined && finding.testText !== undefined;
}
