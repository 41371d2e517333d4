import type { Repository } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import {
  type CheckRunReport,
  endCheckRun,
  publishCheckRun,
  readCheckRun,
  type StartedCheckRun,
  startCheckRun,
} from '../github/posting/check-run.js';
import { count } from '../lib/text/number.js';
import { coverageTitle } from '../review/coverage.js';
import type { Progress } from '../run/dependencies.js';
import type { Plan } from '../run/run-plan.js';
import { keepCheck, type LeftCheck } from '../runner/check-state.js';
import { commitOf } from './commit-of.js';
import { openTitle } from './post-check.js';
import type { ReviewEnd } from './requested.js';
import { withGitHub } from './with-github.js';

/** What the check of a run at work is written with. */
interface CheckProgressOptions {
  readonly client: GitHubClient;
  /** Address of the run; empty outside of a workflow. */
  readonly runUrl: string;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** Writes a line to the job log. */
  log(line: string): void;
}

/** Findings that changed without a run. */
interface ToldCheck {
  readonly repository: Repository;
  readonly headSha: string;
  readonly agent: string;
  readonly review: ReviewEnd;
  readonly skipped: { readonly message: string; readonly since: string | undefined } | undefined;
  /** Conversations could not be read, so more may be open; left out: they were. */
  readonly isUnread?: boolean;
}

/** The check of a run, from its start to its end. */
export interface CheckProgress extends Progress {
  /** Writes what findings say without a run: of a command only where the commit has a check. */
  tell(told: ToldCheck): Promise<void>;
  /** The check that was begun, once GitHub has taken it. */
  started(): Promise<StartedCheckRun | undefined>;
  /** Its end was written elsewhere. */
  finished(): Promise<void>;
}

const REMEDY = 'The result is in the job summary.';

interface Begun extends StartedCheckRun {
  readonly repository: Repository;
  readonly headSha: string;
  readonly agent: string;
}

/**
 * Shows the check of a commit from the moment that a model is asked. To begin it is a courtesy: where GitHub refuses that,
 * the log says so, and the warning is left to its end. What a killed run leaves in progress is ended by the post step.
 */
export function createCheckProgress(options: CheckProgressOptions): CheckProgress {
  let begun: Promise<Begun | undefined> | undefined;
  async function finished(): Promise<void> {
    if (begun === undefined) return;
    begun = undefined;
    await keepCheck(undefined);
  }
  return {
    finished,
    start(plan, head) {
      // A question about a pull request is no look at its commit.
      if (plan.trigger.kind === 'comment' && plan.scope === undefined) return;
      begun ??= begin(plan, head, options);
    },
    started: async () => await begun,
    tell: (told) => tell(told, options),
    async skip({ trigger, agent, message, since }) {
      const headSha = commitOf(trigger, undefined);
      if (trigger.kind === 'local' || headSha === undefined) return;
      const { repository } = trigger;
      const review = { open: [], isBlocking: false, unposted: [] };
      await tell({ repository, headSha, agent, review, skipped: { message, since } }, options);
    },
    async end(message, kind) {
      const check = await begun;
      if (check === undefined) return;
      const isCancelled = kind === 'cancelled';
      const title = isCancelled ? 'Cancelled' : 'The run failed';
      const conclusion = isCancelled ? 'cancelled' : 'neutral';
      await write({ ...check, started: check, title, conclusion, summary: message }, options);
      await finished();
    },
  };
}

