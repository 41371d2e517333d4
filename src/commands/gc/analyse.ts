import type { ModelParams } from '../../core/agent/config.js';
import { COMPACTION, CONTEXT_WINDOW_TOKENS, GC } from '../../core/defaults.js';
import type { Dependencies } from '../../core/dependencies.js';
import { AxeError } from '../../core/errors.js';
import {
  ANALYST_PROMPT,
  type AnalysisReply,
  type BrokenAnalysis,
  brokenAnalysis,
  JOIN_PROMPT,
  partPrompt,
  reportsMessage,
} from '../../core/gc/analysis.js';
import { groupReports, planParts, splitLog } from '../../core/gc/parts.js';
import { type Asker, createAsker, type OpenModel, type Settings } from '../../core/loop/asker.js';
import { Budget, type BudgetLimits } from '../../core/loop/budget.js';
import { firstMessages, textOf } from '../../core/loop/messages.js';
import { modelSettings } from '../../core/loop/model-settings.js';
import { isThinking } from '../../core/loop/output-limit.js';
import type { RetryPolicy } from '../../core/loop/retry.js';
import { Usage } from '../../core/loop/usage.js';
import type { RunStats } from '../../core/outcome.js';
import { estimateText } from '../../core/text/truncate.js';

/** A log to be analysed, and by whom. */
interface AnalysisParts {
  /** As the model is given it, in pieces that stay whole (see `promptPieces`); read more than once. */
  readonly log: () => AsyncIterable<string>;
  readonly model: OpenModel;
  readonly fallbacks: readonly (() => Promise<OpenModel>)[];
  readonly retry: RetryPolicy;
  readonly params: Omit<ModelParams, 'temperature' | 'responseFormat'>;
  readonly limits: BudgetLimits;
  /** Told before the first question how many parts there are, and what counts all questions. */
  onParts(parts: number, stats: () => RunStats): void;
}

/** What a model made of a log. */
export interface Analysis extends Report {
  /** Parts that were read one after the other; 1 for a log that fits. */
  readonly parts: number;
}

interface Report {
  readonly text: string;
  /** Why the text is not a whole analysis; it is what had come by then. */
  readonly broken?: BrokenAnalysis;
}

/** One more question to the model that analysed, under the same limits. */
type FollowUpQuestion = (system: string, message: string) => Promise<AnalysisReply>;

/** An analysis with the model still at hand. */
export interface Analysed {
  readonly analysis: Analysis;
  ask: FollowUpQuestion;
}

/**
 * Has a model look for patterns in a log: in one question, or where it is longer than the model's window in parts of whole
 * entries whose reports are joined. Throws what asking throws.
 */
export async function analyse(parts: AnalysisParts, deps: Dependencies): Promise<Analysed> {
  const { model, params, log } = parts;
  const startedAt = deps.clock.now().getTime();
  const usage = new Usage(model.model.modelId);
  const budget = new Budget(parts.limits);
  const loop = { ...deps, signal: deps.deadline.signal, leftMs: () => deps.deadline.leftMs() };
  const asker = createAsker({ ...parts, usage, budget, ownSettings: ['temperature', 'effort'] }, loop);
  const window = model.windowTokens ?? CONTEXT_WINDOW_TOKENS;
  const quarter = Math.floor(window / 4);
  const most = isThinking(model.thinking, modelSettings(params)) ? model.thinking.maxOutputTokens : undefined;
  const outputTokens = Math.min(quarter, Math.max(GC.outputTokens, params.maxTokens || (most ?? 0)));
  const limits: Settings =
    params.maxTokens === 0 ? {} : { maxOutputTokens: Math.min(quarter, params.maxTokens) };
  const settings = { ...limits, temperature: GC.temperature, ...modelSettings(params) };
  const ask = questions(asker, { settings, ownTokens: Math.min(quarter, GC.outputTokens), budget, deps });
  const prompt = estimateText(JOIN_PROMPT) + estimateText(partPrompt(1, 1)) - estimateText(ANALYST_PROMPT);
  const room = Math.floor((window - outputTokens) * COMPACTION.startShare) - prompt;
  const own = Math.max(GC.leastRoomTokens, room);
  const { isWhole, parts: count } = await planParts(log(), own);
  parts.onParts(count, () => usage.stats(deps.clock.now().getTime() - startedAt, budget));
  const report = isWhole
    ? await reportOnWhole(log(), ask)
    : await reportOn(splitLog(log(), own), { room: own, count }, ask);
  return { analysis: { ...report, parts: count }, ask };
}

/** A log that fits is one question, as it is. */
async function reportOnWhole(log: AsyncIterable<string>, ask: FollowUpQuestion): Promise<Report> {
  const pieces: string[] = [];
  for await (const piece of log) pieces.push(piece);
  return reportOf(await ask(ANALYST_PROMPT, pieces.join('')));
}

async function reportOn(
  logs: AsyncIterable<string>,
  { room, count }: { readonly room: number; readonly count: number },
  ask: FollowUpQuestion,
): Promise<Report> {
  const reports: string[] = [];
  for await (const log of logs) {
    const prompt = count === 1 ? ANALYST_PROMPT : partPrompt(reports.length + 1, count);
    const report = reportOf(await ask(prompt, log));
    reports.push(report.text);
    if (report.broken !== undefined)
      return { ...report, text: count === 1 ? report.text : reportsSoFar(reports) };
  }
  return await joinReports(reports, room, ask);
}

async function joinReports(reports: readonly string[], room: number, ask: FollowUpQuestion): Promise<Report> {
  const [only] = reports;
  if (reports.length <= 1) return { text: only ?? '' };
  const joined: string[] = [];
  for (const group of groupReports(reports, room)) {
    const report = reportOf(await ask(JOIN_PROMPT, reportsMessage(group)));
    joined.push(report.text);
    if (report.broken !== undefined) return { ...report, text: reportsSoFar(joined) };
  }
  return await joinReports(joined, room, ask);
}

function reportOf(reply: AnalysisReply): Report {
  const broken = brokenAnalysis(reply);
  return broken === undefined ? { text: reply.text } : { text: reply.text, broken };
}

function reportsSoFar(reports: readonly string[]): string {
  return reports.filter((report) => report.trim() !== '').join('\n\n');
}

function questions(
  asker: Asker,
  {
    settings,
    ownTokens,
    budget,
    deps,
  }: {
    readonly settings: Settings;
    readonly ownTokens: number;
    readonly budget: Budget;
    readonly deps: Dependencies;
  },
): FollowUpQuestion {
  const { signal } = deps.deadline;
  return async (system, message) => {
    const spent = budget.spent();
    if (spent !== undefined) throw spent.error;
    try {
      signal.throwIfAborted();
      const { content, finishReason } = await asker.ask(firstMessages(system, message), settings, ownTokens);
      return { text: textOf(content), finish: finishReason.unified };
    } catch (thrown) {
      const cause: unknown = signal.aborted ? signal.reason : thrown;
      throw cause instanceof AxeError ? cause : thrown;
    }
  };
}
