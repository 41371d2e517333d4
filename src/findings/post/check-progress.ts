import type { Trigger } from '../../event/trigger.js';
import { withGitHub } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import {
  type CheckRunKey,
  type CheckRunReport,
  editStartedCheck,
  endCheckRun,
  type FoundCheckRun,
  publishCheckRun,
  readCheckRun,
  startCheckRun,
} from '../../github/posting/check-run.js';
import { count, formatInteger } from '../../lib/text/format.js';
import { type Coverage, coverageTitle, type ReviewScope } from '../change/scope.js';
import { formatOpenCount } from '../finding.js';
import type { ReviewOutcome } from './post-review.js';

interface CheckProgressOptions {
  readonly client: GitHubClient;
  /** Address of the run; empty outside of a workflow. */
  readonly runUrl: string;
  /** Outbound cleaning for comments. */
  clean(markdown: string): string;
  log(line: string): void;
  /** Notes for the post step that a check is about to be begun; undefined: it has ended. */
  keep(check: UnfinishedCheck | undefined): Promise<void>;
}

/** A check that a killed main step left in progress. */
export interface UnfinishedCheck {
  readonly owner: string;
  readonly name: string;
  readonly headSha: string;
  readonly agent: string;
}

/** Facts of a run that are known before its check is started. */
interface CheckedRun {
  readonly trigger: Trigger;
  readonly agent: { readonly name: string };
  readonly scope?: ReviewScope;
  readonly coverage?: Pick<Coverage, 'files'>;
}

/** A stage of a run, for the check in progress. */
type RunStage =
  | { readonly kind: 'parts'; readonly done: number; readonly total: number }
  | { readonly kind: 'second-look'; readonly findings: number };

type CheckEnd = Pick<CheckRunReport, 'title' | 'conclusion'>;

/** Findings that changed without a run. */
interface ToldCheck extends CheckRunKey {
  readonly review: ReviewOutcome;
  readonly skipped: { readonly message: string; readonly since?: string } | undefined;
  /** Conversations could not be read, so more may be open; left out: they were. */
  readonly isUnread?: boolean;
}

const REMEDY = 'The result is in the job summary.';

/** Each edit is a request, and people seldom look at a check in progress. */
const MAX_EDITS = 3;

export type CheckProgress = ReturnType<typeof createCheckProgress>;

/**
 * Shows the check of a commit from the moment that a model is asked. To begin it is a courtesy:
 * where GitHub refuses that, the log says so, and the warning is left to its end. What a killed run
 * leaves in progress is ended by the post step.
 */
export function createCheckProgress(options: CheckProgressOptions) {
  let startedCheck: Promise<(CheckRunKey & FoundCheckRun) | undefined> | undefined;
  let reviewEnd: ReviewOutcome | undefined;
  let edits = 0;
  let editing: Promise<void> = Promise.resolve();
  async function edit(title: string): Promise<void> {
    const check = await startedCheck;
    if (check === undefined) return;
    const { repository, id } = check;
    const texts = { title, summary: runningSummary(options.runUrl) };
    await withGitHub(
      (signal) => editStartedCheck(options.client, { repository, id, ...texts }, signal),
      REMEDY,
    );
  }
  async function started(): Promise<Awaited<typeof startedCheck>> {
    // A late edit must not take a finished check's title.
    await editing;
    return await startedCheck;
  }
  async function finished(): Promise<void> {
    if (startedCheck === undefined) return;
    startedCheck = undefined;
    await options.keep(undefined);
  }
  return {
    finished,
    /** `review` is what was open when the run began; left out where nobody knows. */
    start(plan: CheckedRun, head: string | undefined, review?: ReviewOutcome): void {
      // A question about a pull request does not review its commit.
      if (plan.trigger.kind === 'comment' && plan.scope === undefined) return;
      reviewEnd = review;
      startedCheck ??= begin(plan, head, options);
    },
    /** The check that was begun, once GitHub has taken it. */
    started: async (): Promise<FoundCheckRun | undefined> => await started(),
    /** Shows a stage, at most three times; an error there is ignored. */
    show(stage: RunStage): void {
      if (startedCheck === undefined || edits === MAX_EDITS || !isWorthShowing(stage)) return;
      edits += 1;
      const title = stageTitle(stage);
      editing = editing.then(() => edit(title)).catch(() => undefined);
    },
    /** Writes what findings say without a run: of a command only where the commit has a check. */
    tell: (check: ToldCheck): Promise<void> => tell(check, options),
    /** `review` is what is open now; left out: what was open when the run began. */
    async end(message: string, kind: 'failed' | 'cancelled', review = reviewEnd): Promise<void> {
      const check = await started();
      if (check === undefined) return;
      let end: CheckEnd = { title: 'The run failed', conclusion: 'neutral' };
      if (kind === 'cancelled') end = { title: 'Cancelled', conclusion: 'cancelled' };
      else if (review?.isBlocking === true)
        end = { title: openFindingsTitle(review), conclusion: 'failure' };
      await write(check, { ...end, summary: message }, options, check);
      await finished();
    },
  };
}

