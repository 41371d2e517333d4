import { subjectNumber } from '../event/trigger.js';
import { isCutShort, type RunOutcome } from '../lib/outcome.js';
import { usd } from '../lib/text/number.js';
import { formatCoverage } from '../review/coverage.js';
import type { FindingRecord } from '../review/record.js';
import type { ReviewExtent } from '../review/review-body.js';
import type { Published, PublishRequest } from '../run/dependencies.js';
import type { Plan } from '../run/run-plan.js';
import { sanitize } from '../safety/sanitize.js';
import type { PublishedPart } from './requested.js';

type Clean = (markdown: string) => string;

/** A run that is over. */
interface End {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly requested: PublishRequest;
}

/** What other programs get of a review: redacted, since nobody cleans it later. */
export function reviewResultOf(
  { plan, requested }: End,
  { records, isReviewLost = false }: PublishedPart,
  { secrets }: { readonly secrets: readonly string[] },
): Pick<Published, 'reviewResult'> {
  const { coverage } = requested.read;
  if (records === undefined || coverage === undefined || requested.commits === undefined) return {};
  const { head, base } = requested.commits;
  const findings = records.map((record) => redactRecord(record, secrets));
  const report = { head, base, pull: subjectNumber(plan.trigger), coverage, findings };
  return { reviewResult: { agent: plan.agent.name, report, isUnpublished: isReviewLost } };
}

/** A finding for other programs, without secrets. */
export function redactRecord(record: FindingRecord, secrets: readonly string[]): FindingRecord {
  const clean: Clean = (text) => sanitize(text, 'output', secrets);
  const { title, body, trigger, why, suggestion, evidence } = record;
  return {
    ...record,
    title: clean(title),
    ...(body === undefined ? {} : { body: clean(body) }),
    ...(trigger === undefined ? {} : { trigger: clean(trigger) }),
    ...(why === undefined ? {} : { why: clean(why) }),
    ...(suggestion === undefined ? {} : { suggestion: clean(suggestion) }),
    ...(evidence === undefined
      ? {}
      : { evidence: evidence.map((one) => ({ ...one, code: clean(one.code) })) }),
  };
}

/** How much a review has looked at; undefined for an agent that only writes summaries. */
export function reviewExtent({ plan, outcome, requested }: End): ReviewExtent | undefined {
  if (!plan.agent.config.tools.includes('add_review_comment')) return undefined;
  if (isCutShort(outcome)) return 'cut';
  return requested.read.coverage?.kind === 'part' ? 'part' : 'whole';
}

/** The small line of a review: who, at what cost, where to read more, what people can say. */
export function reviewFooter(
  { plan, outcome, requested }: End,
  { runUrl, clean }: { readonly runUrl: string; readonly clean: Clean },
): string {
  const { costUsd } = outcome.stats;
  const { coverage } = requested.read;
  const read = coverage === undefined ? [] : [clean(formatCoverage(coverage, plan.scope)).replace(/\.$/, '')];
  const cost = costUsd === undefined || costUsd === 0 ? [] : [usd(costUsd)];
  return [...read, `agent \`${plan.agent.name}\``, ...cost, ...linkTo(runUrl), '`/axe help`'].join(' · ');
}

/** Who says what a comment on a line says. */
export function signatureOf(agent: string, runUrl: string): string {
  return [`agent \`${agent}\``, ...linkTo(runUrl)].join(' · ');
}

function linkTo(runUrl: string): readonly string[] {
  return runUrl === '' ? [] : [`[run](${runUrl})`];
}
