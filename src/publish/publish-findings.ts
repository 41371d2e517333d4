import { subjectNumber } from '../event/trigger.js';
import { isCutShort } from '../lib/outcome.js';
import { paragraphs, usd } from '../lib/text/format.js';
import { NOTHING_BUFFERED } from '../review/buffered.js';
import { formatRefusals } from '../review/comment-text.js';
import { formatCoverage } from '../review/coverage.js';
import {
  type MarksOnPull,
  type PostedReview,
  type ReviewExtent,
  type ReviewPost,
  recordsOf,
} from '../review/news.js';
import { postReview } from '../review/post-review.js';
import type { FindingRecord, ReviewResult } from '../review/record.js';
import { backMark, endedMark } from '../review/said.js';
import { isQuestion } from '../review/scope.js';
import { hasNews, isAsking, isClosed } from '../review/tell-findings.js';
import type { FindingsToTell, PublishRequest, ToldFindings } from '../run/dependencies.js';
import type { Published } from '../run/records.js';
import type { MarkLane } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionPublisherOptions, cleanFor, reviewRemarks } from './publisher-options.js';
import { publishSideEffects } from './side-effects.js';

/** Publishes what the tools of a run collected: the review, then labels and the like. Trouble is a warning. */
export async function publishRequested(
  end: PublishRequest,
  options: ActionPublisherOptions,
): Promise<PostedReview> {
  const { plan, outcome, buffered, change, findings, lane } = end;
  const { trigger, agent } = plan;
  if ((buffered === NOTHING_BUFFERED && findings === undefined) || trigger.kind === 'local')
    return { isReview: false };
  const isRead = outcome.kind !== 'failed' && outcome.kind !== 'refused';
  const clean = cleanFor(lane, options);
  const { repository } = trigger;
  let review: PostedReview = { isReview: false };
  if (change !== undefined && findings !== undefined) {
    const { head } = change;
    review = await postReview(options.client, {
      ...postingOf(findings, { repository, agent: agent.name, head, lane }, options),
      agent: trigger.kind === 'comment' ? `${agent.name}/reply-${trigger.commentId}` : agent.name,
      buffered,
      remarks: reviewRemarks(outcome, buffered, plan.warnings).map(clean),
      isQuestion: isQuestion(trigger),
      isOver: options.comment !== 'never' && isRead,
      maxComments: options.rules.maxComments,
      extent: reviewExtent(end),
      footer: reviewFooter(end, options.runUrl, clean),
    });
  }
  const isComplete =
    outcome.kind === 'completed' || (outcome.kind === 'exhausted' && outcome.isAnswered === true);
  const effects = isComplete ? await publishSideEffects(end, options) : {};
  const details = paragraphs([review.details ?? '', formatRefusals(buffered.refusals)]);
  return {
    ...review,
    line: [review.line, effects.line].filter((line) => line !== undefined).join(' ') || undefined,
    failure: review.failure ?? effects.failure,
    details: details === '' ? undefined : details,
    review: isRead ? review.review : undefined,
  };
}

/** Tells on other pull requests, where people have answered findings since. */
export async function tellOthers(
  { plan: { trigger, agent }, others, lane }: PublishRequest,
  options: ActionPublisherOptions,
): Promise<readonly MarksOnPull[]> {
  if (options.comment === 'never' || trigger.kind === 'local') return [];
  const { repository } = trigger;
  const told: MarksOnPull[] = [];
  for (const findings of others) {
    // Their change is not known: no review is posted, only taken back.
    const at = { repository, agent: agent.name, head: findings.ledger.seen?.head ?? '', lane };
    const { marks = [] } = await postReview(options.client, postingOf(findings, at, options));
    told.push(...marks);
  }
  return told;
}

