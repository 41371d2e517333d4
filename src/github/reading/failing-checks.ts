import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import type { Warning } from '../../lib/warning.js';
import { fetchPages, type Listed } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** Whose checks are asked for, and how much of their logs. */
interface ChecksRequest extends CheckedCommit {
  /** Lines of each log; the last ones. */
  readonly maxLogLines: number;
  /** No more logs than these are fetched. */
  readonly maxLogs: number;
  /** Only checks of this name; empty, the default, for all. */
  readonly name?: string;
}

/** A check of a commit that did not succeed. Everything but the conclusion is the words of whoever runs the check. */
interface FailingCheck {
  /** A check run, or a status of the older kind. */
  readonly kind: 'check-run' | 'status';
  readonly name: string;
  /** `failure`, `timed_out`, `cancelled`, `action_required`, `startup_failure`, `error`. */
  readonly conclusion: string;
  readonly url: string | undefined;
  /** The check's own title and summary, or a status' description. */
  readonly summary: string;
  /** Only of jobs of GitHub Actions; undefined for other checks and beyond `maxLogs`. */
  readonly log: JobLog | undefined;
}

/** The checks that failed, as far as they were read. */
interface FailingChecks {
  readonly checks: readonly FailingCheck[];
  /** The others: what they came to, or how far they are (`success`, `skipped`, `in_progress`, `pending`). */
  readonly others: readonly { readonly name: string; readonly state: string }[];
  readonly isComplete: boolean;
  /** What could not be read: half the answer is better than none. */
  readonly problems: readonly Problem[];
  /** Whatever could not be asked was for want of a permission; true where nothing was, too. */
  readonly isDenied: boolean;
}

const FAILED = new Set(['failure', 'timed_out', 'cancelled', 'action_required', 'startup_failure', 'error']);

/**
 * The checks and statuses of a commit that failed, with the ends of the logs of Actions jobs. What the token may not
 * see is a problem among the others. Rejects only for an aborted signal.
 */
export async function failingChecks(
  client: GitHubClient,
  request: ChecksRequest,
  signal: AbortSignal,
): Promise<FailingChecks> {
  const { runs, statuses } = await listChecks(client, request, signal);
  const { name = '' } = request;
  const namedRuns = runs.items.filter((run) => name === '' || run.name === name);
  const namedStatuses = statuses.items.filter(({ context }) => name === '' || context === name);
  const failedRuns = namedRuns.filter(({ conclusion }) => FAILED.has(conclusion ?? ''));
  const checks: FailingCheck[] = [];
  for (const run of failedRuns) {
    const jobId =
      checks.filter(({ log }) => log !== undefined).length < request.maxLogs ? jobIdOf(run) : undefined;
    checks.push(
      checkOfRun(
        run,
        jobId === undefined ? undefined : await fetchJobLog(client, { ...request, jobId }, signal),
      ),
    );
  }
  return {
    checks: [...checks, ...namedStatuses.filter(({ state }) => FAILED.has(state)).map(checkOfStatus)],
    others: [
      ...namedRuns.map((run) => ({ name: run.name, state: run.conclusion ?? run.status })),
      ...namedStatuses.map(({ context, state }) => ({ name: context, state })),
    ].filter(({ state }) => !FAILED.has(state)),
    isComplete: runs.isComplete && statuses.isComplete,
    problems: [...runs.problems, ...statuses.problems],
    isDenied: runs.isDenied && statuses.isDenied,
  };
}

/** Actions links its check runs to their jobs: `…/actions/runs/1/job/2`. */
function jobIdOf({ app, details_url }: CheckRun): number | undefined {
  const [, id] = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(details_url ?? '') ?? [];
  return app?.slug === 'github-actions' && id !== undefined ? Number(id) : undefined;
}

function checkOfRun({ name, conclusion, html_url, output }: CheckRun, log: JobLog | undefined): FailingCheck {
  const summary = [output.title, output.summary].filter(Boolean).join('\n\n');
  return { kind: 'check-run', name, conclusion: conclusion ?? '', url: html_url ?? undefined, summary, log };
}

function checkOfStatus({ context, state, description, target_url }: Status): FailingCheck {
  return {
    kind: 'status',
    name: context,
    conclusion: state,
    url: target_url ?? undefined,
    summary: description ?? '',
    log: undefined,
  };
}

/** The end of a log: text that the job printed, not to be trusted; or why there is none. */
type JobLog =
  | { readonly kind: 'tail'; readonly text: string; readonly linesTotal: number }
  | { readonly kind: 'unavailable'; readonly message: string };

/**
 * The end of the log of an Actions job. GitHub leads to a file elsewhere, which comes whole; a job that still runs
 * has none. Rejects only for an aborted signal.
 */
