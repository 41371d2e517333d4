import { connection, type GraphNode, type PageArguments } from './github-connection.js';
import { html } from './github-objects.js';
import type { StoredCheckRun, StoredStatus } from './github-review-state.js';
import type { StoredRepo } from './github-state.js';

/** The checks and statuses of a commit, of each name the newest; null where it has none. */
export function rollupNode(repo: StoredRepo, sha: string): GraphNode | null {
  const runs = repo.talk.checkRuns.filter(({ headSha }) => headSha === sha).toReversed();
  const statuses = repo.talk.statuses.filter((status) => status.sha === sha).toReversed();
  const nodes = [
    ...runs
      .filter((run, index) => runs.findIndex(({ name }) => name === run.name) === index)
      .map(runNode(repo)),
    ...statuses
      .filter((one, index) => statuses.findIndex(({ context }) => context === one.context) === index)
      .map(statusNode),
  ];
  if (nodes.length === 0) return null;
  return {
    __typename: 'StatusCheckRollup',
    id: `SCR_${sha}`,
    contexts: (args: PageArguments) => connection(nodes, args),
  };
}

function runNode(repo: StoredRepo) {
  return ({ id, name, conclusion, status, title, summary, app, job }: StoredCheckRun): GraphNode => {
    const page = `${html(repo)}/runs/${id}`;
    return {
      __typename: 'CheckRun',
      id: `CR_${id}`,
      name,
      conclusion: conclusion?.toUpperCase() ?? null,
      status: status.toUpperCase(),
      title,
      summary,
      url: page,
      detailsUrl: job === undefined ? page : `${html(repo)}/actions/runs/${id}/job/${job}`,
      checkSuite: { __typename: 'CheckSuite', app: { __typename: 'App', slug: app } },
    };
  };
}

function statusNode({ id, context, state, description, targetUrl }: StoredStatus): GraphNode {
  return {
    __typename: 'StatusContext',
    id: `SC_${id}`,
    context,
    state: state.toUpperCase(),
    description,
    targetUrl,
  };
}