async function begin(
  plan: Plan,
  head: string | undefined,
  options: CheckProgressOptions,
): Promise<Begun | undefined> {
  const { trigger, agent } = plan;
  const headSha = commitOf(trigger, head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  const { repository } = trigger;
  const { client, runUrl, log } = options;
  await keepCheck({ owner: repository.owner, name: repository.name, headSha, agent: agent.name });
  const response = await withGitHub(
    (signal) =>
      startCheckRun(
        client,
        {
          repository,
          headSha,
          name: agent.name,
          title: readingTitle(plan),
          summary: runUrl === '' ? 'The run is at work.' : `[The run](${runUrl}) is at work.`,
        },
        signal,
      ),
    REMEDY,
  );
  if (response.kind === 'failed') {
    log(`No check in progress: ${response.message}`);
    await keepCheck(undefined);
    return undefined;
  }
  return { repository, headSha, agent: agent.name, ...response.answer };
}

function readingTitle({ scope, coverage }: Plan): string {
  if (coverage === undefined) return 'At work';
  const files = scope?.kind === 'since' ? scope.change.files.length : coverage.read;
  return files === 0 ? 'At work' : `Reading ${count(files, 'file')}`;
}

/**
 * A commit without a check would wait for it forever where the check is required. Open findings hold as they are; without any,
 * what the check of the commit before said of how much was read holds still.
 */
async function tell(
  { repository, headSha, agent, review, skipped, isUnread = false }: ToldCheck,
  options: CheckProgressOptions,
): Promise<void> {
  const check = { repository, headSha, agent };
  const before = await readBefore({ ...check, headSha: skipped?.since ?? headSha }, options);
  if (skipped === undefined && before === undefined) return;
  const { title, isWhole } = titleAfter(review, before);
  const isClear = review.open.length === 0 && !review.isBlocking && !isUnread;
  const wasFailure = before === undefined || before.conclusion === 'failure';
  const clear = isWhole ? 'success' : wasFailure ? 'neutral' : before.conclusion;
  const conclusion = review.isBlocking ? 'failure' : isClear ? clear : 'neutral';
  const summary = skipped === undefined ? 'People have answered findings.' : `${skipped.message}.`;
  await write({ ...check, conclusion, title, summary, started: undefined }, options);
}

/** The title says what is open now, and as before how much was read. */
function titleAfter(
  { open, isBlocking }: ReviewEnd,
  before: Pick<CheckRunReport, 'title' | 'conclusion'> | undefined,
): { readonly title: string; readonly isWhole: boolean } {
  const [known, read = ''] =
    /^(?:No findings|An earlier review blocks|.* open)\b(.*)$/.exec(before?.title ?? '') ?? [];
  const said = `${openTitle(
    open.map(({ severity }) => severity),
    isBlocking,
  )}${read}`;
  const isWhole = open.length === 0 && read === coverageTitle(WHOLE);
  const isClear = open.length === 0 && !isBlocking;
  if (before === undefined && isClear) return { title: 'Nothing was reviewed', isWhole };
  const isKept = known === undefined && isClear && before?.conclusion !== 'failure';
  return { title: isKept && before !== undefined ? before.title : said, isWhole };
}

const WHOLE = { kind: 'whole', files: 0, read: 0, unread: [] } as const;

async function readBefore(
  { repository, headSha, agent }: Pick<Begun, 'repository' | 'headSha' | 'agent'>,
  { client }: CheckProgressOptions,
): Promise<Pick<CheckRunReport, 'conclusion' | 'title'> | undefined> {
  const key = { repository, headSha, name: agent };
  const response = await withGitHub((signal) => readCheckRun(client, key, signal), REMEDY);
  return response.kind === 'failed' ? undefined : response.answer;
}

interface Ending extends Pick<Begun, 'repository' | 'headSha' | 'agent'> {
  readonly conclusion: CheckRunReport['conclusion'];
  readonly title: string;
  readonly summary: string;
  readonly started: StartedCheckRun | undefined;
}

async function write(
  { repository, headSha, agent, conclusion, title, summary, started }: Ending,
  { client, clean, log }: CheckProgressOptions,
): Promise<void> {
  const text = { title, summary: clean(summary), annotations: [] };
  const report = { repository, headSha, name: agent, conclusion, ...text };
  const response = await withGitHub((signal) => publishCheckRun(client, report, { signal, started }), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') log(`The check was not written: ${result.message}`);
}

/** Ends a check that a killed main step left in progress. */
export async function endLeftCheck(
  { owner, name, headSha, agent }: LeftCheck,
  { client, log }: Pick<CheckProgressOptions, 'client' | 'log'>,
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
  const response = await withGitHub((signal) => endCheckRun(client, report, signal), REMEDY);
  if (response.kind === 'failed') log(`The check of ${agent} is still in progress: ${response.message}`);
  else if (response.answer === 'ended')
    log(`Ended the check of ${agent}, which the main step had left in progress.`);
}
