import { readFileSync } from 'node:fs';
import {
  buildSchema,
  defaultFieldResolver,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import { fullName, html, stableId } from './github-objects.js';
import type { StoredComment, StoredIssue, StoredPull, StoredRepo } from './github-state.js';

const SCHEMA_FILE = new URL('../../node_modules/@octokit/graphql-schema/schema.graphql', import.meta.url);

let schema: GraphQLSchema | undefined;

/** What GraphQL queries see. */
export interface GraphQlWorld {
  readonly findRepo: (fullName: string) => StoredRepo | undefined;
  /** Login of the account the token belongs to. */
  readonly viewer: string;
}

/** The answer to a query, and what is wrong with the query by GitHub's schema or with what the fake knows of it. */
export interface GraphQlResult {
  readonly body: unknown;
  readonly violations: readonly string[];
}

type Resolved = Record<string, unknown>;

/** Validates a query against GitHub's schema and answers it by executing it over the fake's state. */
export async function answerGraphQl(request: unknown, world: GraphQlWorld): Promise<GraphQlResult> {
  const { query = '', variables } = (request ?? {}) as {
    query?: string;
    variables?: Record<string, unknown>;
  };
  schema ??= buildSchema(readFileSync(SCHEMA_FILE, 'utf8'), { assumeValid: true, noLocation: true });
  const parsed = tryParse(query);
  if ('error' in parsed) return refusal([parsed.error]);
  const problems = validate(schema, parsed.document);
  if (problems.length > 0) return refusal(problems);
  const violations: string[] = [];
  const result = await execute({
    schema,
    document: parsed.document,
    rootValue: rootValue(world),
    variableValues: variables,
    fieldResolver: strictResolver(violations),
    typeResolver: (value) => String((value as Resolved)['__typename']),
  });
  return { body: { data: result.data, ...githubErrors(result.errors) }, violations };
}

function tryParse(query: string): { document: ReturnType<typeof parse> } | { error: GraphQLError } {
  try {
    return { document: parse(query) };
  } catch (thrown) {
    return { error: thrown as GraphQLError };
  }
}

function refusal(problems: readonly GraphQLError[]): GraphQlResult {
  return {
    body: { errors: problems.map((problem) => problem.toJSON()) },
    violations: problems.map((problem) => `POST /graphql: ${problem.message}`),
  };
}

/** A field the fake has nothing for is a violation, not a silent null. */
function strictResolver(violations: string[]): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    if (typeof source === 'object' && source !== null && info.fieldName in source) {
      return defaultFieldResolver(source, args, context, info);
    }
    violations.push(`POST /graphql: the fake has no field ${info.parentType.name}.${info.fieldName}`);
    return null;
  };
}

function githubErrors(errors: readonly GraphQLError[] | undefined): Resolved {
  if (errors === undefined) return {};
  return {
    errors: errors.map((error) => ({
      type: error.extensions['type'],
      ...error.toJSON(),
      extensions: undefined,
    })),
  };
}

function rootValue(world: GraphQlWorld): Resolved {
  return {
    viewer: { login: world.viewer.replace(/\[bot\]$/, ''), id: String(stableId(world.viewer)) },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repo = world.findRepo(`${owner}/${name}`);
      if (repo === undefined) throw notFound(`a Repository with the name '${owner}/${name}'`);
      return repositoryNode(repo, world);
    },
  };
}

function repositoryNode(repo: StoredRepo, world: GraphQlWorld): Resolved {
  const subject = (kind: string, kinds: readonly ('Issue' | 'PullRequest')[]) => {
    return ({ number }: { number: number }) => {
      const found = kinds.includes('PullRequest') ? repo.pulls.get(number) : undefined;
      const issue = kinds.includes('Issue') ? repo.issues.get(number) : undefined;
      if (found !== undefined) return subjectNode('PullRequest', found, repo, world);
      if (issue !== undefined) return subjectNode('Issue', issue, repo, world);
      throw notFound(`${kind} with the number of ${number}.`);
    };
  };
  return {
    __typename: 'Repository',
    id: String(stableId(fullName(repo))),
    databaseId: stableId(fullName(repo)),
    name: repo.name,
    nameWithOwner: fullName(repo),
    isPrivate: repo.isPrivate,
    url: html(repo),
    issue: subject('an Issue', ['Issue']),
    pullRequest: subject('a PullRequest', ['PullRequest']),
    issueOrPullRequest: subject('an issue or pull request', ['Issue', 'PullRequest']),
  };
}

function subjectNode(
  kind: 'Issue' | 'PullRequest',
  subject: StoredIssue | StoredPull,
  repo: StoredRepo,
  world: GraphQlWorld,
): Resolved {
  const nodes = repo.comments
    .filter((comment) => comment.issue === subject.number)
    .map((comment) => commentNode(comment, repo, world));
  return {
    __typename: kind,
    id: `${kind}_${subject.number}`,
    number: subject.number,
    title: subject.title,
    body: subject.body ?? '',
    locked: subject.locked,
    author: actorNode(subject.author),
    url: `${html(repo)}/${kind === 'Issue' ? 'issues' : 'pull'}/${subject.number}`,
    comments: (args: PageArguments) => connection(nodes, args),
  };
}

function commentNode(comment: StoredComment, repo: StoredRepo, { viewer }: GraphQlWorld): Resolved {
  const page = repo.pulls.has(comment.issue) ? 'pull' : 'issues';
  return {
    __typename: 'IssueComment',
    id: `IC_${comment.id}`,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    body: comment.body,
    author: actorNode(comment.author),
    viewerDidAuthor: comment.author === viewer,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    isMinimized: false,
    url: `${html(repo)}/${page}/${comment.issue}#issuecomment-${comment.id}`,
  };
}

/** GraphQL names a bot without the `[bot]` that the REST API adds. */
function actorNode(login: string): Resolved {
  return {
    __typename: login.endsWith('[bot]') ? 'Bot' : 'User',
    login: login.replace(/\[bot\]$/, ''),
  };
}

interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
  readonly before?: string | null;
}

/** A connection in GraphQL's cursor form; as with GitHub, `first` or `last` must be given and be 100 at most. */
function connection(all: readonly Resolved[], { first, last, after, before }: PageArguments): Resolved {
  const size = first ?? last;
  if (typeof size !== 'number')
    throw limit('MISSING_PAGINATION_BOUNDARIES', '`first` or `last` must be given');
  if (size > 100) throw limit('EXCESSIVE_PAGINATION', `Requesting ${size} records exceeds the limit of 100`);
  const cursors = all.map((node) => `cursor:${String(node['databaseId'])}`);
  const from = typeof after === 'string' ? cursors.indexOf(after) + 1 : 0;
  const to = typeof before === 'string' ? cursors.indexOf(before) : all.length;
  const start = typeof first === 'number' ? from : Math.max(from, to - size);
  const end = typeof first === 'number' ? Math.min(to, from + size) : to;
  const nodes = all.slice(start, end);
  return {
    totalCount: all.length,
    nodes,
    edges: nodes.map((node, index) => ({ node, cursor: cursors[start + index] })),
    pageInfo: {
      hasNextPage: end < to,
      hasPreviousPage: start > from,
      startCursor: nodes.length > 0 ? cursors[start] : null,
      endCursor: nodes.length > 0 ? cursors[end - 1] : null,
    },
  };
}

function notFound(what: string): GraphQLError {
  return new GraphQLError(`Could not resolve to ${what}`, { extensions: { type: 'NOT_FOUND' } });
}

function limit(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
