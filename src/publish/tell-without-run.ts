import { NOTHING_BUFFERED } from '../review/buffered.js';
import type { FindingMark } from '../review/marks.js';
import { recordsOf } from '../review/record.js';
import { backMark, endedMark } from '../review/said.js';
import type { MarksOnPull, Published, PublishRequest, ToldFindings } from '../run/dependencies.js';
import type { Plan } from '../run/run-plan.js';
import type { MarkLane } from '../safety/mark.js';
import { postReview } from './publish-review.js';
import { type ActionPublisherOptions, cleanFor, titleCleaner } from './publisher-options.js';
import type { RequestedReview } from './requested.js';
import { redactRecord, signatureOf } from './review-frame.js';
import { hasNews, isClosed, standing } from './tell-findings.js';

/** A run that knows of answers on other pull requests. */
interface TellingRun {
  readonly plan: Plan;
  readonly requested: PublishRequest;
}

/** On other pull requests, where people have answered findings since. */
export async function tellOthers(
  { plan: { trigger, agent }, requested: { others, lane } }: TellingRun,
  options: ActionPublisherOptions,
): Promise<readonly MarksOnPull[]> {
  if (options.comment === 'never' || trigger.kind === 'local') return [];
  const parts = { trigger, agent: agent.name, lane };
  const told: MarksOnPull[] = [];
  for (const findings of others) {
    // Their change is not known: no review is posted, only taken back.
    const requested = newsOf({ ...findings, ...parts, head: findings.ledger.seen?.head ?? '' }, options);
    told.push(...((await postReview(requested)).marks ?? []));
  }
  return told;
}

/** Tells of findings without a run: what people did, what the check of the commit says then. */
export async function tellFindings(
  told: ToldFindings,
  options: ActionPublisherOptions,
): Promise<Pick<Published, 'marks' | 'reviewResult'>> {
  const { ledger, news, pull, head, agent, trigger, skipped } = told;
  const of = { agent, blockOn: options.review.rules.blockOn };
  const isChanged = hasNews(told, of);
  const maySay = options.comment !== 'never' && ledger.seen !== undefined && isChanged;
  const part = maySay ? await postReview(newsOf({ ...told, lane: 'trusted' }, options)) : undefined;
  const records = recordsOf({ ledger, news, buffered: NOTHING_BUFFERED, url: undefined });
  if (options.inputs.checkRun && (isChanged || skipped !== undefined)) {
    const review = part?.review ?? standing(ledger, of);
    const isUnread = ledger.seen === undefined;
    const { repository } = trigger;
    await options.progress?.tell({ repository, headSha: head, agent, review, skipped, isUnread });
  }
  const findings = records.map((record) => redactRecord(record, options.secrets));
  const report = { head, base: '', pull, coverage: undefined, findings };
  const reviewResult = { agent, report, isUnpublished: false };
  return { reviewResult, marks: part?.marks ?? [{ pull, marks: unsaid(told, options.now()) }] };
}

/** What is kept where nothing may be said. */
function unsaid({ ledger, news }: ToldFindings, now: Date): readonly FindingMark[] {
  if (ledger.seen === undefined) return [];
  const at = now.getTime();
  return [
    ...news.ended.map((one) => endedMark(one, { at, closed: isClosed(one.thread, ledger.context) })),
    ...news.back.map((one) => backMark(one, { at, closedBy: one.thread?.resolvedBy })),
  ];
}

type NewsParts = Pick<ToldFindings, 'pull' | 'ledger' | 'news' | 'trigger' | 'agent' | 'head'> & {
  readonly lane: MarkLane;
  readonly answered?: ReadonlySet<string>;
};

function newsOf(
  { pull, ledger, news, trigger, agent, head, lane, answered }: NewsParts,
  options: ActionPublisherOptions,
): RequestedReview {
  const { client, review, reporter, now } = options;
  return {
    buffered: NOTHING_BUFFERED,
    place: { repository: trigger.repository, number: pull },
    agent,
    commits: { head, base: '', diff: '' },
    findings: { pull, ledger, news },
    answered,
    remarks: [],
    lane,
    now: now(),
    isOver: true,
    options: {
      client,
      maxComments: 0,
      blockOn: review.rules.blockOn,
      extent: undefined,
      footer: '',
      signature: signatureOf(agent, options.runUrl),
      reporter,
      clean: cleanFor({ lane }, options),
      cleanTitle: titleCleaner(options),
    },
  };
}
