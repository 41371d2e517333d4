import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import {
  type CheckAnnotation,
  type CheckRunKey,
  type CheckRunReport,
  publishCheckRun,
  type StartedCheckRun,
} from '../github/posting/check-run.js';
import { cleanLine } from '../lib/text/cut.js';
import type { Warning } from '../lib/warning.js';
import type { MarkLane } from '../safety/mark.js';
import { plainText } from './comment-text.js';
import { coverageTitle } from './coverage.js';
import type { PlacedFinding } from './place.js';
import { framedBody } from './publication.js';
import type { Coverage } from './record.js';
import type { ReviewEnd } from './review-post.js';
import { formatSeverities } from './severity.js';

/** What a check says. None of the text was cleaned yet. */
export interface CommitCheck extends CheckRunKey {
  readonly lane: MarkLane;
  /** Undefined for an agent that does not review. */
  readonly review: ReviewEnd | undefined;
  /** Whether the model said anything. */
  readonly isAnswered: boolean;
  /** A limit ended the run, or its answer is not whole. */
  readonly isCut: boolean;
  /** Undefined where the run is about no change. */
  readonly coverage: Coverage | undefined;
  /** Markdown of the model's. */
  readonly text: string;
  /** Markdown below the text. */
  readonly footer: string;
}

const REMEDY = 'The result is in the job summary.';

/** (REST API, "Create a check run") */
const MAX_SUMMARY = 65_535;

/** GitHub takes 64 KiB for all of an annotation, 255 characters for its title. */
const MAX_MESSAGE = 10_000;
const MAX_TITLE = 200;

/**
 * Writes the check of a commit, into the one that was started where there is one. Gives its address, empty where GitHub tells
 * none; undefined if it does not stand there now. Trouble is a warning.
 */
export async function postCheck(
  client: GitHubClient | undefined,
  check: CommitCheck,
  {
    started,
    warn,
    clean,
    cleanMessage,
  }: {
    readonly started?: StartedCheckRun | undefined;
    warn(warning: Warning): void;
    /** Outbound cleaning for comments (D24). */
    clean(markdown: string): string;
    /** The same for annotations, which GitHub shows as plain text. */
    cleanMessage(text: string): string;
  },
): Promise<string | undefined> {
  const { repository, headSha, name, text, footer, lane, review } = check;
  const report: CheckRunReport = {
    repository,
    headSha,
    name,
    conclusion: conclusionOf(check),
    title: titleOf(check),
    summary: framedBody({
      mark: { kind: 'check', agent: name, lane },
      text: clean(text),
      footer,
      maxCharacters: MAX_SUMMARY,
    }),
    annotations: (review?.unposted ?? []).flatMap((finding) => annotationOf(finding, cleanMessage)),
  };
  const result =
    client === undefined
      ? { message: NO_TOKEN, remedy: undefined }
      : await withGitHub((signal) => publishCheckRun(client, report, { signal, started }), REMEDY);
  if (typeof result === 'string') return result;
  const { message, remedy } = result;
  warn({ code: 'publish-failed', message: `the check was not written: ${message}`, remedy });
  return undefined;
}

/** `neutral` holds nothing up; only a review that asks for changes is a failure. */
function conclusionOf({ review, coverage }: CommitCheck): CheckRunReport['conclusion'] {
  if (review?.isBlocking === true) return 'failure';
  return review?.open.length === 0 && coverage?.kind === 'whole' ? 'success' : 'neutral';
}

function titleOf({ review, isAnswered, isCut, coverage }: CommitCheck): string {
  const read = `${coverage === undefined ? '' : coverageTitle(coverage)}${isCut ? ', cut short' : ''}`;
  if (review === undefined) return `${isAnswered ? 'Answered' : 'No answer'}${read}`;
  return `${openTitle(review)}${read}`;
}

/** `1 major, 2 minor open`. */
export function openTitle({ open, isBlocking }: ReviewEnd): string {
  if (open.length > 0) return `${formatSeverities(open.map(({ severity }) => severity))} open`;
  return isBlocking ? 'An earlier review blocks' : 'No findings';
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  cleanMessage: (text: string) => string,
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const message = cleanMessage(plainText(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(cleanMessage(finding.title), MAX_TITLE);
  return [{ path, startLine, endLine: line, level: 'warning', message, ...(title === '' ? {} : { title }) }];
}
