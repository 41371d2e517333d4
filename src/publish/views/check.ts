import type { PlacedFinding } from '../../findings/change/diff-lines.js';
import { coverageTitle, formatCoverage } from '../../findings/change/scope.js';
import {
  CUT,
  checkedCommit,
  openFindingsTitle,
  UNFINISHED,
} from '../../findings/post/check-progress.js';
import { formatChecks } from '../../findings/post/checks-text.js';
import {
  composeComment,
  findingPlainText,
  formatFindings,
} from '../../findings/post/comment-text.js';
import type { PostedReview } from '../../findings/post/post-review.js';
import type { CheckAnnotation, CheckRunReport } from '../../github/posting/check-run.js';
import {
  cameToNothing,
  errorOf,
  isCutShort,
  isUnreviewed,
  markedAnswer,
  type RunOutcome,
} from '../../lib/outcome.js';
import { capitalized, cleanLine, paragraphs } from '../../lib/text/format.js';
import type { PublishRequest } from '../../run/dependencies.js';
import { cleanFor } from '../../run/outbound.js';
import { publishedLine } from '../../run/views/published.js';
import { sanitize } from '../../safety/sanitize.js';
import { footer, formatEnd, writtenBy } from './comment.js';

/** The summary of a check whose model refused. */
export const REFUSED = 'The model refused to answer.';

/** (REST API, "Create a check run") */
const MAX_SUMMARY = 65_535;

/** GitHub takes 64 KiB for all of an annotation, 255 characters for its title. */
const MAX_MESSAGE = 10_000;
const MAX_TITLE = 200;

/** The check of a run; undefined for one that is about no commit, or has come to no answer. */
export function checkOf(
  { plan, outcome, change, buffered, read: { coverage }, word, findings }: PublishRequest,
  { review, posts, counts }: PostedReview,
  { runUrl, secrets }: { readonly runUrl: string; readonly secrets: readonly string[] },
): CheckRunReport | undefined {
  const { trigger, agent } = plan;
  const headSha = checkedCommit(trigger, change?.head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (cameToNothing(outcome)) return undefined;
  // An incomplete answer says so itself.
  const end = outcome.kind === 'incomplete' ? undefined : formatEnd(outcome);
  const summary = buffered.review?.summary ?? markedAnswer(outcome);
  const read = coverage === undefined ? '' : formatCoverage(coverage, plan.scope);
  const unpostedText = formatFindings('Findings', review?.unposted ?? []);
  const line = publishedLine({ posts, counts });
  const ended = end === undefined ? '' : `*${end}*`;
  const clean = cleanFor(word, { secrets });
  const text = clean(paragraphs([summary, ended, read, line, unpostedText]));
  const checks = formatChecks(buffered.checks ?? [], { isNew: true, clean });
  const isRead = coverage?.kind === 'whole' && findings?.isUnread !== true;
  const isClear = review?.open.length === 0 && isRead && (review.holdingChecks ?? 0) === 0;
  const answered = summary.trim() === '' ? 'No answer' : 'Answered';
  const isCut = isCutShort(outcome);
  const hasNone = review?.open.length === 0 && !review.isBlocking;
  const cutTitle = isCut && hasNone ? UNFINISHED : undefined;
  const title = [
    cutTitle ?? (review === undefined ? answered : openFindingsTitle(review)),
    coverage === undefined ? '' : coverageTitle(coverage),
    isCut && cutTitle === undefined ? CUT : '',
  ].join('');
  // `neutral` holds nothing up; only a review that asks for changes is a failure.
  const conclusionUnlessBlocking = isClear ? 'success' : 'neutral';
  return {
    repository: trigger.repository,
    headSha,
    name: agent.name,
    conclusion: review?.isBlocking === true ? 'failure' : conclusionUnlessBlocking,
    title: isUnreviewed(outcome) ? unreviewedTitle(outcome, review, secrets) : title,
    summary: composeComment({
      mark: { kind: 'check', agent: agent.name },
      text: paragraphs([text, checks]),
      footer: footer(writtenBy(agent.name), { runUrl }),
      maxCharacters: MAX_SUMMARY,
    }),
    annotations: (review?.unposted ?? []).flatMap((placed) => annotationOf(placed, secrets)),
  };
}

/** Open findings come first, so that a later event can update their number. */
function unreviewedTitle(
  outcome: RunOutcome,
  review: PostedReview['review'],
  secrets: readonly string[],
): string {
  const message = errorOf(outcome)?.message ?? '';
  const isOpen = review !== undefined && (review.open.length > 0 || review.isBlocking);
  const title = isOpen ? `${openFindingsTitle(review)}; ${message}` : capitalized(message);
  // The reason of a refusal can quote what the model wrote.
  return cleanLine(sanitize(title, 'title', secrets), MAX_TITLE);
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  secrets: readonly string[],
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const clean = (text: string) => sanitize(text, 'log', secrets);
  const message = clean(findingPlainText(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(clean(finding.title), MAX_TITLE);
  return [{ path, startLine, endLine: line, message, ...(title === '' ? {} : { title }) }];
}