/**
 * The commit that the check of an event is about: what is reviewed, where that is known, else the
 * event's own. Another workflow's is left alone: it may be anybody's.
 */
export function checkedCommit(trigger: Trigger, reviewed?: string): string | undefined {
  if (reviewed !== undefined) return reviewed;
  if (trigger.kind === 'pull_request' || trigger.kind === 'merge_group') return trigger.head.sha;
  return trigger.kind === 'push' && !/^0*$/.test(trigger.after) ? trigger.after : undefined;
}

async function begin(
  { trigger, agent, coverage }: CheckedRun,
  head: string | undefined,
  { client, runUrl, log, keep }: CheckProgressOptions,
): Promise<(CheckRunKey & FoundCheckRun) | undefined> {
  const headSha = checkedCommit(trigger, head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  const { repository } = trigger;
  const key = { repository, headSha, name: agent.name };
  await keep({ owner: repository.owner, name: repository.name, headSha, agent: agent.name });
  const files = coverage?.files ?? 0;
  const title = files === 0 ? 'At work' : `Reading ${count(files, 'file')}`;
  const check = { ...key, title, summary: runningSummary(runUrl) };
  const started = await withGitHub((signal) => startCheckRun(client, check, signal), REMEDY);
  if (!(started instanceof GitHubError)) return { ...key, ...started };
  log(`No check in progress: ${started.message}`);
  await keep(undefined);
  return undefined;
}

function runningSummary(runUrl: string): string {
  return runUrl === '' ? 'The run is in progress.' : `[The run](${runUrl}) is in progress.`;
}

/** Only a third and two thirds of many parts are shown. */
function isWorthShowing(stage: RunStage): boolean {
  if (stage.kind !== 'parts') return true;
  const { done, total } = stage;
  const third = (part: number) => Math.floor((part * 3) / total);
  return done < total && third(done) > third(done - 1);
}

function stageTitle(stage: RunStage): string {
  if (stage.kind === 'second-look') return `Looking again at ${count(stage.findings, 'finding')}`;
  return `${formatInteger(stage.done)} of ${count(stage.total, 'part')} reviewed`;
}

/**
 * A commit without a check would wait for it forever where the check is required. Open findings
 * hold as they are; without any, what the check of the commit before said of how much was read
 * holds still.
 */
async function tell(
  { repository, headSha, name, review, skipped, isUnread = false }: ToldCheck,
  options: CheckProgressOptions,
): Promise<void> {
  const last = { repository, headSha: skipped?.since ?? headSha, name };
  const read = await withGitHub((signal) => readCheckRun(options.client, last, signal), REMEDY);
  const before = read instanceof GitHubError ? undefined : read;
  if (skipped === undefined && before === undefined) return;
  const end = endAfter(review, before, isUnread);
  const summary =
    skipped === undefined
      ? 'People have answered since the last review.'
      : `${skipped.message.replace(/\.$/, '')}.`;
  await write({ repository, headSha, name }, { ...end, summary }, options);
}

/** The title says what is open now, and as before how much was read. */
function endAfter(
  review: ReviewOutcome,
  before: CheckEnd | undefined,
  isUnread: boolean,
): CheckEnd {
  const last = before?.title.replace(UNMET, '') ?? '';
  const [known, read = ''] =
    /^(?:Nothing open|An earlier review blocks|[\d,]+ open: [\d,]+ \w+(?:, [\d,]+ \w+)*)\b(.*)$/.exec(
      last,
    ) ?? [];
  const readWhenCut = last.startsWith(UNFINISHED) ? `${last.slice(UNFINISHED.length)}${CUT}` : '';
  const title = `${openFindingsTitle(review)}${read}${readWhenCut}`;
  if (review.isBlocking) return { title, conclusion: 'failure' };
  if (review.open.length > 0) return { title, conclusion: 'neutral' };
  if (before === undefined) return { title: 'Nothing was reviewed', conclusion: 'neutral' };
  // Unread conversations may hold open findings: the title stays, and the check cannot succeed.
  if (isUnread)
    return {
      title: before.title,
      conclusion: before.conclusion === 'failure' ? 'failure' : 'neutral',
    };
  const holds = (review.holdingChecks ?? 0) > 0;
  if (read === coverageTitle(WHOLE)) return { title, conclusion: holds ? 'neutral' : 'success' };
  return {
    title: known === undefined ? before.title : title,
    conclusion: before.conclusion === 'failure' ? 'neutral' : before.conclusion,
  };
}

/** The title of a review that ended early and has no open finding. */
export const UNFINISHED = 'Review not finished';
/** The end of all other titles of a review that ended early. */
export const CUT = ', cut short';

const WHOLE = { kind: 'whole', files: 0, read: 0, unread: [] } as const;

async function write(
  { repository, headSha, name }: CheckRunKey,
  end: CheckEnd & { readonly summary: string },
  { client, clean, log }: CheckProgressOptions,
  started?: FoundCheckRun,
): Promise<void> {
  const report = {
    repository,
    headSha,
    name,
    ...end,
    summary: clean(end.summary),
    annotations: [],
  };
  const result = await withGitHub(
    (signal) => publishCheckRun(client, report, { signal, started }),
    REMEDY,
  );
  if (result instanceof GitHubError) log(`The check was not written: ${result.message}`);
}

/** Ends a check that a killed main step left in progress. */
export async function endUnfinishedCheck(
  client: GitHubClient,
  { owner, name, headSha, agent }: UnfinishedCheck,
  log: (line: string) => void,
): Promise<void> {
  const report = {
    repository: { owner, name, defaultBranch: '', isPrivate: false },
    headSha,
    name: agent,
    conclusion: 'cancelled',
    title: 'Stopped before its end',
    summary: 'The run was stopped before it could write its result. Start it again.',
    annotations: [],
  } as const;
  const ended = await withGitHub((signal) => endCheckRun(client, report, signal), REMEDY);
  if (ended === 'ended')
    log(`Ended the check of ${agent}, which the main step had left in progress.`);
  else if (ended !== 'none') log(`The check of ${agent} is still in progress: ${ended.message}`);
}

/** `3 open: 1 major, 2 minor`, behind the checks in words that hold the change up: `1 check unmet · `. */
export function openFindingsTitle({ open, isBlocking, holdingChecks = 0 }: ReviewOutcome): string {
  const checks = holdingChecks === 0 ? '' : `${count(holdingChecks, 'check')} unmet · `;
  if (open.length > 0) return `${checks}${formatOpenCount(open)}`;
  return `${checks}${isBlocking ? 'An earlier review blocks' : 'Nothing open'}`;
}

const UNMET = /^[\d,]+ checks? unmet · /;
