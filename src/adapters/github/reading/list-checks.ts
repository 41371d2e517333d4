import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import type { Warning } from '../../../core/warning.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { fetchPages, type Listed } from '../client/pages.js';

/** A commit whose checks are listed. */
export interface CheckedCommit {
  readonly repository: Repository;
  readonly sha: string;
}

/** What was not read of a commit's checks, and what helps. */
export type Problem = Pick<Warning, 'message' | 'remedy'>;

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
export async function listChecks(
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
export type CheckRun = v.InferOutput<typeof checkRunSchema>;
/** The same of a status. */
export type Status = v.InferOutput<typeof statusSchema>;

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
