import { type BufferedPublications, NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import { mergePasses } from '../findings/publication-buffer.js';
import { mapWithLimit } from '../lib/clock.js';
import { REVIEW_PASSES } from '../lib/defaults.js';
import { AxeError, CancelledError } from '../lib/errors.js';
import { errorOf, type RunOutcome } from '../lib/outcome.js';
import { estimateText } from '../lib/text/bytes.js';
import { count } from '../lib/text/format.js';
import type { TokenUse } from '../loop/budget.js';
import type { LoopDependencies } from '../loop/events.js';
import { addStats } from '../loop/reply.js';
import { buildSystemPrompt } from '../prompt/prompt.js';
import { REVIEW_TOOL_NAMES } from '../tools/findings/review-tools.js';
import {
  type AgentConversation,
  type ConversationResult,
  formatLostParts,
  type LiveRun,
  lostByThrown,
} from './conversation.js';
import { holdConversation } from './hold-conversation.js';
import { readOnlyFacts } from './notes.js';
import type { Plan, ReviewPass } from './records.js';
import { REVIEWING_TOOLS } from './review-duty.js';

/**
 * Reviews a change in several conversations, three at a time, which share the run's budget. A pass
 * that does not fit into the budget is left out, and one that fails does not stop the others; the
 * files of both are reported as not read.
 */
export async function reviewInPasses(
  conversation: AgentConversation,
  passes: readonly ReviewPass[],
  maxFindings: number,
  run: LiveRun,
): Promise<ConversationResult> {
  const { loop } = conversation;
  const quiet = { ...conversation, loop: quietLoop(loop) };
  let done = 0;
  const ends = await mapWithLimit(REVIEW_PASSES.atOnce, passes, async (pass, index) => {
    const end = await holdPass(pass, index, quiet, run);
    done += 1;
    run.deps.progress?.show({ kind: 'parts', done, total: passes.length });
    return end;
  });
  const bufferedByPass = ends.map((end) => end.buffered);
  const buffered = mergePasses(bufferedByPass, maxFindings);

  const read = new Set(ends.flatMap(({ pass, isRead }) => (isRead ? pass.paths : [])));
  const unread = [...new Set(passes.flatMap(({ paths }) => paths))].filter(
    (path) => !read.has(path),
  );

  const findings = buffered.findings.length;
  loop.reporter.event({ kind: 'passes-joined', passes: ends.length, findings });
  warnOfUnread(ends, loop);
  return { outcome: joinOutcomes(ends, run), buffered, unread };
}

interface PassEnd {
  readonly pass: ReviewPass;
  /** Undefined if the pass was not started, or threw. */
  readonly outcome: RunOutcome | undefined;
  readonly buffered: BufferedPublications;
  /** The files of the pass count as read. */
  readonly isRead: boolean;
  /** The reason why they do not; undefined if there was no budget to start the pass. */
  readonly lost: AxeError | undefined;
}

async function holdPass(
  pass: ReviewPass,
  index: number,
  conversation: AgentConversation,
  run: LiveRun,
): Promise<PassEnd> {
  const { plan, model } = conversation;
  const release = run.budget.reserve(maxTokenUse(pass, conversation), model.price);
  // The first pass is held in any case, so that even a small budget reads something.
  const canStart = index === 0 || (release !== undefined && run.budget.spent() === undefined);
  if (!canStart)
    return { pass, outcome: undefined, buffered: NO_PUBLICATIONS, isRead: false, lost: undefined };

  const publications = run.openPass(pass.name);
  const buffered = () => publications?.buffered ?? NO_PUBLICATIONS;
  try {
    const notes = index === 0 ? conversation.notes : readOnlyFacts(conversation.notes);
    const agent = index === 0 ? plan.agent : withReviewToolsAlone(plan);
    const task = { ...plan.task, message: pass.message };
    const outcome = await holdConversation(
      { ...conversation, plan: { ...plan, agent, task }, part: pass.name, notes },
      { ...run, publications, notes },
    );
    const isRead = isAnswered(outcome);
    const lost = isRead
      ? undefined
      : (errorOf(outcome) ?? new AxeError('the model did not finish'));
    return { pass, outcome, buffered: buffered(), isRead, lost };
  } catch (thrown) {
    return {
      pass,
      outcome: undefined,
      buffered: buffered(),
      isRead: false,
      lost: lostByThrown(thrown),
    };
  } finally {
    release?.();
  }
}

/** Only the first pass sets labels, opens issues and the like: the others only review. */
function withReviewToolsAlone({ agent }: Plan): Plan['agent'] {
  const tools = agent.config.tools.filter(
    (name) => REVIEWING_TOOLS.includes(name) || !REVIEW_TOOL_NAMES.includes(name),
  );
  return { ...agent, config: { ...agent.config, tools } };
}

function isAnswered(outcome: RunOutcome): boolean {
  return (
    outcome.kind === 'completed' || (outcome.kind === 'exhausted' && outcome.isAnswered === true)
  );
}

/** An estimate of a long pass: its turns, and the tokens of tool results and replies in each. */
const LONG_PASS = { turns: 12, resultTokens: 2500, replyTokens: 500 } as const;

/**
 * The tokens to reserve for a pass. The provider caches the first request, so each later one only
 * pays in full for the tokens that the previous turn added.
 */
function maxTokenUse({ message }: ReviewPass, { plan, memory }: AgentConversation): TokenUse {
  const first =
    estimateText(buildSystemPrompt(plan.prompt)) + estimateText(memory) + estimateText(message);
  const { turns, resultTokens, replyTokens } = LONG_PASS;
  const added = (turns * (turns - 1) * (resultTokens + replyTokens)) / 2;
  const input = first * turns + added;
  const fresh = first + (turns - 1) * (resultTokens + replyTokens);
  const output = turns * replyTokens;
  return { input, output, cacheRead: Math.max(0, input - fresh), cacheWrite: 0 };
}

/**
 * A review succeeds if any pass has read its files. If time or budget ran out in a pass, or the run
 * was cancelled, the whole review is cut short.
 */
function joinOutcomes(ends: readonly PassEnd[], { budget }: LiveRun): RunOutcome {
  const outcomes = ends.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  const [first] = outcomes;
  if (first === undefined)
    throw ends[0]?.lost ?? new AxeError('no part of the change could be read');

  const completed = outcomes.find(({ kind }) => kind === 'completed');
  const base = outcomes.find(endsTheRun) ?? completed ?? first;

  const statsOfPasses = outcomes.map((outcome) => outcome.stats);
  const otherStats = outcomes.filter((outcome) => outcome !== base).map((outcome) => outcome.stats);
  // One agent held all passes, so its turns and calls are their sums.
  const stats = {
    ...addStats(base.stats, otherStats, budget),
    turns: statsOfPasses.reduce((sum, { turns }) => sum + turns, 0),
    toolCalls: statsOfPasses.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
    calls: statsOfPasses.flatMap(({ calls }) => calls),
  };

  if (base.kind === 'failed') return { ...base, stats };
  return { ...base, stats, answer: summariesOf(ends).join('\n\n') || base.answer };
}

/** Time or budget are those of all passes, and all of them are cancelled. */
function endsTheRun(outcome: RunOutcome): boolean {
  if (outcome.kind === 'failed') return outcome.error instanceof CancelledError;
  return outcome.kind === 'exhausted' && outcome.limit !== 'turns' && !isAnswered(outcome);
}

/** The summary of each pass: of its review if it has one, or else its answer. */
function summariesOf(ends: readonly PassEnd[]): readonly string[] {
  return ends.flatMap(({ outcome, buffered }) => {
    const answer = outcome === undefined || outcome.kind === 'failed' ? '' : outcome.answer.trim();
    const text = [buffered.review?.summary ?? '', answer].find((summary) => summary !== '') ?? '';
    return text === '' ? [] : [text];
  });
}

function warnOfUnread(ends: readonly PassEnd[], { reporter }: LoopDependencies): void {
  const notStarted = ends.filter(({ isRead, lost }) => !isRead && lost === undefined);
  if (notStarted.length > 0) {
    const message = `${count(notStarted.length, 'part')} of the change did not fit in the run's remaining budget`;
    const remedy = 'Raise `max-cost-usd` or `max-tokens`; the next review reads them first.';
    reporter.warn({ code: 'context-incomplete', message, remedy });
  }
  const failed = ends.flatMap(({ lost }) => lost ?? []);
  const differentReasons = new Set(failed.map((error) => error.message));
  // If all passes failed for the same reason, the run fails and reports it.
  if (failed.length === 0 || (failed.length === ends.length && differentReasons.size === 1)) return;
  const { reasons, remedy } = formatLostParts(failed);
  const message = `${count(failed.length, 'part')} of the review did not finish: ${reasons}. Their files count as not read.`;
  reporter.warn({ code: 'context-incomplete', message, remedy });
}

/**
 * The loop dependencies of passes and verifiers: their turns are not logged, equal warnings are
 * reported once, and their summaries are not kept as memory of the agent.
 */
export function quietLoop({
  keepSummary: _,
  reporter,
  ...loop
}: LoopDependencies): LoopDependencies {
  const warned = new Set<string>();
  return {
    ...loop,
    reporter: {
      event: () => undefined,
      warn(warning) {
        if (!warned.has(warning.message)) reporter.warn(warning);
        warned.add(warning.message);
      },
    },
  };
}
