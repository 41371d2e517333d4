import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { warningText } from '../../lib/errors.js';
import type { FailedCheck } from '../../prompt/context.js';
import { stripTerminalSequences } from '../../safety/fence.js';
import { fetchPages, inRepo, type Listed, orRefusal, unreadWarning } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

const FAILED = new Set(['failure', 'timed_out', 'cancelled', 'action_required', 'startup_failure', 'error']);

/**
 * The checks and statuses of a commit, those of a name if it is not empty, with the ends of the first logs of Actions jobs
 * that failed. What the token may not see is among what is unread. Rejects only for an aborted signal.
 */
export async function failingChecks(
  client: GitHubClient,
  commit: { readonly repository: Repository; readonly sha: string },
  { name, maxLogs, maxLogLines }: { name: string; maxLogs: number; maxLogLines: number },
  signal: AbortSignal,
) {
  const { repository, sha } = commit;
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
  const params = { ...inRepo(repository), ref: sha };
  const latest = { ...params, filter: 'latest' };
  const [runs, statuses] = await Promise.all([
    orUnread(
      'the check runs',
      fetchPages(client, `${route}/check-runs`, latest, checkRunsSchema, MAX_PAGES, signal),
    ),
    orUnread(
      'the statuses',
      fetchPages(client, `${route}/status`, params, statusesSchema, MAX_PAGES, signal),
    ),
  ]);
  const checks = [...runs.items, ...statuses.items].filter((check) => name === '' || check.name === name);
  const failed: FailedCheck[] = [];
  let logsLeft = maxLogs;
  for (const { name, state: conclusion, summary, jobId } of checks) {
    if (!FAILED.has(conclusion)) continue;
    const hasLog = jobId !== undefined && logsLeft > 0;
    if (hasLog) logsLeft -= 1;
    const log = hasLog ? await fetchJobLog(client, repository, jobId, maxLogLines, signal) : undefined;
    failed.push({ name, conclusion, summary, log });
  }
  return {
    failed,
    /** Those that succeeded, were skipped, or are not done. */
    others: checks.filter(({ state }) => !FAILED.has(state)),
    isComplete: runs.isComplete && statuses.isComplete,
    unread: [...runs.unread, ...statuses.unread],
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
  v.transform(({ context, state, description }) => {
    return { name: context, state, summary: description ?? '', jobId: undefined };
  }),
);

const statusesSchema = v.pipe(
  v.object({ statuses: v.array(statusSchema) }),
  v.transform(({ statuses }) => statuses),
);

/**
 * The end of the log of an Actions job, or why it could not be read. GitHub leads to a file elsewhere, which comes whole; a
 * job that still runs has none. Rejects only for an aborted signal.
 */
async function fetchJobLog(
  client: GitHubClient,
  repository: Repository,
  jobId: number,
  maxLines: number,
  signal: AbortSignal,
): Promise<string> {
  const params = { ...inRepo(repository), job_id: jobId };
  const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
  const answer = await orRefusal(client.request(route, { params, signal }));
  if (answer instanceof GitHubError) return `(it could not be read: ${warningText(answer)})`;
  const { body } = answer;
  // The storage may call it text or bytes.
  const text = body instanceof ArrayBuffer ? new TextDecoder().decode(body) : body;
  return tailOf(typeof text === 'string' ? text : '', maxLines);
}

/**
 * The last lines of a job's log without the runner's times and colours, ending with the last error the runner marked,
 * if there is one: what follows it only cleans up.
 */
export function tailOf(log: string, maxLines: number): string {
  const lines = log.split(/\r?\n/).map((line) => stripTerminalSequences(line.replace(TIME, '')));
  if (lines.at(-1) === '') lines.pop();
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error < 0 ? lines.length : error + 1;
  return lines.slice(Math.max(0, end - maxLines), end).join('\n');
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;

/** A list as far as it was read: half the answer is better than none. */
async function orUnread<Item>(what: string, listing: Promise<Listed<Item>>) {
  const listed = await orRefusal(listing);
  return listed instanceof GitHubError
    ? { items: [], isComplete: false, unread: [unreadWarning(listed, what)] }
    : { ...listed, unread: [] };
}
