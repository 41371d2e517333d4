import { WHY_LIMITED } from '../event/trust.js';
import type { TestedFinding } from '../findings/buffered-publications.js';
import type { PlacedFinding } from '../findings/change/diff-lines.js';
import { sortWorstFirst } from '../findings/change/diff-lines.js';
import type { TestDraft } from '../findings/decide/demonstration.js';
import { type Finding, isAtLeast } from '../findings/finding.js';
import { testHash, WHY_UNCONFIRMED, WHY_UNTRIED } from '../findings/post/test-block.js';
import { DEMONSTRATION } from '../lib/defaults.js';
import {
  type AcceptedTest,
  type Attempt,
  createDemonstrate,
  type TestableClaim,
} from '../tools/findings/demonstrate.js';
import { demonstrate, type TestBench } from '../tools/process/test-bench.js';
import type { Tool } from '../tools/tool.js';
import type { AgentConversation, LiveRun } from './conversation.js';
import { cleanFor } from './outbound.js';

/** Shows findings by tests, while a verifier decides about them. */
export interface Demonstrations {
  /** The tool for a group of claims; undefined if none of them is to be shown by a test. */
  toolFor(ids: readonly string[]): Tool | undefined;
  /** A finding after its second look, with the test that shows it if it holds. */
  withTest<Shown extends Finding>(finding: Shown): Shown;
  /** For the job summary. */
  tested(findings: readonly Pick<PlacedFinding, 'finding'>[]): readonly TestedFinding[];
}

const NO_DEMONSTRATIONS: Demonstrations = {
  toolFor: () => undefined,
  withTest: (finding) => finding,
  tested: () => [],
};

/**
 * Opens what tests of findings need, if the agent asks for them and there is a finding to show. What
 * is missing is a warning.
 */
export async function openDemonstrations(
  { plan, loop }: AgentConversation,
  candidates: readonly PlacedFinding[],
  run: LiveRun,
): Promise<Demonstrations> {
  const findings = findingsToShow(candidates, plan.review.prove, run);
  const { deps, change } = run;
  if (findings.length === 0 || change === undefined) return NO_DEMONSTRATIONS;

  const { reading, agent } = plan;
  const bench =
    reading.rights.demonstrates !== 'none'
      ? await deps.openTestBench?.({ agent, reading, head: change.head, signal: loop.signal })
      : WHY_LIMITED;
  if (bench === undefined) return NO_DEMONSTRATIONS;
  if (typeof bench === 'string') {
    const message = `No finding is shown by a test, although \`prove\` is set: ${bench}.`;
    loop.reporter.warn({ code: 'not-demonstrated', message });
    return NO_DEMONSTRATIONS;
  }
  return demonstrationsOf(findings, bench, { plan, loop }, run);
}

/**
 * The findings that a test can show: each needs a comment of its own, in which the test is posted
 * and found again.
 */
function findingsToShow(
  candidates: readonly PlacedFinding[],
  least: Finding['severity'] | undefined,
  { publications }: LiveRun,
): readonly Finding[] {
  const scope = publications?.scopeOfReview;
  if (least === undefined || scope === undefined) return [];
  const onLines = sortWorstFirst(candidates).filter(({ placement }) => placement.kind === 'line');
  const shown = scope.ledger.open.filter(({ test }) => test !== undefined).length;
  return onLines
    .slice(0, scope.rules.maxComments)
    .map(({ finding }) => finding)
    .filter(({ severity, rule }) => rule === undefined && isAtLeast(severity, least))
    .slice(0, Math.max(0, DEMONSTRATION.ofPull - shown));
}

/** Runs the tests of these findings on a bench. */
export function demonstrationsOf(
  findings: readonly Finding[],
  bench: TestBench,
  { plan, loop }: Pick<AgentConversation, 'plan' | 'loop'>,
  { deps, change }: LiveRun,
): Demonstrations {
  const attempts = new Map<string, Attempt>();
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  const secrets = deps.secrets.values;
  const started = Math.min(DEMONSTRATION.reviewMs, loop.leftMs() / 3);
  let spentMs = 0;
  let queue: Promise<unknown> = Promise.resolve();

  async function runNow(draft: TestDraft, spentOnFinding: number, signal: AbortSignal) {
    const maxMs = Math.min(started - spentMs, DEMONSTRATION.findingMs - spentOnFinding);
    if (maxMs <= 0) return undefined;
    const clean = cleanFor(plan.reading.word, { secrets });
    const began = deps.clock.now().getTime();
    const result = await demonstrate(draft, bench, { maxMs, clean }, signal);
    const ms = deps.clock.now().getTime() - began;
    spentMs += ms;
    return { ...result, ms };
  }

  function withTest<Shown extends Finding>(finding: Shown): Shown {
    const attempt = attempts.get(finding.id);
    if (attempt?.kind !== 'shown' || finding.confidence !== 'confirmed') return finding;
    const head = change?.head ?? '';
    const test = { ...keptTest(attempt.test), words: plan.reading.word, head };
    return { ...finding, test, shown: attempt.test.shown };
  }

  return {
    withTest,
    toolFor(ids) {
      const claims = ids.map((id) => byId.get(id)).map((finding) => finding && claimOf(finding));
      if (claims.every((claim) => claim === undefined)) return undefined;
      return createDemonstrate({
        claims,
        // One after the other, so that tests do not take each other's time.
        run: async (draft, spentOnFinding, signal) => {
          const turn = queue.then(() => runNow(draft, spentOnFinding, signal));
          queue = turn.catch(() => undefined);
          return await turn;
        },
        keep: (id, attempt) => attempts.set(id, attempt),
        secrets,
      });
    },
    tested: (placed) =>
      placed
        .filter(({ finding }) => byId.has(finding.id))
        .map(({ finding: { handle, id, test } }) => {
          const attempt = attempts.get(id);
          if (test !== undefined) return { handle, why: undefined };
          if (attempt?.kind === 'shown') return { handle, why: WHY_UNCONFIRMED };
          return { handle, why: attempt?.kind === 'none' ? attempt.why : WHY_UNTRIED };
        }),
  };
}

function keptTest({ draft, shown }: AcceptedTest) {
  const { path, command, withFault, withoutFault, fix } = draft;
  return {
    sha256: testHash(shown.text),
    path,
    command,
    saw: [withFault, withoutFault] as const,
    fixed: [...new Set(fix.map((edit) => edit.path))],
  };
}

/** The suggestion of a finding on one line is a change that a test can be held against. */
function claimOf({ id, path, code, suggestion, startLine, side }: Finding): TestableClaim {
  const isOfLine = suggestion !== undefined && startLine === undefined && side === 'RIGHT';
  if (!isOfLine || code === undefined) return { id };
  return { id, suggested: [{ path, code, instead: suggestion }] };
}
