import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { page } from './github-discussions.js';
import { resolveCommit } from './github-history.js';
import { api, repoJson } from './github-objects.js';
import { checkRunJson, statusJson } from './github-review-objects.js';
import { nextId, type StoredCheckRun } from './github-review-state.js';

const MAX_ANNOTATIONS = 50;

interface CheckRunBody {
  readonly name?: string;
  readonly head_sha?: string;
  readonly external_id?: string;
  readonly status?: StoredCheckRun['status'];
  readonly conclusion?: string;
  readonly output?: {
    readonly title?: string;
    readonly summary?: string;
    readonly annotations?: readonly unknown[];
  };
}

/** `GET …/actions/caches`: there is none. */
export function caches(): RestAnswer {
  return { status: 200, body: { total_count: 0, actions_caches: [] } };
}

/** `POST …/check-runs`. */
export function createCheckRun({ repo, request }: RestCall): RestAnswer {
  const body = request.body as CheckRunBody;
  const run: StoredCheckRun = {
    id: nextId(repo.talk.checkRuns),
    headSha: body.head_sha ?? '',
    name: '',
    externalId: '',
    status: 'queued',
    conclusion: null,
    title: null,
    summary: null,
    annotations: [],
    app: 'github-actions',
  };
  const refusal = apply(run, body);
  if (refusal !== undefined) return refusal;
  repo.talk.checkRuns.push(run);
  return {
    status: 201,
    body: checkRunJson(repo, run),
    headers: { location: `${api(repo)}/check-runs/${run.id}` },
  };
}

/** `PATCH …/check-runs/{check_run_id}`: annotations are added to those of earlier requests. */
export function updateCheckRun({ repo, params, request }: RestCall): RestAnswer {
  const run = repo.talk.checkRuns.find(({ id }) => id === Number(params['check_run_id']));
  if (run === undefined) return githubError(404, 'Not Found');
  return apply(run, request.body as CheckRunBody) ?? { status: 200, body: checkRunJson(repo, run) };
}

/** `GET …/commits/{ref}/check-runs`, in pages; of each name only the newest unless all are asked for. */
export function checkRuns(call: RestCall): RestAnswer {
  const { repo, request } = call;
  const sha = shaOf(call);
  const name = request.query.get('check_name');
  const all = repo.talk.checkRuns
    .filter((run) => run.headSha === sha && (name === null || run.name === name))
    .toReversed();
  const latest = all.filter((run, index) => all.findIndex((one) => one.name === run.name) === index);
  const runs = request.query.get('filter') === 'all' ? all : latest;
  const answer = page(
    call,
    runs.map((run) => checkRunJson(repo, run)),
  );
  return { ...answer, body: { total_count: runs.length, check_runs: answer.body } };
}

/** `GET …/commits/{ref}/status`: the newest of each context, in pages. */
export function combinedStatus(call: RestCall): RestAnswer {
  const { repo } = call;
  const sha = shaOf(call);
  const all = repo.talk.statuses.filter((status) => status.sha === sha).toReversed();
  const latest = all.filter(
    (one, index) => all.findIndex((other) => other.context === one.context) === index,
  );
  const states = latest.map(({ state }) => state);
  const isFailed = states.includes('failure') || states.includes('error');
  const isPending = states.includes('pending') || states.length === 0;
  const answer = page(
    call,
    latest.map((status) => statusJson(repo, status)),
  );
  return {
    ...answer,
    body: {
      state: isFailed ? 'failure' : isPending ? 'pending' : 'success',
      statuses: answer.body,
      sha,
      total_count: latest.length,
      repository: repoJson(repo),
      commit_url: `${api(repo)}/commits/${sha}`,
      url: `${api(repo)}/commits/${sha}/status`,
    },
  };
}

/** `GET …/actions/jobs/{job_id}/logs`: a link to a file on another server. */
export function jobLogs({ repo, params }: RestCall): RestAnswer {
  const log = repo.talk.jobLogs.get(Number(params['job_id']));
  if (log === undefined) return githubError(404, 'Not Found');
  return { status: 302, body: undefined, elsewhere: log };
}

function apply(run: StoredCheckRun, body: CheckRunBody): RestAnswer | undefined {
  const { title, summary, annotations = [] } = body.output ?? {};
  if (annotations.length > MAX_ANNOTATIONS) {
    return githubError(
      422,
      `Invalid request.\n\nNo more than ${MAX_ANNOTATIONS} items are allowed; ${annotations.length} were supplied.`,
    );
  }
  run.name = body.name ?? run.name;
  run.externalId = body.external_id ?? run.externalId;
  run.status = body.status ?? run.status;
  run.conclusion = body.conclusion ?? run.conclusion;
  run.title = title ?? run.title;
  run.summary = summary ?? run.summary;
  run.annotations.push(...annotations);
  return undefined;
}

function shaOf({ repo, params }: RestCall): string {
  const ref = params['ref'] ?? '';
  return resolveCommit(repo, ref)?.sha ?? ref;
}
