import type { CommentTrigger } from '../../event/trigger.js';
import type { Ledger } from '../../findings/decide/ledger.js';
import { isOpen } from '../../findings/finding.js';
import type { KnownFinding } from '../../findings/known-finding.js';
import {
  formatNotOpen,
  formatNotShown,
  formatTestNow,
  WHY_NOT_SHOWN,
} from '../../findings/post/test-command-text.js';
import { findTestText } from '../../findings/post/test-text.js';
import { DEMONSTRATION } from '../../lib/defaults.js';
import type { Dependencies } from '../dependencies.js';
import { type MemoryRefusal, refusal } from '../memory-commands/command-session.js';
import type { FindingToShow, RunRequest } from '../records.js';
import { testNow } from '../run-tests-again.js';
import {
  type AgentMemory,
  type CommandAnswer,
  commandDone,
  DRY_RUN,
  type TestCommand,
} from './command.js';
import {
  answerOnce,
  findTargets,
  openBench,
  readPullFindings,
  requestAboutFindings,
} from './findings.js';

/**
 * The finding for `/axe test`, or the answer if no model is to be asked: its test was run again, or
 * it cannot be shown by one here.
 */
export async function findToShow(
  command: TestCommand,
  opened: AgentMemory,
  { dryRun }: RunRequest,
  deps: Dependencies,
): Promise<FindingToShow | CommandAnswer> {
  const pullFindings = await readPullFindings(command, opened, deps);
  if ('result' in pullFindings) return pullFindings;
  const { ledger, change } = pullFindings;
  const targets = findTargets(command, ledger);
  if ('result' in targets) return targets;

  const [finding] = targets.filter(isOpen);
  if (finding === undefined) {
    const message = formatNotOpen(targets.map(({ handle }) => handle));
    return answerOnce(refusal('refused', message));
  }
  const problem = whyNotShown(finding, ledger);
  if (problem !== undefined) return { result: cannotShow(finding, problem) };
  if (change === undefined) {
    const message = 'the pull request could not be read';
    return { result: refusal('unreadable', message) };
  }
  if (change.isFork) return { result: cannotShow(finding, WHY_NOT_SHOWN.fork) };
  if (dryRun) return { result: DRY_RUN };

  const { agent } = opened;
  const bench = await openBench(command, [finding], { agent, head: change.head }, deps);
  if (typeof bench === 'string') return { result: cannotShow(finding, bench) };
  const { test } = finding;
  if (test === undefined) return { finding, ledger, change, bench };

  const testText = findTestText(test, finding, ledger.seen);
  if (testText === undefined) return { result: cannotShow(finding, WHY_NOT_SHOWN.edited) };
  const result = await testNow(test, testText, bench, deps.deadline.signal);
  const text = formatTestNow({ handle: finding.handle, test }, result, change.head);
  return { result: commandDone(text, false) };
}

/** The run that shows a finding by a test. */
export function showRequest(
  request: RunRequest,
  trigger: CommentTrigger,
  toShow: FindingToShow,
): RunRequest {
  const message = `Show the finding ${toShow.finding.handle} of pull request #${trigger.number} by a test`;
  return { ...requestAboutFindings(request, trigger), prompt: message, toShow };
}

function whyNotShown({ id, rule }: KnownFinding, { open }: Ledger): string | undefined {
  if (rule !== undefined) return WHY_NOT_SHOWN.rule;
  const others = open.filter((finding) => finding.id !== id && finding.test !== undefined);
  return others.length >= DEMONSTRATION.ofPull ? WHY_NOT_SHOWN.limit : undefined;
}

function cannotShow({ handle }: KnownFinding, cause: string): MemoryRefusal {
  return refusal('refused', formatNotShown(handle, cause));
}
