import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askRest, createOnce, fetchPages, repositoryParams } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/** A note on lines of a file, shown in the diff. */
export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly message: string;
  readonly title?: string;
}

/** Identifies a check run of a commit. */
export interface CheckRunKey {
  readonly repository: Repository;
  readonly headSha: string;
  /** People and we take two runs with one name on one commit for the same check. */
  readonly name: string;
}

/** A finished check of a commit. Its texts are sanitized already. */
export interface CheckRunReport extends CheckRunKey {
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly conclusion: (typeof CONCLUSIONS)[number];
  readonly annotations: readonly CheckAnnotation[];
}

const CONCLUSIONS = ['success', 'failure', 'neutral', 'cancelled'] as const;

/**
 * Creates or updates the check run of a commit, and returns its address. GitHub takes fifty
 * annotations at a time, so no more are sent; a check that has some keeps those. Throws a
 * GitHubError.
 */
export async function publishCheckRun(
  client: GitHubClient,
  report: CheckRunReport,
  { signal, started }: { readonly signal: AbortSignal; readonly started?: FoundCheckRun },
): Promise<string> {
  const find = () => findCheckRun(client, report, signal);
  const earlier = started ?? (await find());
  if (earlier === undefined) {
    const params = reportParams(report);
    return (await createOnce(() => create(client, report, params, signal), find)).url;
  }

  const changed = earlier.isAnnotated ? { ...report, annotations: [] } : report;
  await update(client, changed, earlier.id, signal);
  return earlier.url;
}

/** Finds the check run of a commit, or creates it as in progress. Throws a GitHubError. */
export async function startCheckRun(
  client: GitHubClient,
  { title, summary, ...key }: CheckRunKey & { readonly title: string; readonly summary: string },
  signal: AbortSignal,
): Promise<FoundCheckRun> {
  const find = () => findCheckRun(client, key, signal);
  const params = { name: key.name, status: 'in_progress', output: { title, summary } };
  return (await find()) ?? (await createOnce(() => create(client, key, params, signal), find));
}

/** Changes the texts of a check run that is in progress. Throws a GitHubError. */
export async function editStartedCheck(
  client: GitHubClient,
  {
    repository,
    id,
    title,
    summary,
  }: Pick<CheckRunKey, 'repository'> &
    Pick<CheckRunReport, 'title' | 'summary'> & { readonly id: number },
  signal: AbortSignal,
): Promise<void> {
  await client.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    params: { ...repositoryParams(repository), check_run_id: id, output: { title, summary } },
    signal,
  });
}

/** Ends the check run of a commit if it is still in progress. Throws a GitHubError. */
export async function endCheckRun(
  client: GitHubClient,
  report: CheckRunReport,
  signal: AbortSignal,
): Promise<'ended' | 'none'> {
  const runs = await listCheckRuns(client, report, signal);
  const unfinished = runs.find(
    ({ externalId, status }) => externalId === report.name && status !== 'completed',
  );
  if (unfinished === undefined) return 'none';
  await update(client, report, unfinished.id, signal);
  return 'ended';
}

/**
 * The result of the newest finished check of this name on a commit; undefined if there is none.
 * Throws a GitHubError.
 */
export async function readCheckRun(
  client: GitHubClient,
  key: CheckRunKey,
  signal: AbortSignal,
): Promise<Pick<CheckRunReport, 'conclusion' | 'title'> | undefined> {
  const runs = await listCheckRuns(client, key, signal);
  const [newest] = runs
    .filter(({ externalId, status }) => externalId === key.name && status === 'completed')
    .toSorted((a, b) => b.id - a.id);
  const conclusion = CONCLUSIONS.find((known) => known === newest?.conclusion);
  return conclusion === undefined ? undefined : { conclusion, title: newest?.title ?? '' };
}

const checkRunSchema = v.pipe(
  v.object({
    id: v.number(),
    html_url: v.nullable(v.string()),
    external_id: v.nullable(v.string()),
    status: v.string(),
    conclusion: v.nullable(v.string()),
    output: v.object({ annotations_count: v.number(), title: v.nullable(v.string()) }),
  }),
  v.transform(({ id, html_url, external_id, status, conclusion, output }) => ({
    id,
    url: html_url ?? '',
    externalId: external_id,
    status,
    conclusion,
    title: output.title ?? '',
    /** Such a run gets no more annotations: GitHub would add them to those that it has. */
    isAnnotated: output.annotations_count > 0,
  })),
);

export type FoundCheckRun = v.InferOutput<typeof checkRunSchema>;

const checkRunsSchema = v.pipe(
  v.object({ check_runs: v.array(checkRunSchema) }),
  v.transform(({ check_runs }) => check_runs),
);

/** Finds our run: another program's can have the same name. */
async function findCheckRun(
  client: GitHubClient,
  key: CheckRunKey,
  signal: AbortSignal,
): Promise<FoundCheckRun | undefined> {
  return (await listCheckRuns(client, key, signal)).find(
    ({ externalId }) => externalId === key.name,
  );
}

async function listCheckRuns(
  client: GitHubClient,
  { repository, headSha, name }: CheckRunKey,
  signal: AbortSignal,
): Promise<readonly FoundCheckRun[]> {
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const params = { ...repositoryParams(repository), ref: headSha, check_name: name, filter: 'all' };
  return (await fetchPages(client, { route, params, maxPages: 3 }, checkRunsSchema, signal)).items;
}

async function create(
  client: GitHubClient,
  { repository, headSha, name }: CheckRunKey,
  params: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<FoundCheckRun> {
  const route = 'POST /repos/{owner}/{repo}/check-runs';
  const all = { ...repositoryParams(repository), head_sha: headSha, external_id: name, ...params };
  return await askRest(client, { route, params: all }, checkRunSchema, signal);
}

async function update(
  client: GitHubClient,
  report: CheckRunReport,
  id: number,
  signal: AbortSignal,
): Promise<void> {
  await client.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    params: { ...repositoryParams(report.repository), check_run_id: id, ...reportParams(report) },
    signal,
  });
}

/** GitHub's limit for one request (REST API, "Create a check run"). */
const MAX_ANNOTATIONS = 50;

function reportParams({ name, conclusion, title, summary, annotations }: CheckRunReport) {
  const sent = annotations
    .slice(0, MAX_ANNOTATIONS)
    .map(({ startLine: start_line, endLine: end_line, ...rest }) => {
      return { start_line, end_line, annotation_level: 'warning', ...rest };
    });
  return { name, status: 'completed', conclusion, output: { title, summary, annotations: sent } };
}