/** Tells of findings without a run: what people did, what the check of the commit says then. */
export async function tellFindings(
  told: ToldFindings,
  options: ActionPublisherOptions,
): Promise<Pick<Published, 'marks' | 'reviewResult'>> {
  const { ledger, pull, head, agent, trigger, skipped } = told;
  const { repository } = trigger;
  const at = { repository, agent, head, lane: 'trusted' } as const;
  const posting = { ...postingOf(told, at, options), answered: told.answered };
  const isUnread = ledger.seen === undefined;
  const isChanged = hasNews(posting);
  const maySay = options.comment !== 'never' && !isUnread && isChanged;
  const part = maySay ? await postReview(options.client, posting) : undefined;
  if (options.checkRun && (isChanged || skipped !== undefined)) {
    const standing = { open: ledger.open, isBlocking: isAsking(posting), unposted: [] };
    const review = part?.review ?? standing;
    await options.progress?.tell({ repository, headSha: head, name: agent, review, skipped, isUnread });
  }
  const findings = recordsOf(posting).map((record) => redactRecord(record, options.secrets));
  const report = { head, base: '', pull, coverage: undefined, findings };
  const reviewResult = { agent, report, isUnpublished: false };
  return { reviewResult, marks: part?.marks ?? [{ pull, marks: isUnread ? [] : unsaidMarks(posting) }] };
}

/** What is kept where nothing may be said. */
function unsaidMarks({ ledger, news, now }: ReviewPost): MarksOnPull['marks'] {
  const at = now.getTime();
  return [
    ...news.ended.map((one) => endedMark(one, { at, closed: isClosed(one.thread, ledger) })),
    ...news.back.map((one) => backMark(one, { at, closedBy: one.thread?.resolvedBy })),
  ];
}

/** What is said of findings where a run says nothing else. */
function postingOf(
  { pull, ledger, news }: FindingsToTell,
  {
    repository,
    ...at
  }: {
    readonly repository: ReviewPost['place']['repository'];
    readonly agent: string;
    readonly head: string;
    readonly lane: MarkLane;
  },
  options: ActionPublisherOptions,
): ReviewPost {
  return {
    ...at,
    place: { repository, number: pull },
    ledger,
    news,
    buffered: NOTHING_BUFFERED,
    remarks: [],
    isOver: true,
    maxComments: 0,
    blockOn: options.rules.blockOn,
    extent: undefined,
    footer: '',
    signature: [`agent \`${at.agent}\``, ...linkTo(options.runUrl)].join(' · '),
    now: options.now(),
    warn: (warning) => options.reporter.warn(warning),
    clean: cleanFor(at.lane, options),
  };
}

/** What other programs get of a review: redacted, since nobody cleans it later. */
export function reviewResultOf(
  { plan, read: { coverage }, change }: PublishRequest,
  { records, isReviewLost = false }: PostedReview,
  { secrets }: ActionPublisherOptions,
): ReviewResult | undefined {
  if (records === undefined || coverage === undefined || change === undefined) return undefined;
  const { head, base } = change;
  const findings = records.map((record) => redactRecord(record, secrets));
  const report = { head, base, pull: subjectNumber(plan.trigger), coverage, findings };
  return { agent: plan.agent.name, report, isUnpublished: isReviewLost };
}

function redactRecord(record: FindingRecord, secrets: readonly string[]): FindingRecord {
  const clean = (text: string) => sanitize(text, 'output', secrets);
  const cleanIfAny = (text: string | undefined) => (text === undefined ? undefined : clean(text));
  return {
    ...record,
    title: clean(record.title),
    body: cleanIfAny(record.body),
    trigger: cleanIfAny(record.trigger),
    why: cleanIfAny(record.why),
    suggestion: cleanIfAny(record.suggestion),
    evidence: record.evidence?.map((one) => ({ ...one, code: clean(one.code) })),
  };
}

/** How much a review has looked at; undefined for an agent that only writes summaries. */
function reviewExtent({ plan, outcome, read }: PublishRequest): ReviewExtent | undefined {
  if (!plan.agent.config.tools.includes('add_review_comment')) return undefined;
  if (isCutShort(outcome)) return 'cut';
  return read.coverage?.kind === 'part' ? 'part' : 'whole';
}

/** The small line of a review: who, at what cost, where to read more, what people can say. */
function reviewFooter(
  { plan, outcome, read: { coverage } }: PublishRequest,
  runUrl: string,
  clean: (markdown: string) => string,
): string {
  const { costUsd } = outcome.stats;
  const read = coverage === undefined ? [] : [clean(formatCoverage(coverage, plan.scope)).replace(/\.$/, '')];
  const cost = costUsd === undefined || costUsd === 0 ? [] : [usd(costUsd)];
  return [...read, `agent \`${plan.agent.name}\``, ...cost, ...linkTo(runUrl), '`/axe help`'].join(' · ');
}

function linkTo(runUrl: string): readonly string[] {
  return runUrl === '' ? [] : [`[run](${runUrl})`];
}
