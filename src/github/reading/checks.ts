import * as v from 'valibot';
import type { FailedCheck } from '../../event/context.js';
import type { Repository } from '../../event/trigger.js';
import { isOurLog } from '../../event/trust.js';
import { type Warning, warningText } from '../../lib/errors.js';
import { stripTerminalSequences } from '../../safety/fence.js';
import { isOwnText } from '../../safety/mark.js';
import { askGraphQl, orGitHubError, repositoryParams, unreadWarning } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { CHECKS_QUERY } from './subject-query.js';

/** The newest check run or status of each name. */
interface Check {
  readonly name: string;
  /** In lower case: `failure`, `in_progress`. */
  readonly state: string;
  readonly summary: string;
  /** The job of GitHub Actions that it belongs to. */
  readonly jobId: number | undefined;
  /** A workflow run that this repository started has printed its output. */
  readonly isOurs: boolean;
}

export interface ReadChecks {
  /** Without those of our own runs, which only repeat the findings. */
  readonly checks: readonly Check[];
  readonly isComplete: boolean;
  /** GitHub refused all of them, or single ones. */
  readonly refused: GitHubError | undefined;
}

export function checksWarnings({ refused }: ReadChecks): readonly Warning[] {
  return refused === undefined ? [] : [unreadWarning(refused, 'the checks')];
}

/** GitHub does not say which of the two a refused list needs. */
export const CHECK_PERMISSIONS = 'checks: read and statuses: read';

/** Names no commit, as in the events of git. */
export const NO_COMMIT = '0'.repeat(40);

/** Without it a check is still listed; its output then counts as a stranger's. */
export const WORKFLOW_RUN = {
  field: 'workflowRun',
  permission: 'actions: read',
  onLack: () => undefined,
};

const checkRunSchema = v.pipe(
  v.object({
    __typename: v.literal('CheckRun'),
    name: v.string(),
    externalId: v.nullable(v.string()),
    conclusion: v.nullable(v.string()),
    status: v.string(),
    title: v.nullable(v.string()),
    summary: v.nullable(v.string()),
    detailsUrl: v.nullable(v.string()),
    checkSuite: v.nullish(
      v.object({
        app: v.nullable(v.object({ slug: v.fallback(v.string(), '') })),
        workflowRun: v.nullish(v.object({ event: v.fallback(v.string(), '') })),
      }),
    ),
  }),
  v.transform(
    ({ name, externalId, conclusion, status, title, summary, detailsUrl, checkSuite }) => {
      // Actions links its check runs to their jobs.
      const [, job] = /\/actions\/runs\/\d+\/job\/(\d+)/.exec(detailsUrl ?? '') ?? [];
      const isJob = checkSuite?.app?.slug === 'github-actions' && job !== undefined;
      return {
        name,
        state: (conclusion ?? status).toLowerCase(),
        summary: [title, summary].filter(Boolean).join('\n\n'),
        isOwn: externalId === name && isOwnText(summary ?? ''),
        jobId: isJob ? Number(job) : undefined,
        isOurs: isJob && isOurLog(checkSuite?.workflowRun?.event ?? ''),
      };
    },
  ),
);

/** A status is a check of the older kind. */
const statusSchema = v.pipe(
  v.object({
    __typename: v.literal('StatusContext'),
    context: v.string(),
    state: v.string(),
    description: v.nullable(v.string()),
  }),
  v.transform(({ context: name, state, description }) => ({
    name,
    state: state.toLowerCase(),
    summary: description ?? '',
    isOwn: false,
    jobId: undefined,
    isOurs: false,
  })),
);

/** Null without a commit, without checks, and where GitHub refuses them. */
export const checkedSchema = v.nullish(
  v.object({
    statusCheckRollup: v.nullish(
      v.object({
        contexts: v.nullish(
          v.object({
            nodes: v.array(v.nullable(v.variant('__typename', [checkRunSchema, statusSchema]))),
            pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
          }),
        ),
      }),
    ),
  }),
);

