import {
  buildSchema,
  defaultFieldResolver,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  parse,
  validate,
} from 'graphql';
import { type Caller, findRepo } from './github-answers.js';
import { type GraphNode, missing } from './github-graph.js';
import { gitMutations } from './github-graphql-git.js';
import { repositoryNode } from './github-graphql-nodes.js';
import { threadMutations } from './github-graphql-reviews.js';
import { loadGitHubSchema } from './github-openapi.js';
import { POINTS_AN_HOUR, queryCost } from './github-points.js';

/**
 * The fields of a query. Each mutation is carried out whole or not at all, before anything else is
 * answered.
 */
function rootOf(caller: Caller) {
  const repository = ({ owner, name }: { owner: string; name: string }) => {
    const repo = findRepo(caller.repos, `${owner}/${name}`);
    if (repo === undefined) throw missing(`a Repository with the name '${owner}/${name}'.`);
    return repositoryNode(repo, caller);
  };
  return {
    queries: { repository },
    mutations: { ...gitMutations(caller), ...threadMutations(caller) },
  };
}

let known: ReturnType<typeof buildSchema> | undefined;

/** Clients send few queries many times. */
const checked = new Map<string, ReturnType<typeof check>>();

/**
 * Validates a query against GitHub's schema and answers it by executing it over the fake's state;
 * with what is wrong with the query by the schema or by what the fake knows of it.
 */
export async function answerGraphQl(
  request: unknown,
  caller: Caller,
): Promise<{ readonly body: unknown; readonly violations: readonly string[] }> {
  const { query = '', variables } = (request ?? {}) as {
    query?: string;
    variables?: Record<string, unknown>;
  };
  const { queries, mutations } = rootOf(caller);
  known ??= buildSchema(loadGitHubSchema(Object.keys(mutations)), {
    assumeValid: true,
    noLocation: true,
  });
  const { document, problems } = checked.get(query) ?? check(known, query);
  checked.set(query, { document, problems });
  if (document === undefined) {
    const violations = problems.map(({ message }) => `POST /graphql: ${message}`);
    return { body: { errors: problems.map((problem) => problem.toJSON()) }, violations };
  }
  const violations: string[] = [];
  const { data, errors } = await execute({
    schema: known,
    document,
    rootValue: { ...queries, ...mutations, rateLimit: () => rateLimitOf(query, variables) },
    variableValues: variables,
    fieldResolver: strictResolver(violations),
    typeResolver: (value) => String((value as GraphNode)['__typename']),
  });
  const told = errors?.map((error) => {
    return { type: error.extensions['type'], ...error.toJSON(), extensions: undefined };
  });
  return { body: { data, errors: told }, violations };
}

function rateLimitOf(query: string, variables: Record<string, unknown> | undefined) {
  const { points: cost, nodes: nodeCount } = queryCost(query, variables);
  return { cost, nodeCount, limit: POINTS_AN_HOUR, remaining: POINTS_AN_HOUR - cost };
}

function check(schema: ReturnType<typeof buildSchema>, query: string) {
  try {
    const document = parse(query);
    const problems = validate(schema, document);
    return problems.length > 0 ? { problems } : { document, problems };
  } catch (thrown) {
    return { problems: [thrown as GraphQLError] };
  }
}

/** A field the fake has nothing for is a violation, not a silent null. */
function strictResolver(violations: string[]): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    if (typeof source === 'object' && source !== null && info.fieldName in source) {
      return defaultFieldResolver(source, args, context, info);
    }
    violations.push(
      `POST /graphql: the fake has no field ${info.parentType.name}.${info.fieldName}`,
    );
    return null;
  };
}
