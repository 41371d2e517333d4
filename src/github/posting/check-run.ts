import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askRest, createOnce, fetchPages } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type Failed, orFailed } from '../client/errors.js';

/** A note on lines of a file, shown in the diff. */
export interface CheckAnnotation {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title?: string;
}

/** What tells a check run of a commit from others. */
export interface CheckRunKey {
  readonly repository: Repository;
  readonly headSha: string;
  /** The same name on the same commit is the same check: to a reader, and here. */
  readonly name: string;
}

/** What a check says in a line and below it. Texts went through outbound cleaning (D24). */
interface CheckText {
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
}

/** A finished check of a commit. */
export interface CheckRunReport extends CheckRunKey, CheckText {
  readonly conclusion: 'success' | 'failure' | 'neutral' | 'cancelled';
  readonly annotations: readonly CheckAnnotation[];
}

/** A check run that this run has begun. */
export interface StartedCheckRun {
  readonly id: number;
  readonly url: string;
  /** How many annotations it has. */
  readonly sent: number;
}

/** What became of a check run. */
type CheckRunResult =
  | { readonly kind: 'published'; readonly id: number; readonly url: string; readonly created: boolean }
  | Failed;

/**
 * Creates the check run of a commit, or brings it up to date. GitHub takes fifty annotations at a time
 * and adds those of each request to the ones before, so only those it does not have yet are sent. Rejects only for an
 * aborted signal.
 */
export async function publishCheckRun(
  client: GitHubClient,
  report: CheckRunReport,
  { signal, started }: { readonly signal: AbortSignal; readonly started?: StartedCheckRun | undefined },
): Promise<CheckRunResult> {
  return await orFailed<CheckRunResult>(async () => {
    const found = started === undefined ? await findCheckRun(client, report, signal) : started;
    if (found === undefined) {
      const run = await createOnce({
        create: () => create(client, report, { params: reportParams(report, 0), signal }),
        find: () => findCheckRun(client, report, signal),
      });
      await sendRest(client, { report, id: run.id, from: run.sent }, signal);
      return { kind: 'published', id: run.id, url: run.url, created: true };
    }
    await update(client, { report, id: found.id, from: found.sent }, signal);
    await sendRest(client, { report, id: found.id, from: found.sent + MAX_PER_REQUEST }, signal);
    return { kind: 'published', id: found.id, url: found.url, created: false };
  }, 'The findings are in the job summary.');
}

/** Creates a check run that says that a run is at work, or goes on with the one that is there. Throws a GitHubError. */
export async function startCheckRun(
  client: GitHubClient,
  { title, summary, ...key }: CheckRunKey & CheckText,
  signal: AbortSignal,
): Promise<StartedCheckRun> {
  const find = () => findCheckRun(client, key, signal);
  const params = { name: key.name, status: 'in_progress', output: { title, summary } };
  const found = await find();
  if (found !== undefined) return found;
  return { ...(await createOnce({ create: () => create(client, key, { params, signal }), find })), sent: 0 };
}

/** Ends the check run of a commit if it is still in progress. Throws a GitHubError. */
export async function endCheckRun(
  client: GitHubClient,
  report: CheckRunReport,
  signal: AbortSignal,
): Promise<'ended' | 'none'> {
  const items = await listCheckRuns(client, report, signal);
  const found = items.find((run) => run.external_id === report.name && run.status !== 'completed');
  if (found === undefined) return 'none';
  await update(client, { report, id: found.id, from: 0 }, signal);
  return 'ended';
}

/** How the newest finished check of this name on a commit ended; undefined where there is none. Throws a GitHubError. */
export async function readCheckRun(
  client: GitHubClient,
  key: CheckRunKey,
  signal: AbortSignal,
): Promise<Pick<CheckRunReport, 'conclusion' | 'title'> | undefined> {
  const ended = (await listCheckRuns(client, key, signal)).filter(({ status }) => status === 'completed');
  const newest = ended.reduce<(typeof ended)[number] | undefined>(
    (last, one) => (last === undefined || one.id > last.id ? one : last),
    undefined,
  );
  const conclusion = CONCLUSIONS.find((one) => one === newest?.conclusion);
  return conclusion === undefined ? undefined : { conclusion, title: newest?.output.title ?? '' };
}

const CONCLUSIONS = ['success', 'failure', 'neutral', 'cancelled'] as const;

/** (REST API, "Create a check run") */
const MAX_PER_REQUEST = 50;

const createdSchema = v.object({ id: v.number(), html_url: v.nullable(v.string()) });

const checkRunSchema = v.object({
  ...createdSchema.entries,
  external_id: v.nullable(v.string()),
  status: v.fallback(v.string(), ''),
  conclusion: v.fallback(v.nullable(v.string()), null),
  output: v.object({ annotations_count: v.number(), title: v.fallback(v.nullable(v.string()), null) }),
});

async function findCheckRun(
  client: GitHubClient,
  key: CheckRunKey,
  signal: AbortSignal,
): Promise<StartedCheckRun | undefined> {
  const items = await listCheckRuns(client, key, signal);
  // Another program's may have the same name.
  const found = items.find((run) => run.external_id === key.name);
  if (found === undefined) return undefined;
  return { id: found.id, url: found.html_url ?? '', sent: found.output.annotations_count };
}

async function listCheckRuns(
  client: GitHubClient,
  { repository, headSha, name }: CheckRunKey,
  signal: AbortSignal,
): Promise<readonly v.InferOutput<typeof checkRunSchema>[]> {
  const { items } = await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs',
      params: {
        owner: repository.owner,
        repo: repository.name,
        ref: headSha,
        check_name: name,
        filter: 'all',
      },
      item: checkRunSchema,
      field: 'check_runs',
      what: 'the check runs',
      maxPages: 3,
    },
    signal,
  );
  return items;
}

async function create(
  client: GitHubClient,
  { repository, headSha, name }: CheckRunKey,
  { params, signal }: { readonly params: Readonly<Record<string, unknown>>; readonly signal: AbortSignal },
): Promise<StartedCheckRun> {
  const created = await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/check-runs',
      params: {
        owner: repository.owner,
        repo: repository.name,
        head_sha: headSha,
        external_id: name,
        ...params,
      },
      schema: createdSchema,
      what: 'the check run',
    },
    signal,
  );
  return { id: created.id, url: created.html_url ?? '', sent: MAX_PER_REQUEST };
}

interface Update {
  readonly report: CheckRunReport;
  readonly id: number;
  /** Index of the first annotation to send. */
  readonly from: number;
}

/** The annotations from an index on, if there are any left. */
async function sendRest(client: GitHubClient, rest: Update, signal: AbortSignal): Promise<void> {
  const total = rest.report.annotations.length;
  for (let { from } = rest; from < total; from += MAX_PER_REQUEST) {
    await update(client, { ...rest, from }, signal);
  }
}

async function update(
  client: GitHubClient,
  { report, id, from }: Update,
  signal: AbortSignal,
): Promise<void> {
  const { owner, name: repo } = report.repository;
  await client.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    params: { owner, repo, check_run_id: id, ...reportParams(report, from) },
    signal,
  });
}

function reportParams({ name, conclusion, title, summary, annotations }: CheckRunReport, from: number) {
  const part = annotations.slice(from, from + MAX_PER_REQUEST).map(annotationParams);
  return { name, status: 'completed', conclusion, output: { title, summary, annotations: part } };
}

function annotationParams({ path, startLine, endLine, level, message, title }: CheckAnnotation) {
  return {
    path,
    start_line: startLine,
    end_line: endLine,
    annotation_level: level,
    message,
    ...(title === undefined ? {} : { title }),
  };
}
