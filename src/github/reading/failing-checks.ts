import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { type Warning, warningText } from '../../lib/warning.js';
import { stripTerminalSequences } from '../../safety/hidden.js';
import { fetchPages, inRepo, type Listed, orRefusal } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** The checks of a commit. */
export interface ChecksOnGitHub {
  readonly failed: readonly FailedCheck[];
  /** Those that succeeded, were skipped, or are not done. */
  readonly others: readonly { readonly name: string; readonly state: string }[];
  readonly isComplete: boolean;
  /** What could not be read. */
  readonly problems: readonly Pick<Warning, 'message' | 'remedy'>[];
  /** Whatever could not be asked was for want of a permission; true where nothing was, too. */
  readonly isDenied: boolean;
}

interface FailedCheck {
  readonly name: string;
  readonly conclusion: string;
  readonly summary: string;
  /** The end of the log, or why there is none; undefined where none was asked for. */
  readonly log: JobLog | undefined;
}

type JobLog =
  | { readonly kind: 'tail'; readonly text: string; readonly linesTotal: number }
  | { readonly kind: 'unavailable'; readonly message: string };

/** How much of which logs. */
export interface LogRequest {
  /** Only the check of this name; empty for all. */
  readonly name: string;
  readonly maxLogLines: number;
  readonly maxLogs: number;
}

const FAILED = new Set(['failure', 'timed_out', 'cancelled', 'action_required', 'startup_failure', 'error']);

/**
 * The checks and statuses of a commit that failed, with the ends of the logs of Actions jobs. What the token may not
 * see is a problem among the others. Rejects only for an aborted signal.
 */
export async function failingChecks(
  client: GitHubClient,
  request: LogRequest & { readonly repository: Repository; readonly sha: string },
  signal: AbortSignal,
): Promise<ChecksOnGitHub> {
  const { repository, sha, name } = request;
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
  const params = { ...inRepo(repository), ref: sha };
  const latest = { ...params, filter: 'latest' };
  const runList = fetchPages(client, `${route}/check-runs`, latest, checkRunsSchema, MAX_PAGES, signal);
  const statusList = fetchPages(client, `${route}/status`, params, statusesSchema, MAX_PAGES, signal);
  const [runs, statuses] = await Promise.all([
    orProblem('the check runs', runList),
    orProblem('the statuses', statusList),
  ]);
  const namedRuns = runs.items.filter((run) => name === '' || run.name === name);
  const namedStatuses = statuses.items.filter((status) => name === '' || status.name === name);
  const failed: FailedCheck[] = [];
  let logsLeft = request.maxLogs;
  for (const run of namedRuns.filter(({ state }) => FAILED.has(state))) {
    const jobId = logsLeft > 0 ? run.jobId : undefined;
    if (jobId !== undefined) logsLeft -= 1;
    const log =
      jobId === undefined
        ? undefined
        : await fetchJobLog(client, repository, jobId, request.maxLogLines, signal);
    failed.push({ name: run.name, conclusion: run.state, summary: run.summary, log });
  }
  for (const { name, state: conclusion, summary } of namedStatuses.filter(({ state }) => FAILED.has(state)))
    failed.push({ name, conclusion, summary, log: undefined });
  const others = [...namedRuns, ...namedStatuses].filter(({ state }) => !FAILED.has(state));
  return {
    failed,
    others: others.map(({ name, state }) => ({ name, state })),
    isComplete: runs.isComplete && statuses.isComplete,
    problems: [...runs.problems, ...statuses.problems],
    isDenied: runs.isDenied && statuses.isDenied,
  };
}

const MAX_PAGES = 3;

const checkRunSchema = v.pipe(
  v.object({
    name: v.string(),
    conclusion: v.nullable(v.string()),
    status: v.string(),
    details_url: v.nullable(v.string()),
    app: v.nullable(v.object({ slug: v.fallback(v.string(), '') })),
    output: v.object({ title: v.nullable(v.string()), summary: v.nullable(v.string()) }),
  }),
  v.transform(({ name, conclusion, status, details_url, app, output }) => {
    // Actions links its check runs to their jobs.
    const [, job] = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(details_url ?? '') ?? [];
    return {
      name,
      state: conclusion ?? status,
      summary: [output.title, output.summary].filter(Boolean).join('\n\n'),
      jobId: app?.slug === 'github-actions' && job !== undefined ? Number(job) : undefined,
    };
  }),
);

const checkRunsSchema = v.pipe(
  v.object({ check_runs: v.array(checkRunSchema) }),
  v.transform(({ check_runs }) => check_runs),
);

/** A status is a check of the older kind. */
const statusSchema = v.pipe(
  v.object({ context: v.string(), state: v.string(), description: v.nullable(v.string()) }),
  v.transform(({ context, state, description }) => ({ name: context, state, summary: description ?? '' })),
);

const statusesSchema = v.pipe(
  v.object({ statuses: v.array(statusSchema) }),
  v.transform(({ statuses }) => statuses),
);

/**
 * The end of the log of an Actions job. GitHub leads to a file elsewhere, which comes whole; a job that still runs
 * has none. Rejects only for an aborted signal.
 */
export async function fetchJobLog(
  client: GitHubClient,
  repository: Repository,
  jobId: number,
  maxLogLines: number,
  signal: AbortSignal,
): Promise<JobLog> {
  const params = { ...inRepo(repository), job_id: jobId };
  const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
  const answer = await orRefusal(client.request(route, { params, signal }));
  if (answer instanceof GitHubError) return { kind: 'unavailable', message: warningText(answer) };
  const { body } = answer;
  // The storage may call it text or bytes.
  const text = body instanceof ArrayBuffer ? new TextDecoder().decode(body) : body;
  return tailOf(typeof text === 'string' ? text : '', maxLogLines);
}

/**
 * The last lines of a job's log without the runner's times and colours, ending with the last error the runner marked,
 * if there is one: what follows it only cleans up.
 */
export function tailOf(log: string, maxLines: number): JobLog {
  const lines = log.split(/\r?\n/).map((line) => stripTerminalSequences(line.replace(TIME, '')));
  if (lines.at(-1) === '') lines.pop();
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error < 0 ? lines.length : error + 1;
  const tail = lines.slice(Math.max(0, end - maxLines), end);
  return { kind: 'tail', text: tail.join('\n'), linesTotal: lines.length };
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** A list as far as it was read: half the answer is better than none. */
async function orProblem<Item>(what: string, listing: Promise<Listed<Item>>) {
  const listed = await orRefusal(listing);
  if (!(listed instanceof GitHubError)) return { ...listed, problems: [], isDenied: true };
  const { remedy, reason } = listed;
  // GitHub's words say no more than that the permission is missing, and the remedy names it.
  const isDenied = reason === 'denied' && remedy !== undefined;
  const message = isDenied ? what : `${what}: ${listed.message}`;
  return { items: [], isDenied, isComplete: false, problems: [{ message, remedy }] };
}
