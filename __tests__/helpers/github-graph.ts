import { GraphQLError } from 'graphql';

/** A node of GitHub's graph with the fields the fake knows. */
export type GraphNode = Record<string, unknown>;

/** What a connection is asked for. */
export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/**
 * A connection in GraphQL's cursor form; as with GitHub, `first` or `last` must be given and be 100
 * at most.
 */
export function connection(list: () => readonly GraphNode[]) {
  return (args: PageArguments): GraphNode => pageOf(list(), args);
}

function pageOf(
  all: readonly GraphNode[],
  { first, last, after, before }: PageArguments,
): GraphNode {
  const size = first ?? last;
  if (typeof size !== 'number')
    throw graphError('MISSING_PAGINATION_BOUNDARIES', '`first` or `last` must be given');
  if (size > 100)
    throw graphError('EXCESSIVE_PAGINATION', `Requesting ${size} records exceeds the limit of 100`);
  const cursors = all.map((node) => `cursor:${String(node['id'])}`);
  const from = typeof after === 'string' ? cursors.indexOf(after) + 1 : 0;
  const to = typeof before === 'string' ? cursors.indexOf(before) : all.length;
  const start = typeof first === 'number' ? from : Math.max(from, to - size);
  const end = typeof first === 'number' ? Math.min(to, from + size) : to;
  return {
    totalCount: all.length,
    nodes: all.slice(start, end),
    pageInfo: {
      hasNextPage: end < to,
      hasPreviousPage: start > from,
      startCursor: cursors.slice(start, end)[0] ?? null,
      endCursor: cursors.slice(start, end).at(-1) ?? null,
    },
  };
}

/** An error of a field, with GitHub's name for its kind. */
export function graphError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

/** What GitHub says to a token without the right. */
export function forbidden(): GraphQLError {
  return graphError('FORBIDDEN', 'Resource not accessible by integration');
}

/** GitHub's message for a missing object, or one that the token does not see. */
export function missing(what: string): GraphQLError {
  return graphError('NOT_FOUND', `Could not resolve to ${what}`);
}

/** GraphQL names a bot without the `[bot]` that the REST API adds. */
export function actorNode(login: string): GraphNode {
  return {
    __typename: login.endsWith('[bot]') ? 'Bot' : 'User',
    login: login.replace(/\[bot\]$/, ''),
  };
}
