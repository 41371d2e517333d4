import { notice } from '@actions/core';
import { isCancelled } from '../lib/errors.js';
import { isCutShort, markedAnswer } from '../lib/outcome.js';
import { type CommitCheck, commitOf, postCheck } from '../review/check.js';
import { formatFindings, plainText } from '../review/comment-text.js';
import { formatCoverage } from '../review/coverage.js';
import type { PostedReview } from '../review/news.js';
import type { PlacedFinding } from '../review/place.js';
import { isQuestion } from '../review/scope.js';
import type { PublishRequest } from '../run/dependencies.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionPublisherOptions, cleanFor, footer, formatEnd, writtenBy } from './publisher-options.js';

/**
 * Shows what a review came to where no comment says it: as a check of the commit, where the workflow wants one, else by
 * the runner, on the lines. `comment: never` keeps the runner silent.
 */
export async function showFindings(
  end: PublishRequest,
  published: PostedReview,
  options: ActionPublisherOptions,
): Promise<{ readonly checkUrl?: string; readonly failure?: string }> {
  const { client, progress, reporter, secrets, checkRun, comment } = options;
  const { review } = published;
  let failure: string | undefined;
  if (checkRun) {
    const check = isQuestionAlone(end, review) ? undefined : checkOf(end, published, options);
    const started = await progress?.started();
    const checkUrl =
      check &&
      (await postCheck(client, check, {
        started,
        warn: (warning) => reporter.warn(warning),
        clean: cleanFor(check.lane, options),
        cleanMessage: (text) => sanitize(text, 'log', secrets),
      }));
    if (checkUrl !== undefined) {
      await progress?.finished();
      return { checkUrl };
    }
    await endUnanswered(end, options);
    failure = check === undefined ? undefined : 'the check was not written';
  }
  if (review !== undefined && comment !== 'never') annotateFindings(review.unposted, secrets);
  return { failure };
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

/** The runner shows ten annotations of a kind for a step. */
const MAX_ANNOTATIONS = 9;

/**
 * Shows findings on their lines where they could not be posted. Notices, so that they take no room from the warnings of
 * the run itself (D35); the removed side of a diff has no lines that could carry one.
 */
export function annotateFindings(findings: readonly PlacedFinding[], secrets: readonly string[]): void {
  const onLines = findings.flatMap(({ finding, placement }) =>
    placement.kind === 'line' && placement.side === 'RIGHT' ? [{ finding, placement }] : [],
  );
  for (const { finding, placement } of onLines.slice(0, MAX_ANNOTATIONS)) {
    const { path, line, startLine = line } = placement;
    const title = sanitize(finding.title, 'title', secrets);
    notice(sanitize(plainText(finding), 'log', secrets), { title, file: path, startLine, endLine: line });
  }
}
