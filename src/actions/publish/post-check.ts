import type { GitHubClient } from '../../adapters/github/client/client.js';
import {
  type CheckAnnotation,
  type CheckRunReport,
  publishCheckRun,
} from '../../adapters/github/posting/check-run.js';
import type { PublishRequest, Reporter } from '../../core/dependencies.js';
import type { Repository, Trigger } from '../../core/event/trigger.js';
import { encodeField } from '../../core/memory/field.js';
import { isCutShort, markedAnswer, type RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import type { Verdict } from '../../core/review/buffered.js';
import { withSuggestion } from '../../core/review/comment-text.js';
import { formatFindings } from '../../core/review/format-buffered.js';
import type { PlacedFinding } from '../../core/review/place.js';
import { framedBody } from '../../core/review/publication.js';
import { cleanLine } from '../../core/text/cut.js';
import { NO_TOKEN } from './no-token.js';
import type { ReviewEnd } from './requested.js';
import { formatEnd, formatUnseen } from './review-remarks.js';
import { whileAsked } from './while-asked.js';

/** What a check says. None of the text was cleaned yet. */
export interface Check {
  readonly repository: Repository;
  readonly headSha: string;
  readonly agent: string;
  /** Tells this run from others: a check is written once for each. */
  readonly run: string;
  /** How many findings stand, those that were said before too; undefined for an agent that does not review. */
  readonly findings: number | undefined;
  readonly verdict: Verdict;
  /** A limit ended the run, or its answer is not whole. */
  readonly isCut: boolean;
  /** Whether the model said anything. */
  readonly isAnswered: boolean;
  /** How many changed files did not fit into the task. */
  readonly unseen: number;
  /** Markdown of the model's. */
  readonly text: string;
  /** Findings that no review holds; they become annotations. */
  readonly unposted: readonly PlacedFinding[];
  /** Markdown below the text. */
  readonly footer: string;
}

/** The end of a run, as far as a check tells of it. */
export interface CheckedRun {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly wanted: PublishRequest;
}

/** What else goes into a check. */
export interface CheckParts extends Pick<Check, 'run' | 'footer'> {
  /** Undefined where the run reviewed nothing. */
  readonly review: ReviewEnd | undefined;
  /** What was posted, in a sentence. */
  readonly line: string | undefined;
}

/** The check of a run; undefined for one that is about no commit, or has come to no answer. */
export function checkOf({ plan, outcome, wanted }: CheckedRun, parts: CheckParts): Check | undefined {
  const { trigger, agent } = plan;
  const headSha = wanted.commits?.head ?? headOf(trigger);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return undefined;
  const { review, line = '', run, footer } = parts;
  const limit = outcome.kind === 'exhausted' ? `*${formatEnd(outcome)}*` : '';
  const summary = wanted.buffered.review?.summary ?? markedAnswer(outcome);
  const unposted = review?.unposted ?? [];
  const findings = formatFindings('Findings', unposted);
  const text = [summary, limit, formatUnseen(plan.task) ?? '', line, findings].filter(
    (one) => one.trim() !== '',
  );
  return {
    repository: trigger.repository,
    headSha,
    agent: agent.name,
    run,
    findings: review?.findings,
    verdict: review?.verdict ?? 'comment',
    isCut: isCutShort(outcome),
    isAnswered: summary.trim() !== '',
    unseen: plan.task.unseen?.length ?? 0,
    text: text.join('\n\n'),
    unposted,
    footer,
  };
}

/** The commit that an event is about. Another workflow's is left alone: it may be anybody's. */
function headOf(trigger: Trigger): string | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'merge_group':
      return trigger.head.sha;
    case 'push':
      return /^0*$/.test(trigger.after) ? undefined : trigger.after;
    case 'comment':
    case 'issue':
    case 'workflow_run':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}

/** How it is published. */
export interface CheckOptions {
  readonly client: GitHubClient | undefined;
  readonly reporter: Reporter;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** The same for annotations, which GitHub shows as plain text. */
  cleanMessage(text: string): string;
}

const REMEDY = 'The result is in the job summary.';

/** (REST API, "Create a check run") */
const MAX_SUMMARY = 65_535;

/** GitHub takes 64 KiB for all of an annotation, 255 characters for its title. */
const MAX_MESSAGE = 10_000;
const MAX_RULE = 200;

/** A check that stands at its commit now. */
export interface PostedCheck {
  /** Empty where GitHub tells none. */
  readonly url: string;
}

/** Writes the check of a commit; undefined if it does not stand there now. Trouble is a warning. */
export async function postCheck(
  check: Check,
  { client, reporter, clean, cleanMessage }: CheckOptions,
): Promise<PostedCheck | undefined> {
  const failed = (message: string): undefined => {
    reporter.warn({ code: 'publish-failed', message: `the check was not written: ${message}` });
    return undefined;
  };
  if (client === undefined) return failed(NO_TOKEN);
  const { repository, headSha, agent, run, text, footer } = check;
  const marker = `<!-- axe-action:check agent=${encodeField(agent)} -->`;
  const report: CheckRunReport = {
    repository,
    headSha,
    name: agent,
    externalId: run,
    conclusion: conclusionOf(check),
    title: titleOf(check),
    summary: framedBody({ marker, text: clean(text), footer, maxCharacters: MAX_SUMMARY }),
    annotations: check.unposted.flatMap((finding) => annotationOf(finding, cleanMessage)),
  };
  const asked = await whileAsked((signal) => publishCheckRun(client, report, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  return result.kind === 'failed' ? failed(`${result.message}. ${result.remedy}`) : { url: result.url };
}

/** `neutral` holds nothing up; only a review that may ask for changes, and does, is a failure. */
function conclusionOf({ findings, verdict, isCut, unseen }: Check): CheckRunReport['conclusion'] {
  if (verdict === 'request-changes') return 'failure';
  return findings === 0 && !isCut && unseen === 0 ? 'success' : 'neutral';
}

function titleOf({ findings, isCut, isAnswered, unseen }: Check): string {
  const left = unseen === 0 ? '' : `, ${unseen} ${unseen === 1 ? 'file' : 'files'} not shown`;
  const cut = `${left}${isCut ? ', cut short' : ''}`;
  if (findings === undefined) return `${isAnswered ? 'Answered' : 'No answer'}${cut}`;
  if (findings === 0) return `No findings${cut}`;
  return `${findings} ${findings === 1 ? 'finding' : 'findings'}${cut}`;
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  cleanMessage: CheckOptions['cleanMessage'],
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const message = cleanMessage(withSuggestion(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(finding.rule, MAX_RULE);
  return [{ path, startLine, endLine: line, level: 'warning', message, ...(title === '' ? {} : { title }) }];
}