export function checksOf(
  checked: v.InferOutput<typeof checkedSchema>,
  refused: GitHubError | undefined,
): ReadChecks & { /** The cursor of the next page. */ readonly after: string | undefined } {
  const contexts = checked?.statusCheckRollup?.contexts;
  const checks = (contexts?.nodes ?? []).flatMap((node) => {
    if (node === null || node.isOwn) return [];
    const { isOwn: _, ...check } = node;
    return [check];
  });
  const { hasNextPage = false, endCursor = null } = contexts?.pageInfo ?? {};
  const after = hasNextPage && endCursor !== null ? endCursor : undefined;
  return { checks, isComplete: refused === undefined && !hasNextPage, refused, after };
}

const MAX_CHECK_PAGES = 3;
const CHECKS_A_PAGE = 100;

/**
 * The checks and statuses of a commit, as far as the token can read them. Rejects only for an
 * aborted signal.
 */
export async function fetchChecks(
  client: GitHubClient,
  {
    repository: { owner, name },
    sha: head,
  }: { readonly repository: Repository; readonly sha: string },
  signal: AbortSignal,
): Promise<ReadChecks> {
  const checks: Check[] = [];
  let refused: GitHubError | undefined;
  let afterCheck: string | null = null;
  const mayLack = [
    {
      field: 'checked',
      permission: CHECK_PERMISSIONS,
      onLack: (error: GitHubError) => {
        refused = error;
      },
    },
    WORKFLOW_RUN,
  ];
  for (let page = 1; page <= MAX_CHECK_PAGES; page += 1) {
    const variables = { owner, name, head, checks: CHECKS_A_PAGE, afterCheck };
    const request = { query: CHECKS_QUERY, variables, permission: CHECK_PERMISSIONS, mayLack };
    const answer = await orGitHubError(askGraphQl(client, request, checksAnswerSchema, signal));
    if (answer instanceof GitHubError) return { checks, isComplete: false, refused: answer };

    const read = checksOf(answer.repository.checked, refused);
    checks.push(...read.checks);
    if (read.after === undefined || read.after === afterCheck)
      return { checks, isComplete: read.isComplete, refused };
    afterCheck = read.after;
  }
  return { checks, isComplete: false, refused };
}

const checksAnswerSchema = v.object({ repository: v.object({ checked: checkedSchema }) });

const FAILED = new Set([
  'failure',
  'timed_out',
  'cancelled',
  'action_required',
  'startup_failure',
  'error',
]);

export function hasFailed({ state }: Check): boolean {
  return FAILED.has(state);
}

/** The failed checks without logs. */
export function failedChecks({ checks }: ReadChecks): readonly FailedCheck[] {
  return checks.filter(hasFailed).map(({ name, state: conclusion, summary, isOurs }) => {
    return { name, conclusion, summary, log: undefined, isOurs };
  });
}

/**
 * The failed checks with the ends of the first logs of Actions jobs. Rejects only for an aborted
 * signal.
 */
export async function failedChecksWithLogs(
  client: GitHubClient,
  { repository, checks }: { readonly repository: Repository; readonly checks: readonly Check[] },
  { maxLogs, maxLogLines: maxLines }: { readonly maxLogs: number; readonly maxLogLines: number },
  signal: AbortSignal,
): Promise<readonly FailedCheck[]> {
  const failed = checks.filter(hasFailed);
  const jobs = failed.flatMap(({ jobId }) => jobId ?? []).slice(0, maxLogs);
  const logs = new Map<number, string>();
  for (const jobId of jobs)
    logs.set(jobId, await fetchJobLog(client, { repository, jobId, maxLines }, signal));
  return failed.map(({ name, state: conclusion, summary, jobId, isOurs }) => {
    const log = jobId === undefined ? undefined : logs.get(jobId);
    return { name, conclusion, summary, log, isOurs };
  });
}

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
