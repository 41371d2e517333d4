import type { Repository } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import {
  type CheckAnnotation,
  type CheckRunReport,
  publishCheckRun,
  type StartedCheckRun,
} from '../github/posting/check-run.js';
import { isCutShort, markedAnswer, type RunOutcome } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/cut.js';
import type { Warning } from '../lib/warning.js';
import { plainText } from '../review/comment-text.js';
import { coverageTitle, formatCoverage } from '../review/coverage.js';
import { formatFindings } from '../review/format-buffered.js';
import type { PlacedFinding } from '../review/place.js';
import { framedBody } from '../review/publication.js';
import type { Coverage } from '../review/record.js';
import { formatSeverities } from '../review/severity.js';
import type { Severity } from '../review/terms.js';
import type { PublishRequest, Reporter } from '../run/dependencies.js';
import type { Plan } from '../run/run-plan.js';
import type { MarkLane } from '../safety/mark.js';
import { formatEnd } from './answer-text.js';
import { commitOf } from './commit-of.js';
import type { ReviewEnd } from './requested.js';
import { NO_TOKEN, withGitHub } from './with-github.js';

/** What a check says. None of the text was cleaned yet. */
export interface CommitCheck {
  readonly repository: Repository;
  readonly headSha: string;
  readonly agent: string;
  readonly lane: MarkLane;
  /** The open findings, worst first; undefined for an agent that does not review. */
  readonly open: readonly Severity[] | undefined;
  /** A review of the agent asks for changes. */
  readonly isBlocking: boolean;
  /** Whether the model said anything. */
  readonly isAnswered: boolean;
  /** A limit ended the run, or its answer is not whole. */
  readonly isCut: boolean;
  /** Undefined where the run is about no change. */
  readonly coverage: Coverage | undefined;
  /** Markdown of the model's. */
  readonly text: string;
  /** Findings that no review holds; they become annotations. */
  readonly unposted: readonly PlacedFinding[];
  /** Markdown below the text. */
  readonly footer: string;
}

/** What else goes into a check. */
interface CheckParts extends Pick<CommitCheck, 'footer'> {
  /** Undefined where the run reviewed nothing. */
  readonly review: ReviewEnd | undefined;
  /** What was posted, in a sentence. */
  readonly line: string | undefined;
}

/** The check of a run; undefined for one that is about no commit, or has come to no answer. */
export function checkOf(
  {
    plan,
    outcome,
    requested,
  }: { readonly plan: Plan; readonly outcome: RunOutcome; readonly requested: PublishRequest },
  parts: CheckParts,
): CommitCheck | undefined {
  const { trigger, agent } = plan;
  const headSha = commitOf(trigger, requested.commits?.head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (outcome.kind === 'failed' || outcome.kind === 'refused') return undefined;
  const { review, line = '', footer } = parts;
  const limit = outcome.kind === 'exhausted' ? `*${formatEnd(outcome)}*` : '';
  const summary = requested.buffered.review?.summary ?? markedAnswer(outcome);
  const { coverage } = requested.read;
  const read = coverage === undefined ? '' : formatCoverage(coverage, plan.scope);
  const unposted = review?.unposted ?? [];
  const findings = formatFindings('Findings', unposted);
  const text = [summary, limit, read, line, findings].filter((one) => one.trim() !== '');
  return {
    repository: trigger.repository,
    headSha,
    agent: agent.name,
    lane: requested.lane,
    open: review?.open.map(({ severity }) => severity),
    isBlocking: review?.isBlocking === true,
    isAnswered: summary.trim() !== '',
    isCut: isCutShort(outcome),
    coverage,
    text: text.join('\n\n'),
    unposted,
    footer,
  };
}

/** How it is published. */
interface CheckOptions {
  readonly client: GitHubClient | undefined;
  /** The check in progress; left out: there is none. */
  readonly started?: StartedCheckRun | undefined;
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
const MAX_TITLE = 200;

/** A check of the current commit. */
interface PostedCheck {
  /** Empty where GitHub tells none. */
  readonly url: string;
}

/** Writes the check of a commit; undefined if it does not stand there now. Trouble is a warning. */
export async function postCheck(
  check: CommitCheck,
  { client, started, reporter, clean, cleanMessage }: CheckOptions,
): Promise<PostedCheck | undefined> {
  const failed = ({ message, remedy }: Pick<Warning, 'message' | 'remedy'>): undefined => {
    const next = remedy === undefined ? {} : { remedy };
    reporter.warn({ code: 'publish-failed', message: `the check was not written: ${message}`, ...next });
    return undefined;
  };
  if (client === undefined) return failed({ message: NO_TOKEN });
  const { repository, headSha, agent, text, footer, lane } = check;
  const mark = { kind: 'check', agent, lane };
  const report: CheckRunReport = {
    repository,
    headSha,
    name: agent,
    conclusion: conclusionOf(check),
    title: titleOf(check),
    summary: framedBody({ mark, text: clean(text), footer, maxCharacters: MAX_SUMMARY }),
    annotations: check.unposted.flatMap((finding) => annotationOf(finding, cleanMessage)),
  };
  const response = await withGitHub((signal) => publishCheckRun(client, report, { signal, started }), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  return result.kind === 'failed' ? failed(result) : { url: result.url };
}

/** `neutral` holds nothing up; only a review that asks for changes is a failure. */
function conclusionOf({ open, isBlocking, coverage }: CommitCheck): CheckRunReport['conclusion'] {
  if (isBlocking) return 'failure';
  return open?.length === 0 && coverage?.kind === 'whole' ? 'success' : 'neutral';
}

function titleOf({ open, isBlocking, isAnswered, isCut, coverage }: CommitCheck): string {
  const read = `${coverage === undefined ? '' : coverageTitle(coverage)}${isCut ? ', cut short' : ''}`;
  if (open === undefined) return `${isAnswered ? 'Answered' : 'No answer'}${read}`;
  return `${openTitle(open, isBlocking)}${read}`;
}

/** `1 major, 2 minor open`. */
export function openTitle(open: readonly Severity[], isBlocking: boolean): string {
  if (open.length === 0 && isBlocking) return 'An earlier review blocks';
  return open.length === 0 ? 'No findings' : `${formatSeverities(open)} open`;
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  cleanMessage: CheckOptions['cleanMessage'],
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const message = cleanMessage(plainText(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(cleanMessage(finding.title), MAX_TITLE);
  return [{ path, startLine, endLine: line, level: 'warning', message, ...(title === '' ? {} : { title }) }];
}
