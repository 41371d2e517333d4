import { internalAgent, SUMMARISER } from '../core/agent/internal.js';
import { subjectTrigger } from '../core/event/trigger.js';
import { withStats } from '../core/loop/usage.js';
import type { RunOutcome, RunStats } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import { buildSystemPrompt } from '../core/prompt/system.js';
import type { Buffered } from '../core/review/buffered.js';
import { withoutOffers } from '../core/review/suggestion.js';
import { FENCE_NOTICE, fence } from '../core/sanitize/fence.js';
import { cleanLine, cutToBytes } from '../core/text/cut.js';
import { parseDiff } from '../core/text/diff.js';
import { createWriteSummary, type WrittenSummary } from '../core/tools/review/write-summary.js';
import type { ReviewedDiff } from './change.js';
import type { ConversationParts, ConversationPurpose, Delegation } from './delegation.js';
import { type LostAnswer, lostBy, lostByThrown } from './lost-answer.js';
import { type Passed, quietly } from './passes.js';

/** A review in several passes, its findings verified. */
interface ToSummarise extends Passed {
  readonly plan: Plan;
  readonly change: ReviewedDiff | undefined;
  readonly parts: ConversationParts;
}

/**
 * Has one summary written of several passes, and findings joined that are one fault seen from two places. Where that fails
 * the passes' own summaries stay, one after the other.
 */
export async function summarise(
  of: ToSummarise,
  delegation: Delegation,
): Promise<{ readonly outcome: RunOutcome; readonly buffered: Buffered }> {
  const { outcome, buffered, parts } = of;
  const isOver =
    outcome.kind === 'failed' || outcome.kind === 'refused' || delegation.budget.spent() !== undefined;
  if (isOver || parts.loop.signal.aborted) return { outcome, buffered };
  let written: WrittenSummary | undefined;
  const purpose = {
    tool: createWriteSummary((one) => {
      written = one;
    }),
    isReached: () => written !== undefined,
    show: () => undefined,
  };
  const { stats, lost } = await ask(of, purpose, delegation);
  const summaryOfAll: WrittenSummary | undefined = written;
  if (summaryOfAll === undefined) {
    const message = `no overall summary was written (${lost.message}), so the summaries of the parts are used`;
    parts.loop.reporter.warn({
      code: 'model-warning',
      message,
      remedy: `No finding is lost. ${lost.remedy}`,
    });
    return { outcome: { ...outcome, stats }, buffered };
  }
  const summary = withoutOffers(summaryOfAll.summary).trim();
  return {
    outcome: { ...outcome, answer: summary, stats },
    buffered: {
      ...buffered,
      findings: withoutSame(buffered, summaryOfAll),
      review: { summary, verdict: buffered.review?.verdict ?? 'comment' },
    },
  };
}

/** What the request came to, besides the summary. */
interface SummaryRequestResult {
  readonly stats: RunStats;
  readonly lost: LostAnswer;
}

async function ask(
  of: ToSummarise,
  purpose: ConversationPurpose,
  delegation: Delegation,
): Promise<SummaryRequestResult> {
  const { plan, parts, outcome } = of;
  try {
    const message = describe(of);
    const held = { ...parts, memory: '', notesSession: undefined, loop: quietly(parts.loop), purpose };
    const ended = await delegation.converse(summariserPlan(plan, message, delegation), held, delegation, {
      depth: 0,
      callerEffects: undefined,
    });
    const lost = lostBy(ended, 'the model wrote none');
    return { stats: withStats(outcome.stats, [ended.stats], delegation.budget), lost };
  } catch (thrown) {
    return { stats: outcome.stats, lost: lostByThrown(thrown) };
  }
}

const TURNS = 2;

function summariserPlan(parent: Plan, message: string, { request }: Delegation): Plan {
  const agent = internalAgent(SUMMARISER, { caller: parent.agent, params: parent.agent.config.params });
  const { systemPrompt } = agent.config;
  const { passes: _, ...rest } = parent;
  return {
    ...rest,
    agent,
    skill: { path: '', content: '' },
    files: [],
    stdin: '',
    task: { sentence: SUMMARISER.description, message, warnings: [] },
    form: undefined,
    systemPrompt: buildSystemPrompt({ systemPrompt, skill: '', files: [], language: request.language ?? '' }),
    memory: undefined,
    maxTurns: TURNS,
    warnings: [],
  };
}

const MAX_TITLE = 300;
const MAX_BYTES = 16 * 1024;

function describe({ plan, change, buffered, summaries: summaryOfAll, unread }: ToSummarise): string {
  const subject = subjectTrigger(plan.trigger);
  const title = subject === undefined ? '' : cleanLine(subject.title, MAX_TITLE);
  const body = subject?.kind === 'pull_request' ? subject.body : '';
  const files = parseDiff(change?.diff ?? '').map(
    ({ path, additions, deletions }) => `${path} +${additions} -${deletions}`,
  );
  const findings = buffered.findings.map(({ finding }, index) => {
    const { title: fault, path, line, severity, category } = finding;
    return `${index + 1}. ${severity} ${category}, ${path}:${line}: ${fault}`;
  });
  const block = (lines: readonly string[], source: string) =>
    lines.length === 0 ? [] : [fence(cutToBytes(lines.join('\n'), MAX_BYTES).text, { source })];
  return [
    'Write the summary of this review.',
    FENCE_NOTICE,
    ...block([`Title: ${title}`, body], 'title and description'),
    ...block(files, 'changed files'),
    ...block(
      summaryOfAll.map(({ name, text }) => `${name}: ${text}`),
      'what each part says',
    ),
    findings.length === 0 ? 'No finding was kept.' : 'Findings that were kept:',
    ...block(findings, 'findings'),
    ...(unread.length === 0 ? [] : ['Nobody has read these files:', ...block(unread, 'files not read')]),
  ].join('\n\n');
}

/** Only a pair of this list, and never both of one: a summary takes no fault away. */
function withoutSame({ findings }: Buffered, { same }: WrittenSummary): Buffered['findings'] {
  const dropped = new Set<number>();
  for (const { keep, drop } of same) {
    const isThere = findings[keep - 1] !== undefined && findings[drop - 1] !== undefined;
    if (isThere && keep !== drop && !dropped.has(keep)) dropped.add(drop);
  }
  return findings.filter((_, index) => !dropped.has(index + 1));
}
