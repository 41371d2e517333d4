import type { GitHubClient } from '../../adapters/github/client/client.js';
import {
  type CheckRunReport,
  endCheckRun,
  publishCheckRun,
  readCheckRun,
  type StartedCheckRun,
  startCheckRun,
} from '../../adapters/github/posting/check-run.js';
import type { Progress } from '../../core/dependencies.js';
import type { Repository, Trigger } from '../../core/event/trigger.js';
import type { Plan } from '../../core/plan.js';
import { count } from '../../core/text/number.js';
import { keepCheck, type LeftCheck } from '../runner/check-state.js';
import { withGitHub } from './with-github.js';

/** What the check of a run at work is written with. */
interface CheckProgressOptions {
  readonly client: GitHubClient;
  /** Distinguishes the check of this step from others. */
  readonly check: string;
  /** Address of the run; empty outside of a workflow. */
  readonly runUrl: string;
  /** Outbound cleaning for comments (D24). */
  clean(markdown: string): string;
  /** Writes a line to the job log. */
  log(line: string): void;
}

/** The check of a run, from its start to its end. */
export interface CheckProgress extends Progress {
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
      begun ??= begin(plan, head, options);
    },
    started: async () => await begun,
    async skip({ trigger, agent, message, since }) {
      const headSha = commitOf(trigger, undefined);
      if (trigger.kind === 'local' || headSha === undefined) return;
      const check = { repository: trigger.repository, headSha, agent };
      await writeSkip({ ...check, message, since }, options);
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
  const { client, check, runUrl, log } = options;
  await keepCheck({ owner: repository.owner, name: repository.name, headSha, agent: agent.name, check });
  const response = await withGitHub(
    (signal) =>
      startCheckRun(
        client,
        {
          repository,
          headSha,
          name: agent.name,
          externalId: check,
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

interface SkippedCheck extends Pick<Begun, 'repository' | 'headSha' | 'agent'> {
  readonly message: string;
  /** Sha of the commit since which nothing has changed; undefined for a run that has read nothing. */
  readonly since: string | undefined;
}

/** A commit without a check would wait for it forever where the check is required. What held before still holds. */
async function writeSkip(skipped: SkippedCheck, options: CheckProgressOptions): Promise<void> {
  const { since, message, ...check } = skipped;
  const before = since === undefined ? undefined : await readBefore({ ...check, headSha: since }, options);
  const { conclusion, title } = before ?? { conclusion: 'neutral', title: 'Nothing was reviewed' };
  await write({ ...check, conclusion, title, summary: `${message}.`, started: undefined }, options);
}

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
  { client, check, clean, log }: CheckProgressOptions,
): Promise<void> {
  const text = { title, summary: clean(summary), annotations: [] };
  const report = { repository, headSha, name: agent, externalId: check, conclusion, ...text };
  const response = await withGitHub((signal) => publishCheckRun(client, report, { signal, started }), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'failed') log(`The check was not written: ${result.message}`);
}

/** Ends a check that a killed main step left in progress. */
export async function endLeftCheck(
  { owner, name, headSha, agent, check }: LeftCheck,
  { client, log }: Pick<CheckProgressOptions, 'client' | 'log'>,
): Promise<void> {
  const report = {
    repository: { owner, name, defaultBranch: '', isPrivate: false },
    headSha,
    name: agent,
    externalId: check,
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

/** The commit that a check of an event is about: what is reviewed, where that is known. */
export function commitOf(trigger: Trigger, reviewed: string | undefined): string | undefined {
  return reviewed ?? headOf(trigger);
}

/** The commit that an event is about. Another workflow's is left alone: it may be anybody's. */
function headOf(trigger: Trigger): string | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'merge_group':
      return trigger.head.sha;
    case 'push':
      return /^0*$/.test(trigger.after) ? undefined : trigger.after;
    case 'release':
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
