import { CHECKER } from '../agent/built-in.js';
import { isOffline } from '../agent/config.js';
import { type CheckRow, type KeptChecks, overruledBy } from '../findings/check-rows.js';
import { CHECKS_FILE, type Check } from '../findings/checks.js';
import { CheckAnswers, rowWithoutAsking, unanswered } from '../findings/decide/check-answers.js';
import { linesOfDiff, ShownFiles, type ShownLines } from '../findings/decide/evidence.js';
import { describeRules } from '../findings/post/checks-text.js';
import { CHECKS } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
import { errorOf, type RunStats } from '../lib/outcome.js';
import { parseDiff, pathsOf } from '../lib/text/diff.js';
import { addStats } from '../loop/reply.js';
import { describeDiff } from '../prompt/describe.js';
import { createAnswerChecks } from '../tools/findings/answer-checks.js';
import {
  type AgentConversation,
  type ConversationResult,
  canAskMore,
  formatLostParts,
  type LiveRun,
  lostByThrown,
} from './conversation.js';
import { holdConversation } from './hold-conversation.js';
import { openVerifier } from './verify.js';

/**
 * Asks one conversation whether the change keeps the rules of its project, apart from the review: a
 * rule must not steer findings. Never throws: a check without an answer that counts is unsure.
 */
export async function askChecks(
  checks: readonly Check[],
  reviewer: AgentConversation,
  result: ConversationResult,
  run: LiveRun,
): Promise<ConversationResult> {
  const record = run.publications?.scopeOfReview?.ledger.checks;
  const paths = parseDiff(run.change?.diff ?? '').flatMap(pathsOf);
  const files = { paths, areAllKnown: run.change?.hasAllFiles !== false };
  const decided = checks.flatMap(
    (check) => overruledRow(check, record) ?? rowWithoutAsking(check, files) ?? [],
  );
  const toAsk = checks.filter((check) => decided.every((row) => row.check !== check));
  const { rows, stats } = await ask(toAsk, reviewer, result, run);

  const byCheck = new Map([...decided, ...rows].map((row) => [row.check, row]));
  const all = checks.map((check) => byCheck.get(check) ?? unanswered(check, ''));
  const { outcome, buffered } = result;
  return {
    ...result,
    outcome: { ...outcome, stats: addStats(outcome.stats, stats, run.budget) },
    buffered: { ...buffered, checks: all },
  };
}

/** A person's word holds while the check is as it was written. */
function overruledRow(check: Check, record: KeptChecks | undefined): CheckRow | undefined {
  const word = overruledBy(check, record);
  if (word === undefined) return undefined;
  const answer = record?.said.find(({ name }) => name === word.name)?.answer ?? 'unsure';
  return { check, answer, why: word.why, quote: '', overruledBy: word.login };
}

async function ask(
  checks: readonly Check[],
  reviewer: AgentConversation,
  { outcome: reviewed }: ConversationResult,
  run: LiveRun,
): Promise<{ readonly rows: readonly CheckRow[]; readonly stats: readonly RunStats[] }> {
  const { loop, plan: parent } = reviewer;
  const canAsk = canAskMore(reviewed, reviewer, run) && !isOffline(parent.model);
  if (checks.length === 0 || !canAsk) return { rows: [], stats: [] };

  const diff = run.change?.diff ?? '';
  const files = parseDiff(diff);
  const inDiff = linesOfDiff(files);
  const shown = new ShownFiles(inDiff);
  const answers = new CheckAnswers(checks, { shown, diff: new ShownFiles(inDiff) });
  const warn = (lost: AxeError) => {
    const { reasons, remedy } = formatLostParts([lost]);
    const message = `checks of \`${CHECKS_FILE}\` have no answer: ${reasons}`;
    loop.reporter.warn({ code: 'checks-unanswered', message, remedy });
  };
  try {
    // The model of the reviewer, not that of its verifier.
    const review = { ...parent.review, verifier: '', verifyModel: undefined };
    const asker = { ...reviewer, plan: { ...parent, review } };
    const opened = await openVerifier(CHECKER, asker, run);
    const { maxTokens, ...policy } = run.request.diffPolicy;
    const described = describeDiff(diff, CHECKS.source, {
      ...policy,
      maxTokens: Math.ceil(maxTokens / 2),
      tool: 'github_diff',
    });
    const paths = files.map(({ path }) => path);
    const message = [...describeRules(checks, paths), ...described.blocks].join('\n\n');
    const plan = {
      ...opened.plan,
      task: { ...opened.plan.task, message },
      maxTurns: CHECKS.turns,
    };
    const purpose = {
      tool: createAnswerChecks(answers),
      isReached: () => answers.isComplete,
      show: (lines: readonly ShownLines[]) => shown.show(lines),
    };
    const outcome = await holdConversation({ ...opened, plan, purpose }, run);
    if (!answers.isComplete)
      warn(errorOf(outcome) ?? new AxeError('the model did not answer all of them'));
    return { rows: answers.rows, stats: [outcome.stats] };
  } catch (thrown) {
    warn(lostByThrown(thrown));
    return { rows: answers.rows, stats: [] };
  }
}
