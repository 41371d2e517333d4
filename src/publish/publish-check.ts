import { isCancelled } from '../lib/errors.js';
import { isCutShort, markedAnswer } from '../lib/outcome.js';
import { type CommitCheck, commitOf, postCheck } from '../review/check.js';
import { formatFindings } from '../review/comment-text.js';
import { formatCoverage } from '../review/coverage.js';
import type { PostedReview } from '../review/news.js';
import { isQuestion } from '../review/scope.js';
import type { PublishRequest } from '../run/dependencies.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionPublisherOptions, cleanFor, footer, formatEnd, writtenBy } from './publisher-options.js';

/** Writes the check of the commit that a run is about, where the workflow wants one. */
export async function publishCheck(
  end: PublishRequest,
  published: PostedReview,
  options: ActionPublisherOptions,
): Promise<{ readonly checkUrl?: string; readonly failure?: string }> {
  const { client, progress, reporter, secrets, checkRun } = options;
  if (!checkRun) return {};
  const check = isQuestionAlone(end, published.review) ? undefined : checkOf(end, published, options);
  const started = await progress?.started();
  const checkUrl =
    check &&
    (await postCheck(client, check, {
      started,
      warn: (warning) => reporter.warn(warning),
      clean: cleanFor(check.lane, options),
      cleanMessage: (text) => sanitize(text, 'log', secrets),
    }));
  if (checkUrl === undefined) await endUnanswered(end, options);
  else await progress?.finished();
  return { checkUrl, failure: check && checkUrl === undefined ? 'the check was not written' : undefined };
}

/** A question about a pull request changes its check only where findings changed. */
function isQuestionAlone({ plan, findings }: PublishRequest, review: PostedReview['review']): boolean {
  if (!isQuestion(plan.trigger)) return false;
  const { news } = findings ?? {};
  return (
    review === undefined ||
    news === undefined ||
    news.fresh.length + news.ended.length + news.back.length === 0
  );
}

/** The check of a run; undefined for one that is about no commit, or has come to no answer. */
export function checkOf(
  { plan, outcome, change, buffered, read: { coverage }, lane }: PublishRequest,
  { review, line = '' }: PostedReview,
  options: { readonly runUrl: string },
): CommitCheck | undefined {
  const { trigger, agent } = plan;
  const headSha = commitOf(trigger, change?.head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return undefined;
  const limit = outcome.kind === 'exhausted' ? `*${formatEnd(outcome)}*` : '';
  const summary = buffered.review?.summary ?? markedAnswer(outcome);
  const read = coverage === undefined ? '' : formatCoverage(coverage, plan.scope);
  const findings = formatFindings('Findings', review?.unposted ?? []);
  const text = [summary, limit, read, line, findings].filter((one) => one.trim() !== '');
  return {
    repository: trigger.repository,
    headSha,
    name: agent.name,
    lane,
    review,
    isAnswered: summary.trim() !== '',
    isCut: isCutShort(outcome),
    coverage,
    text: text.join('\n\n'),
    footer: footer(writtenBy(agent.name), options),
  };
}

/** A check must not stay in progress where a run has come to nothing. */
async function endUnanswered(
  { outcome }: PublishRequest,
  { progress }: ActionPublisherOptions,
): Promise<void> {
  if (outcome.kind === 'refused') await progress?.end('The model refused to answer.', 'failed');
  if (outcome.kind !== 'failed') return;
  const { error } = outcome;
  await progress?.end(error.message, isCancelled(error) ? 'cancelled' : 'failed');
}
