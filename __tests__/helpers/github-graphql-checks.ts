import { connection, forbidden, type GraphNode } from './github-graph.js';
import { checkRunJson } from './github-json.js';
import type { StoredCheckRun, StoredRepo } from './github-state.js';

/** Each job that the tests keep has a workflow run of its own. */
function workflowRun(repo: StoredRepo, run: StoredCheckRun): GraphNode | null {
  if (repo.talk.refusedChecks === 'runs') throw forbidden();
  return run.job === undefined ? null : { event: run.cause ?? 'pull_request' };
}

/**
 * The newest check run of each name and the newest status of each context; null without any. Parts
 * are refused to a token without `checks: read` or `statuses: read`.
 */
export function rollupNode(repo: StoredRepo, sha: string): GraphNode | null {
  const { checkRuns, statuses, refusedChecks } = repo.talk;
  if (refusedChecks === 'all') throw forbidden();
  const runs = newestOf(
    checkRuns.filter(({ headSha }) => headSha === sha),
    ({ name }) => name,
  );
  const contexts = newestOf(
    statuses.filter((status) => status.sha === sha),
    ({ context }) => context,
  );
  if (runs.length + contexts.length === 0) return null;
  const nodes: GraphNode[] = [
    ...runs.map((run) => ({
      __typename: 'CheckRun',
      id: `CR_${run.id}`,
      name: run.name,
      externalId: run.externalId,
      status: run.status.toUpperCase(),
      conclusion: run.conclusion?.toUpperCase() ?? null,
      title: run.title,
      summary: run.summary,
      detailsUrl: checkRunJson(repo, run)['details_url'],
      checkSuite: {
        app: { slug: run.app },
        workflowRun: () => workflowRun(repo, run),
      },
    })),
    ...contexts.map((status) => ({
      __typename: 'StatusContext',
      id: `SC_${status.context}`,
      context: status.context,
      state: status.state.toUpperCase(),
      description: status.description ?? null,
    })),
  ];
  const [first, ...others] = nodes;
  if (refusedChecks !== 'first' || first === undefined)
    return { contexts: connection(() => nodes) };
  const refuse = () => {
    throw forbidden();
  };
  const refused = { ...first, name: refuse, context: refuse };
  return { contexts: connection(() => [refused, ...others]) };
}

/** The newest of each name, the newest first. */
function newestOf<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  const newestFirst = items.toReversed();
  return newestFirst.filter(
    (item, index) => newestFirst.findIndex((other) => nameOf(other) === nameOf(item)) === index,
  );
}
