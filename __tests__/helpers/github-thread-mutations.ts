import { forbidden, type GraphNode, notFound } from './github-connection.js';
import type { GraphQlFake } from './github-graphql-nodes.js';
import { threadNode } from './github-graphql-reviews.js';

interface ResolveInput {
  readonly clientMutationId?: string | null;
  readonly threadId: string;
}

/** What can be done to a conversation on a line. Both take the right to write contents. */
export function threadMutations(deps: GraphQlFake): GraphNode {
  const change =
    (isResolved: boolean) =>
    ({ input }: { input: ResolveInput }) =>
      changeThread(input, isResolved, deps);
  return { resolveReviewThread: change(true), unresolveReviewThread: change(false) };
}

function changeThread(
  { threadId, clientMutationId }: ResolveInput,
  isResolved: boolean,
  deps: GraphQlFake,
): GraphNode {
  for (const repo of deps.repos()) {
    const { reviewComments, resolved } = repo.talk;
    const first = reviewComments.find((one) => `PRRT_${one.id}` === threadId && one.inReplyTo === undefined);
    const pull = first === undefined ? undefined : repo.pulls.get(first.pull);
    if (first === undefined || pull === undefined) continue;
    if (deps.rightOf(repo) !== 'write') throw forbidden();
    if (isResolved) resolved.set(first.id, deps.viewer);
    else resolved.delete(first.id);
    return { clientMutationId: clientMutationId ?? null, thread: threadNode(repo, { pull, first }, deps) };
  }
  throw notFound(`a node with the global id of '${threadId}'.`);
}
