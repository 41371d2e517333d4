import * as v from 'valibot';
import type { FailedCheck } from '../../event/context.js';
import type { Base, Repository } from '../../event/trigger.js';
import { isOurLog } from '../../event/trust.js';
import { warningText } from '../../lib/errors.js';
import { stripTerminalSequences } from '../../safety/fence.js';
import { isOwnText } from '../../safety/mark.js';
import {
  askRest,
  fetchPages,
  orGitHubError,
  repositoryParams,
  type SubjectPlace,
  unreadWarning,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

const personSchema = v.nullable(
  v.object({ name: v.optional(v.string()), date: v.optional(v.string()) }),
);

/**
 * The author is a login where GitHub knows the account, else the name git has, if there is one; it
 * proves nothing.
 */
const commitSchema = v.pipe(
  v.object({
    sha: v.string(),
    commit: v.object({ message: v.string(), author: personSchema, committer: personSchema }),
    author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
  }),
  v.transform(({ sha, commit, author }) => ({
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? '',
    date: commit.committer?.date ?? commit.author?.date ?? '',
  })),
);

export type FileCommit = v.InferOutput<typeof commitSchema>;

/**
 * The commits of a pull request, oldest first; GitHub lists 250 (REST API, "List commits on a pull
 * request"). Throws a GitHubError.
 */
export async function fetchPullCommits(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<readonly FileCommit[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits';
  const params = { ...repositoryParams(repository), pull_number: number };
  return (await fetchPages(client, { route, params, maxPages: 3 }, v.array(commitSchema), signal))
    .items;
}

/**
 * The newest commits that changed a file, back from a ref; none where the ref never had it. Throws
 * a GitHubError.
 */
export async function fetchCommitsOfFile(
  client: GitHubClient,
  repository: Repository,
  params: {
    readonly path: string;
    readonly sha: string;
    readonly per_page: number;
    readonly page: number;
  },
  signal: AbortSignal,
): Promise<readonly FileCommit[]> {
  return await askRest(
    client,
    { route: COMMITS, params: { ...repositoryParams(repository), ...params } },
    v.array(commitSchema),
    signal,
  );
}

const COMMITS = 'GET /repos/{owner}/{repo}/commits';

const tagSchema = v.pipe(
  v.object({ name: v.string(), commit: v.object({ sha: v.string() }) }),
  v.transform(({ name, commit: { sha } }) => ({ name, sha })),
);

/** Of tags, and of commits that are gone through; the tag before most releases is nearer. */
const MAX_PAGES = 5;

/**
 * What lies between a tag and the one before it, on the way back from its commit: the name of that
 * one, and the shas of the two commits. Undefined for the first. Throws a GitHubError.
 */
export async function fetchTagRange(
  client: GitHubClient,
  repository: Repository,
  tag: string,
  signal: AbortSignal,
): Promise<{ readonly since: string; readonly base: string; readonly head: string } | undefined> {
  const here = repositoryParams(repository);
  const tagsRoute = 'GET /repos/{owner}/{repo}/tags';
  const { items: tags } = await fetchPages(
    client,
    { route: tagsRoute, params: here, maxPages: MAX_PAGES },
    v.array(tagSchema),
    signal,
  );
  const from = tags.find(({ name }) => name === tag)?.sha ?? tag;
  const shas = v.array(v.object({ sha: v.string() }));
  const { items } = await fetchPages(
    client,
    { route: COMMITS, params: { ...here, sha: from }, maxPages: MAX_PAGES },
    shas,
    signal,
  );
  const commits = items.map(({ sha }) => sha);
  const before = previousTag(tag, tags, commits);
  return before && { since: before.name, base: before.sha, head: commits[0] ?? from };
}

/**
 * The tag before a new one: the nearest on the way back that belongs to the same series (`v`,
 * `cli-v`). Before a release that is a release too, since its notes tell what its release
 * candidates brought as well. Undefined for the first. `commits` are the shas up to the new tag,
 * newest first; the first is its own.
 * @internal
 */
export function previousTag(
  tag: string,
  tags: readonly v.InferOutput<typeof tagSchema>[],
  [own, ...earlier]: readonly string[],
) {
  const candidates = tags.filter(
    ({ name, sha }) => name !== tag && sha !== own && isSameSeries(name, tag),
  );
  const nearest = earlier.find((sha) => candidates.some((one) => one.sha === sha));
  return candidates.find((one) => one.sha === nearest);
}

function isSameSeries(name: string, tag: string): boolean {
  if (prefixOf(name) !== prefixOf(tag)) return false;
  return isPrerelease(tag) || !isPrerelease(name);
}

/** What is before the version. */
function prefixOf(tag: string): string {
  return tag.replace(/\d.*$/s, '');
}

/** `v1.2.0-rc.1` (Semantic Versioning 2.0.0, 9). */
function isPrerelease(tag: string): boolean {
  return /\d-[0-9A-Za-z]/.test(tag.slice(prefixOf(tag).length));
}

const pullSchema = v.object({
  number: v.number(),
  state: v.string(),
  head: v.object({ sha: v.string() }),
  base: v.object({ ref: v.string(), sha: v.string() }),
});

/**
 * The open pull request of this repository whose head a commit is; undefined where there is none.
 * Payloads name it only for branches of the repository itself, and not always. Throws a
 * GitHubError.
 */
export async function fetchPullOfCommit(
  client: GitHubClient,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<{ readonly number: number; readonly base: Base } | undefined> {
  const route = 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls';
  const params = { ...repositoryParams(repository), commit_sha: sha };
  const { items } = await fetchPages(
    client,
    { route, params, maxPages: 1 },
    v.array(pullSchema),
    signal,
  );
  return items.find(({ state, head }) => state === 'open' && head.sha === sha);
}

const FAILED = new Set([
  'failure',
  'timed_out',
  'cancelled',
  'action_required',
  'startup_failure',
  'error',
]);

/**
 * The checks and statuses of a commit, those of a name if it is not empty, with the ends of the
 * first logs of Actions jobs that failed. Only output whose workflow run is known to be ours is.
 * What the token may not see is among what is unread. Rejects only for an aborted signal.
 */
export async function fetchFailingChecks(
  client: GitHubClient,
  commit: { readonly repository: Repository; readonly sha: string },
  { name, maxLogs, maxLogLines }: { name: string; maxLogs: number; maxLogLines: number },
  signal: AbortSignal,
) {
  const { repository, sha } = commit;

  /** A list as far as it was read: half the answer is better than none. */
  async function list<Item>(what: string, path: string, schema: v.GenericSchema<unknown, Item[]>) {
    const route = `GET /repos/{owner}/{repo}/commits/{ref}/${path}`;
    const params = { ...repositoryParams(repository), ref: sha };
    const listed = await orGitHubError(
      fetchPages(client, { route, params, maxPages: MAX_CHECK_PAGES }, schema, signal),
    );
    if (!(listed instanceof GitHubError)) return { ...listed, unread: [] };
    return { items: [], isComplete: false, unread: [unreadWarning(listed, what)] };
  }

  const [runs, statuses] = await Promise.all([
    list('the check runs', 'check-runs', checkRunsSchema),
    list('the statuses', 'status', statusesSchema),
  ]);
  // What a run of ours says of its findings is nobody's news, and no stranger's word.
  const byOthers = runs.items.filter(({ isOwn }) => !isOwn);
  const checks = [...byOthers, ...statuses.items].filter(
    (check) => name === '' || check.name === name,
  );
  const failing = checks.filter(({ state }) => FAILED.has(state));
  const isAsked = failing.some(({ runId, summary }) => {
    return runId !== undefined && (maxLogs > 0 || summary !== '');
  });
  const ourRuns = isAsked ? await fetchOurRuns(client, commit, signal) : new Set<number>();
  const failed: FailedCheck[] = [];
  let logsLeft = maxLogs;
  for (const { name: checkName, state: conclusion, summary, jobId, runId } of failing) {
    const hasLog = jobId !== undefined && logsLeft > 0;
    if (hasLog) logsLeft -= 1;
    const log = hasLog
      ? await fetchJobLog(client, { repository, jobId, maxLines: maxLogLines }, signal)
      : undefined;
    const isOurs = runId !== undefined && ourRuns.has(runId);
    failed.push({ name: checkName, conclusion, summary, log, isOurs });
  }
  return {
    failed,
    /** Those that succeeded, were skipped, or are not done. */
    others: checks.filter(({ state }) => !FAILED.has(state)),
    isComplete: runs.isComplete && statuses.isComplete,
    unread: [...runs.unread, ...statuses.unread],
  };
}

const MAX_CHECK_PAGES = 3;

const checkRunSchema = v.pipe(
  v.object({
    name: v.string(),
    external_id: v.nullable(v.string()),
    conclusion: v.nullable(v.string()),
    status: v.string(),
    details_url: v.nullable(v.string()),
    app: v.nullable(v.object({ slug: v.fallback(v.string(), '') })),
    output: v.object({ title: v.nullable(v.string()), summary: v.nullable(v.string()) }),
  }),
  v.transform(({ name, external_id, conclusion, status, details_url, app, output }) => {
    // Actions links its check runs to their jobs.
    const [, run, job] = /\/actions\/runs\/(\d+)\/job\/(\d+)/.exec(details_url ?? '') ?? [];
    const isActions = app?.slug === 'github-actions' && job !== undefined;
    return {
      name,
      state: conclusion ?? status,
      summary: [output.title, output.summary].filter(Boolean).join('\n\n'),
      isOwn: external_id === name && isOwnText(output.summary ?? ''),
      jobId: isActions ? Number(job) : undefined,
      runId: isActions ? Number(run) : undefined,
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
    return { name: context, state, summary: description ?? '', jobId: undefined, runId: undefined };
  }),
);

const statusesSchema = v.pipe(
  v.object({ statuses: v.array(statusSchema) }),
  v.transform(({ statuses }) => statuses),
);

/**
 * Ids of the workflow runs of a commit that a push, a pull request or a dispatch of this repository
 * started. Those that cannot be read are not among them. Rejects only for an aborted signal.
 */
async function fetchOurRuns(
  client: GitHubClient,
  { repository, sha }: { readonly repository: Repository; readonly sha: string },
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const route = 'GET /repos/{owner}/{repo}/actions/runs';
  const params = { ...repositoryParams(repository), head_sha: sha, per_page: 100 };
  const answer = await orGitHubError(
    askRest(client, { route, params }, workflowRunsSchema, signal),
  );
  return new Set(answer instanceof GitHubError ? [] : answer);
}

const workflowRunsSchema = v.pipe(
  v.object({ workflow_runs: v.array(v.object({ id: v.number(), event: v.string() })) }),
  v.transform(({ workflow_runs }) =>
    workflow_runs.flatMap(({ id, event }) => (isOurLog(event) ? [id] : [])),
  ),
);

/**
 * The end of the log of an Actions job, or why it could not be read. GitHub leads to a file
 * elsewhere, which comes whole; a job that still runs has none. Rejects only for an aborted signal.
 */
async function fetchJobLog(
  client: GitHubClient,
  {
    repository,
    jobId,
    maxLines,
  }: { readonly repository: Repository; readonly jobId: number; readonly maxLines: number },
  signal: AbortSignal,
): Promise<string> {
  const params = { ...repositoryParams(repository), job_id: jobId };
  const route = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';
  const answer = await orGitHubError(client.request(route, { params, signal }));
  if (answer instanceof GitHubError) return `(it could not be read: ${warningText(answer)})`;
  const { body } = answer;
  // The storage may call it text or bytes.
  const text = body instanceof ArrayBuffer ? new TextDecoder().decode(body) : body;
  return logTail(typeof text === 'string' ? text : '', maxLines);
}

/**
 * The last lines of a job's log without the runner's times and colours, ending with the last error
 * the runner marked, if there is one: what follows it only cleans up.
 * @internal
 */
export function logTail(log: string, maxLines: number): string {
  const lines = log.split(/\r?\n/).map((line) => stripTerminalSequences(line.replace(TIME, '')));
  if (lines.at(-1) === '') lines.pop();
  const error = lines.findLastIndex((line) => line.startsWith('##[error]'));
  const end = error < 0 ? lines.length : error + 1;
  return lines.slice(Math.max(0, end - maxLines), end).join('\n');
}

const TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z /;
