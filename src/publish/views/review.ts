import type { BufferedPublications } from '../../findings/buffered-publications.js';
import { formatCoverage } from '../../findings/change/scope.js';
import type { Warning } from '../../lib/errors.js';
import { isCutShort, isUnreviewed, type RunOutcome } from '../../lib/outcome.js';
import { parseDiff } from '../../lib/text/diff.js';
import { capitalized, count, formatUsd } from '../../lib/text/format.js';
import type { PublishRequest } from '../../run/dependencies.js';
import type { ActionPublisherOptions } from '../answer.js';
import { formatEnd } from './comment.js';

/**
 * Remarks for the readers of a review: the change steers its reviewer, or a limit ended it. They
 * are sentences in markdown that nobody has cleaned yet; the last line of the review has the
 * coverage.
 */
export function reviewRemarks(
  outcome: RunOutcome,
  buffered: BufferedPublications,
  warnings: readonly Warning[],
): readonly string[] {
  const ownChanges = warnings.filter(({ code }) => code === 'agent-changed-in-pull-request');
  const remarks = [
    ...ownChanges.map(({ message }) => capitalized(message)),
    ...formatSecondChecks(buffered),
  ];
  const end = formatEnd(outcome);
  if (end === undefined) return remarks;
  if (isUnreviewed(outcome)) return [...remarks, end];
  return [
    ...remarks,
    isCutShort(outcome)
      ? `${end} Not everything was reviewed; the next review covers it again.`
      : end,
  ];
}

/** The summary was written before: it may name what has been taken out since. */
function formatSecondChecks({ refuted, unverified }: BufferedPublications): readonly string[] {
  const [are, them] = refuted.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const leftOut = `${count(refuted.length, 'finding')} ${are} left out after a second check, even if the summary mentions ${them}.`;
  return [
    ...(refuted.length === 0 ? [] : [leftOut]),
    ...(unverified === 0
      ? []
      : [`Not verified by a second check: ${count(unverified, 'finding')}.`]),
  ];
}

/** The small line of a review: who, at what cost, where to read more, what people can say. */
export function reviewFooter(
  end: PublishRequest,
  options: ActionPublisherOptions,
  clean: (markdown: string) => string,
): string {
  const {
    plan,
    outcome,
    read: { coverage },
  } = end;
  const { costUsd } = outcome.stats;
  const read =
    coverage === undefined ? [] : [clean(formatCoverage(coverage, plan.scope)).replace(/\.$/, '')];
  const cost = costUsd === undefined || costUsd === 0 ? [] : [formatUsd(costUsd)];
  const agent = `agent \`${plan.agent.name}\``;
  return [...read, agent, ...cost, ...linkTo(options.runUrl), ...howToAnswer(end, options)].join(
    ' · ',
  );
}

/** The command that lists all others, if the workflow hears it; else a page. */
function howToAnswer(
  { change }: PublishRequest,
  { offersCommands, workflow, docsUrl }: ActionPublisherOptions,
): readonly string[] {
  if (offersCommands !== true)
    return docsUrl === '' ? [] : [`[how to answer](${docsUrl}/reviews.md#when-a-finding-is-over)`];
  // GitHub runs workflows on comments from the default branch only.
  const addsWorkflow =
    workflow !== '' &&
    parseDiff(change?.diff ?? '').some(
      ({ path, status }) => path === workflow && status === 'added',
    );
  return [addsWorkflow ? '`/axe` comments work once this workflow is merged' : '`/axe help`'];
}

/** The end of the small line below a comment of a review. */
export function reviewSignature(agent: string, runUrl: string): string {
  return [`agent \`${agent}\``, ...linkTo(runUrl)].join(' · ');
}

function linkTo(runUrl: string): readonly string[] {
  return runUrl === '' ? [] : [`[run](${runUrl})`];
}