export async function fetchJobLog(
  client: GitHubClient,
  {
    repository,
    jobId,
    maxLogLines,
  }: { readonly repository: Repository; readonly jobId: number; readonly maxLogLines: number },
  signal: AbortSignal,
): Promise<JobLog> {
  try {
    const { body } = await client.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
      params: { owner: repository.owner, repo: repository.name, job_id: jobId },
      signal,
    });
    return tailOf(textOf(body), maxLogLines);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { message, remedy } = thrown;
    return { kind: 'unavailable', message: remedy === undefined ? message : `${message}. ${remedy}` };
  }
}

/** The storage may call it text or bytes. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

/**
 * The last lines of a job's log without the runner's times and colours, ending with the last error the runner marked,
 * if there is one: what follows it only cleans up.
 */
export function tailOf(log: string, maxLines: number): JobLog {
  const lines = log.split(/\r?\n/).map(plainLine);
  if (lines.at(-1) === '') lines.pop();
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error < 0 ? lines.length : error + 1;
  const tail = lines.slice(Math.max(0, end - maxLines), end);
  return { kind: 'tail', text: tail.join('\n'), linesTotal: lines.length };
}

function plainLine(line: string): string {
  return line.replace(TIME, '').replace(COLOUR, '');
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** ANSI control sequences. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

/** A commit whose checks are listed. */
interface CheckedCommit {
  readonly repository: Repository;
  readonly sha: string;
}

/** What was not read of a commit's checks, and what helps. */
type Problem = Pick<Warning, 'message' | 'remedy'>;

/** A list as far as it was read: half the answer is better than none. */
interface CheckedList<Item> extends Listed<Item> {
  readonly problems: readonly Problem[];
  /** Whatever could not be asked was for want of a permission; true where nothing was, too. */
  readonly isDenied: boolean;
}

/** The check runs of a commit and its statuses, which are of the older kind; the newest of each name. */
interface ListedChecks {
  readonly runs: CheckedList<CheckRun>;
  readonly statuses: CheckedList<Status>;
}

/** Rejects only for an aborted signal. */
async function listChecks(
  client: GitHubClient,
  commit: CheckedCommit,
  signal: AbortSignal,
): Promise<ListedChecks> {
  const [runs, statuses] = await Promise.all([
    orProblem('the check runs', fetchCheckRuns(client, commit, signal)),
    orProblem('the statuses', fetchStatuses(client, commit, signal)),
  ]);
  return { runs, statuses };
}

const MAX_PAGES = 3;

const checkRunSchema = v.object({
  name: v.string(),
  conclusion: v.nullable(v.string()),
  status: v.string(),
  html_url: v.nullable(v.string()),
  details_url: v.nullable(v.string()),
  app: v.nullable(v.object({ slug: v.fallback(v.string(), '') })),
  output: v.object({ title: v.nullable(v.string()), summary: v.nullable(v.string()) }),
});

const statusSchema = v.object({
  context: v.string(),
  state: v.string(),
  description: v.nullable(v.string()),
  target_url: v.nullable(v.string()),
});

/** A check run as the REST API shows it, as far as it is used. */
type CheckRun = v.InferOutput<typeof checkRunSchema>;
/** The same of a status. */
type Status = v.InferOutput<typeof statusSchema>;

/** The newest run of each name. */
async function fetchCheckRuns(
  client: GitHubClient,
  { repository, sha }: CheckedCommit,
  signal: AbortSignal,
): Promise<Listed<CheckRun>> {
  return await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      params: { owner: repository.owner, repo: repository.name, ref: sha, filter: 'latest' },
      item: checkRunSchema,
      field: 'check_runs',
      what: 'the check runs',
      maxPages: MAX_PAGES,
    },
    signal,
  );
}

/** The newest status of each context. */
async function fetchStatuses(
  client: GitHubClient,
  { repository, sha }: CheckedCommit,
  signal: AbortSignal,
): Promise<Listed<Status>> {
  return await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/status',
      params: { owner: repository.owner, repo: repository.name, ref: sha },
      item: statusSchema,
      field: 'statuses',
      what: 'the statuses',
      maxPages: MAX_PAGES,
    },
    signal,
  );
}

async function orProblem<Item>(what: string, listing: Promise<Listed<Item>>): Promise<CheckedList<Item>> {
  try {
    return { ...(await listing), problems: [], isDenied: true };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    const { remedy, reason } = thrown;
    // GitHub's words say no more than that the permission is missing, and the remedy names it.
    const isDenied = reason === 'denied' && remedy !== undefined;
    const message = isDenied ? what : `${what}: ${thrown.message}`;
    return {
      items: [],
      isDenied,
      isComplete: false,
      problems: [{ message, ...(remedy === undefined ? {} : { remedy }) }],
    };
  }
}
