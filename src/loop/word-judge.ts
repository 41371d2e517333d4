import { AxeError } from '../lib/errors.js';
import type { RunOutcome, RunStats, ToolCallRecord } from '../lib/outcome.js';
import type { Tool } from '../tools/tool.js';
import type { Budget } from './budget.js';
import type { LoopDependencies } from './events.js';
import { type AnswerForm, judgeAnswer } from './structured.js';

/** The purpose of a conversation that ends with a call of a tool, not with an answer in words. */
interface ConversationGoal {
  readonly tool: string;
  /** The model has called the tool as often as it should. */
  isReached(): boolean;
}

/** Calls of which at least one must be accepted, such as those that make up a review. */
export interface RequiredCalls {
  isMade(): boolean;
  /** Sent once to a model that answers without them. */
  readonly reminder: string;
  /** Says what is missing; `calls` are all calls that the model made. */
  missing(calls: readonly ToolCallRecord[]): AxeError;
}

export interface WordRules {
  readonly tools: readonly Tool[];
  readonly budget: Budget;
  /** Undefined for any text. */
  readonly form: AnswerForm | undefined;
  /** The tool that ends the conversation; if it is absent, an answer without a call does. */
  readonly goal?: ConversationGoal;
  /** Without them an answer does not count; absent: every answer counts. */
  readonly requiredCalls?: RequiredCalls;
}

/** A reply without a call. */
interface WordReply {
  /** Without the calls that the model wrote as text. */
  readonly answer: string;
  readonly hasWrittenCall: boolean;
  readonly end: 'whole' | AxeError;
  /** `provider/model`. */
  readonly ref: string;
}

type Judgement = RunOutcome | { readonly kind: 'again'; readonly correction: string };

/**
 * Decides what a reply without a call means: the conversation ends with it, or the model is asked
 * once more. It asks at most once for the form of an answer, and at most once for calls.
 */
export class WordJudge {
  #isFormAsked = false;
  #areCallsAsked = false;
  #isWarned = false;

  constructor(
    private readonly rules: WordRules,
    private readonly stats: () => RunStats,
    private readonly reporter: LoopDependencies['reporter'],
  ) {}

  judge(reply: WordReply): Judgement {
    const { form, budget, requiredCalls } = this.rules;
    const { answer, end } = reply;
    if (reply.hasWrittenCall)
      this.#warnOnce(`\`${reply.ref}\` wrote a tool call as text, and text is never run`);
    if (end instanceof AxeError) {
      // If the budget is spent too, that is the limit to raise first.
      const spent = budget.spent();
      if (spent !== undefined) return { kind: 'exhausted', ...spent, answer, stats: this.stats() };
      return { kind: 'incomplete', answer, error: end, stats: this.stats() };
    }

    const callReminder = this.#areCallsAsked ? undefined : this.#reminderFor(reply);
    if (callReminder !== undefined) {
      this.#areCallsAsked = true;
      return { kind: 'again', correction: callReminder };
    }
    const judged = judgeAnswer(answer, form, !this.#isFormAsked);
    if (judged.kind === 'again') {
      this.#isFormAsked = true;
      return { kind: 'again', correction: judged.message };
    }
    if (judged.kind === 'failed')
      return { kind: 'failed', error: judged.error, stats: this.stats() };
    if (requiredCalls === undefined || requiredCalls.isMade())
      return ended(judged.answer, budget, this.stats());
    return this.#withoutRequiredCalls(reply, requiredCalls);
  }

  /** Sent once to a model that answers in words where only a call counts. */
  #reminderFor({ hasWrittenCall }: WordReply): string | undefined {
    const { goal, requiredCalls } = this.rules;
    const reminders = [
      ...(hasWrittenCall ? [CALL_AS_TEXT] : []),
      ...(goal === undefined || goal.isReached() ? [] : [goalReminder(goal)]),
      ...(requiredCalls === undefined || requiredCalls.isMade() ? [] : [requiredCalls.reminder]),
    ];
    return reminders.length === 0 ? undefined : reminders.join(' ');
  }

  #withoutRequiredCalls({ answer, ref }: WordReply, required: RequiredCalls): RunOutcome {
    const { calls } = this.stats();
    if (calls.length === 0) this.#warnOnce(`\`${ref}\` called no tool, even after we reminded it`);
    const spent = this.rules.budget.spent();
    if (spent !== undefined) return { kind: 'exhausted', ...spent, answer, stats: this.stats() };
    const error = required.missing(calls);
    return { kind: 'incomplete', isUnreviewed: true, answer, error, stats: this.stats() };
  }

  #warnOnce(sign: string): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    const message = `${sign}. The model or its server probably does not support tool calls.`;
    this.reporter.warn({ code: 'model-warning', message, remedy: TOOL_CALLS });
  }
}

const TOOL_CALLS =
  'Choose a model that supports tool calls. On a server of your own, turn them on: llama.cpp needs `--jinja`, vLLM `--enable-auto-tool-choice`.';

const CALL_AS_TEXT =
  'You wrote a tool call as text, and text is never run. Call the tool itself, or answer without it.';

function goalReminder({ tool }: ConversationGoal): string {
  return `You have not called \`${tool}\`. Call it now: an answer in words does not count.`;
}

/** The reply that crosses the budget is still an answer, but the run exceeded its limits. */
export function ended(answer: string, budget: Budget, stats: RunStats): RunOutcome {
  const spent = budget.spent();
  if (spent === undefined) return { kind: 'completed', answer, stats };
  return { kind: 'exhausted', ...spent, answer, isAnswered: true, stats };
}
