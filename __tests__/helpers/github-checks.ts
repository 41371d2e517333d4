import {
  created,
  githubError,
  notFound,
  page,
  type RestAnswer,
  type RestCall,
  type Routes,
} from './github-answers.js';
import { resolveCommit } from './github-git.js';
import { api, checkRunJson, repoJson, statusJson } from './github-json.js';
import { nextId, type StoredCheckRun, type StoredRepo } from './github-state.js';

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

/** Check runs, statuses of commits, and the logs of jobs. */
export const CHECK_ROUTES: Routes = {
  'POST /check-runs': ({ repo, request }) => {
    const body = request.body as CheckRunBody;
    const refusal = refuseAnnotations(body);
    if (refusal !== undefined) return refusal;
    const run = addCheckRun(repo, {
      headSha: body.head_sha ?? '',
      status: 'queued',
      conclusion: null,
    });
    change(run, body);
    return created(checkRunJson(repo, run));
  },
  // Annotations are added to those of earlier requests.
  'PATCH /check-runs/{check_run_id}': ({ repo, params, request }) => {
    const run = repo.talk.checkRuns.find(({ id }) => id === Number(params['check_run_id']));
    if (run === undefined) return notFound();
    const body = request.body as CheckRunBody;
    const refusal = refuseAnnotations(body);
    if (refusal !== undefined) return refusal;
    change(run, body);
    return { status: 200, body: checkRunJson(repo, run) };
  },
  // Of each name only the newest unless all are asked for.
  'GET /commits/{ref}/check-runs': (call) => {
    const { repo, request } = call;
    const sha = shaOf(call);
    const name = request.query.get('check_name');
    const ofCommit = repo.talk.checkRuns.filter(({ headSha }) => headSha === sha);
    const all = ofCommit.filter((run) => name === null || run.name === name);
    const runs =
      request.query.get('filter') === 'all'
        ? all.toReversed()
        : newestOfEach(all, (run) => run.name);
    const answer = page(call, runs, (run) => checkRunJson(repo, run));
    return { ...answer, body: { total_count: runs.length, check_runs: answer.body } };
  },
  'GET /commits/{ref}/status': (call) => {
    const { repo } = call;
    const sha = shaOf(call);
    const all = repo.talk.statuses.filter((status) => status.sha === sha);
    const latest = newestOfEach(all, ({ context }) => context);
    const states = latest.map(({ state }) => state);
    const isFailed = states.includes('failure') || states.includes('error');
    const isPending = states.includes('pending') || states.length === 0;
    const stateUnlessFailed = isPending ? 'pending' : 'success';
    const answer = page(call, latest, (status) => statusJson(repo, status));
    const body = {
      state: isFailed ? 'failure' : stateUnlessFailed,
      statuses: answer.body,
      sha,
      total_count: latest.length,
      repository: repoJson(repo),
      commit_url: `${api(repo)}/commits/${sha}`,
      url: `${api(repo)}/commits/${sha}/status`,
    };
    return { ...answer, body };
  },
  // A link to a file on another server.
  'GET /actions/jobs/{job_id}/logs': ({ repo, params }) => {
    const log = repo.talk.jobLogs.get(Number(params['job_id']));
    return log === undefined ? notFound() : { status: 302, body: undefined, elsewhere: log };
  },
};

/** Keeps a check run: one of Actions that has failed, unless said otherwise. */
export function addCheckRun(
  repo: StoredRepo,
  run: Pick<StoredCheckRun, 'headSha'> & Partial<StoredCheckRun>,
): StoredCheckRun {
  const { checkRuns } = repo.talk;
  const made: StoredCheckRun = {
    id: nextId(checkRuns),
    name: '',
    externalId: '',
    status: 'completed',
    conclusion: 'failure',
    title: null,
    summary: null,
    annotations: [],
    app: 'github-actions',
    ...run,
  };
  checkRuns.push(made);
  return made;
}

function refuseAnnotations({ output }: CheckRunBody): RestAnswer | undefined {
  const count = output?.annotations?.length ?? 0;
  if (count <= MAX_ANNOTATIONS) return undefined;
  const message = `No more than ${MAX_ANNOTATIONS} items are allowed; ${count} were supplied.`;
  return githubError(422, `Invalid request.\n\n${message}`);
}

function change(run: StoredCheckRun, body: CheckRunBody): void {
  const { title, summary, annotations = [] } = body.output ?? {};
  run.name = body.name ?? run.name;
  run.externalId = body.external_id ?? run.externalId;
  run.status = body.status ?? run.status;
  run.conclusion = body.conclusion ?? run.conclusion;
  run.title = title ?? run.title;
  run.summary = summary ?? run.summary;
  run.annotations.push(...annotations);
}

/** Newest first. */
function newestOfEach<One>(all: readonly One[], nameOf: (one: One) => string): readonly One[] {
  const newest = all.toReversed();
  return newest.filter(
    (one, at) => newest.findIndex((other) => nameOf(other) === nameOf(one)) === at,
  );
}

function shaOf({ repo, params }: RestCall): string {
  const ref = params['ref'] ?? '';
  return resolveCommit(repo, ref)?.sha ?? ref;
}
