import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import { type CheckAnnotation, type CheckRunReport, publishCheckRun } from '../github/posting/check-run.js';
import { CancelledError } from '../lib/errors.js';
import { isCutShort, markedAnswer } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/format.js';
import { commitOf, openTitle } from '../review/check.js';
import { formatFindings, framedBody, plainText } from '../review/comment-text.js';
import type { PlacedFinding } from '../review/diff-lines.js';
import type { PostedReview } from '../review/post-review.js';
import { coverageTitle, formatCoverage, isQuestion } from '../review/scope.js';
import type { PublishRequest } from '../run/dependencies.js';
import { sanitize } from '../safety/sanitize.js';
import { type ActionPublisherOptions, cleanFor, footer, formatEnd, writtenBy } from './answer.js';

/**
 * Writes the check of the commit that a run is about, where the workflow wants one: into the one that was started where there is
 * one. Trouble is a warning.
 */
export async function publishCheck(
  end: PublishRequest,
  published: PostedReview,
  options: ActionPublisherOptions,
): Promise<{ readonly checkUrl?: string; readonly failure?: string }> {
  const { client, progress, reporter, checkRun } = options;
  if (!checkRun) return {};
  const check = isQuestionAlone(end, published.review) ? undefined : checkOf(end, published, options);
  const started = await progress?.started();
  if (check === undefined) {
    await endUnanswered(end, options);
    return {};
  }
  const result =
    client === undefined
      ? { message: NO_TOKEN, remedy: undefined }
      : await withGitHub(
          (signal) => publishCheckRun(client, check, { signal, started }),
          'The result is in the job summary.',
        );
  if (typeof result === 'string') {
    await progress?.finished();
    return { checkUrl: result };
  }
  const failure = 'the check was not written';
  const { message, remedy } = result;
  reporter.warn({ code: 'publish-failed', message: `${failure}: ${message}`, remedy });
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

/** (REST API, "Create a check run") */
const MAX_SUMMARY = 65_535;

/** GitHub takes 64 KiB for all of an annotation, 255 characters for its title. */
const MAX_MESSAGE = 10_000;
const MAX_TITLE = 200;

/** The check of a run; undefined for one that is about no commit, or has come to no answer. */
export function checkOf(
  { plan, outcome, change, buffered, read: { coverage }, lane }: PublishRequest,
  { review, line = '' }: PostedReview,
  { runUrl, secrets }: { readonly runUrl: string; readonly secrets: readonly string[] },
): CheckRunReport | undefined {
  const { trigger, agent } = plan;
  const headSha = commitOf(trigger, change?.head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return undefined;
  const limit = outcome.kind === 'exhausted' ? `*${formatEnd(outcome)}*` : '';
  const summary = buffered.review?.summary ?? markedAnswer(outcome);
  const read = coverage === undefined ? '' : formatCoverage(coverage, plan.scope);
  const findings = formatFindings('Findings', review?.unposted ?? []);
  const text = [summary, limit, read, line, findings].filter((one) => one.trim() !== '').join('\n\n');
  const isClear = review?.open.length === 0 && coverage?.kind === 'whole';
  const answered = summary.trim() === '' ? 'No answer' : 'Answered';
  const title = [
    review === undefined ? answered : openTitle(review),
    coverage === undefined ? '' : coverageTitle(coverage),
    isCutShort(outcome) ? ', cut short' : '',
  ];
  return {
    repository: trigger.repository,
    headSha,
    name: agent.name,
    // `neutral` holds nothing up; only a review that asks for changes is a failure.
    conclusion: review?.isBlocking === true ? 'failure' : isClear ? 'success' : 'neutral',
    title: title.join(''),
    summary: framedBody({
      mark: { kind: 'check', agent: agent.name, lane },
      text: cleanFor(lane, { secrets })(text),
      footer: footer(writtenBy(agent.name), { runUrl }),
      maxCharacters: MAX_SUMMARY,
    }),
    annotations: (review?.unposted ?? []).flatMap((one) => annotationOf(one, secrets)),
  };
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  secrets: readonly string[],
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const clean = (text: string) => sanitize(text, 'log', secrets);
  const message = clean(plainText(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(clean(finding.title), MAX_TITLE);
  return [{ path, startLine, endLine: line, message, ...(title === '' ? {} : { title }) }];
}

/** A check must not stay in progress where a run has come to nothing. */
async function endUnanswered(
  { outcome }: PublishRequest,
  { progress }: ActionPublisherOptions,
): Promise<void> {
  if (outcome.kind === 'refused') await progress?.end('The model refused to answer.', 'failed');
  if (outcome.kind !== 'failed') return;
  const { error } = outcome;
  await progress?.end(error.message, error instanceof CancelledError ? 'cancelled' : 'failed');
}
