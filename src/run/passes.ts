import { type BufferedPublications, NO_PUBLICATIONS } from '../findings/buffered-publications.js';
import { mergePasses } from '../findings/publication-buffer.js';
import { mapWithLimit } from '../lib/clock.js';
import { REVIEW_PASSES } from '../lib/defaults.js';
import { AxeError } from '../lib/errors.js';
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
import type { Plan, ReviewPass } from './records.js';

/**
 * Reads a change in several conversations, three at a time, within the run's one budget. What does
 * not fit into it is not read, and a pass that fails leaves the others: the files of both are
 * named.
 */
export async function reviewInPasses(
  own: AgentConversation,
  passes: readonly ReviewPass[],
  maxFindings: number,
  run: LiveRun,
): Promise<ConversationResult> {
  const { loop } = own;
  const quiet = { ...own, loop: quietLoop(loop) };
  const ends = await mapWithLimit(REVIEW_PASSES.atOnce, passes, (pass, index) =>
    holdPass(pass, index, quiet, run),
  );
  const all = ends.map((end) => end.buffered);
  const buffered = mergePasses(all, maxFindings);
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
  /** Undefined for one that was not begun, or threw. */
  readonly outcome: RunOutcome | undefined;
  readonly buffered: BufferedPublications;
  /** Whether its files count as read. */
  readonly isRead: boolean;
  /** Why they do not; undefined for want of a budget to begin with. */
  readonly lost: AxeError | undefined;
}

async function holdPass(
  pass: ReviewPass,
  index: number,
  own: AgentConversation,
  run: LiveRun,
): Promise<PassEnd> {
  const { plan, model } = own;
  const release = run.budget.reserve(worstCase(pass, own), model.price);
  // However little there is, something is read with it.
  const mayBegin = index === 0 || (release !== undefined && run.budget.spent() === undefined);
  if (!mayBegin)
    return { pass, outcome: undefined, buffered: NO_PUBLICATIONS, isRead: false, lost: undefined };
  const publications = run.openPass(pass.name);
  const buffered = () => publications?.buffered ?? NO_PUBLICATIONS;
  try {
    const notes = index === 0 ? own.notes : undefined;
    const agent = index === 0 ? plan.agent : reviewing(plan);
    const task = { ...plan.task, message: pass.message };
    const outcome = await holdConversation(
      { ...own, plan: { ...plan, agent, task }, part: pass.name, notes },
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

/** Labels, issues and the like are for the first pass: the others only review. */
function reviewing({ agent }: Plan): Plan['agent'] {
  const REVIEWING = ['add_review_comment', 'settle_finding', 'submit_review'];
  const tools = agent.config.tools.filter(
    (name) => REVIEWING.includes(name) || !REVIEW_TOOL_NAMES.includes(name),
  );
  return { ...agent, config: { ...agent.config, tools } };
}

function isAnswered(outcome: RunOutcome): boolean {
  return (
    outcome.kind === 'completed' || (outcome.kind === 'exhausted' && outcome.isAnswered === true)
  );
}

/** Turns of a pass that are reckoned with, what each adds to the conversation, and what it says. */
const WORST = { turns: 12, resultTokens: 2500, replyTokens: 500 } as const;

/**
 * What a pass may take: the first request is new to the provider, the later ones are cached but for
 * what a turn has added.
 */
function worstCase({ message }: ReviewPass, { plan, memory }: AgentConversation): TokenUse {
  const first =
    estimateText(buildSystemPrompt(plan.prompt)) + estimateText(memory) + estimateText(message);
  const { turns, resultTokens, replyTokens } = WORST;
  const added = (turns * (turns - 1) * (resultTokens + replyTokens)) / 2;
  const input = first * turns + added;
  const fresh = first + (turns - 1) * (resultTokens + replyTokens);
  const output = turns * replyTokens;
  return { input, output, cacheRead: Math.max(0, input - fresh), cacheWrite: 0 };
}

/**
 * A review that has read something is not a failure; one whose time or money ended in the middle is
 * cut short as any other.
 */
function joinOutcomes(ends: readonly PassEnd[], { budget }: LiveRun): RunOutcome {
  const outcomes = ends.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome]));
  const [first] = outcomes;
  if (first === undefined)
    throw ends[0]?.lost ?? new AxeError('no part of the change could be read');
  const completed = outcomes.find(({ kind }) => kind === 'completed');
  const cut = outcomes.find(
    (one) => one.kind === 'exhausted' && one.limit !== 'turns' && !isAnswered(one),
  );
  const base = cut ?? completed ?? first;
  const others = outcomes.filter((one) => one !== base).map(({ stats }) => stats);
  // One agent did all of it, so turns and calls are those of all passes.
  const all = outcomes.map(({ stats: own }) => own);
  const stats = {
    ...addStats(base.stats, others, budget),
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    toolCalls: all.reduce((sum, { toolCalls }) => sum + toolCalls, 0),
    calls: all.flatMap(({ calls }) => calls),
  };
  if (base.kind === 'failed') return { ...base, stats };
  return { ...base, stats, answer: summariesOf(ends).join('\n\n') || base.answer };
}

/** What each pass that came to its end says of itself. */
function summariesOf(ends: readonly PassEnd[]): readonly string[] {
  return ends.flatMap(({ outcome, buffered }) => {
    const answer = outcome === undefined || outcome.kind === 'failed' ? '' : outcome.answer.trim();
    const text = [buffered.review?.summary ?? '', answer].find((one) => one !== '') ?? '';
    return text === '' ? [] : [text];
  });
}

function warnOfUnread(ends: readonly PassEnd[], { reporter }: LoopDependencies): void {
  const unpaid = ends.filter(({ isRead, lost }) => !isRead && lost === undefined);
  const failed = ends.flatMap(({ lost }) => lost ?? []);
  if (unpaid.length > 0) {
    const message = `${count(unpaid.length, 'part')} of the change did not fit in the run's remaining budget`;
    const remedy = 'Raise `max-cost-usd` or `max-tokens`; the next review reads them first.';
    reporter.warn({ code: 'context-incomplete', message, remedy });
  }
  const reasons = new Set(failed.map(({ message }) => message));
  // Where all parts end for one reason, so does the run, and its error says it.
  if (failed.length === 0 || (failed.length === ends.length && reasons.size === 1)) return;
  const { reasons: told, remedy } = formatLostParts(failed);
  const message = `${count(failed.length, 'part')} of the review did not finish: ${told}. Their files count as not read.`;
  reporter.warn({ code: 'context-incomplete', message, remedy });
}

/**
 * The loop's world of conversations besides the run's own: their turns are not told, a warning of
 * all of them is one, and a summary of theirs is no memory of the agent.
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
