import {
  buildSchema,
  type DocumentNode,
  defaultFieldResolver,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  parse,
  validate,
} from 'graphql';
import type { GraphNode } from './github-connection.js';
import { type GraphQlFake, queryRoot } from './github-graphql-nodes.js';
import { mutationRoot } from './github-mutations.js';
import { loadGitHubSchema } from './github-schema.js';

/** The answer to a query, and what is wrong with the query by GitHub's schema or with what the fake knows of it. */
export interface GraphQlResult {
  readonly body: unknown;
  readonly violations: readonly string[];
}

/** A query that was read, or what is wrong with it. */
type Checked =
  | { readonly document: DocumentNode; readonly problems?: undefined }
  | { readonly document?: undefined; readonly problems: readonly GraphQLError[] };

let schema: GraphQLSchema | undefined;
const checked = new Map<string, Checked>();

/**
 * Validates a query against GitHub's schema and answers it by executing it over the fake's state.
 */
export async function answerGraphQl(request: unknown, deps: GraphQlFake): Promise<GraphQlResult> {
  const { query = '', variables } = (request ?? {}) as {
    query?: string;
    variables?: Record<string, unknown>;
  };
  const mutations = mutationRoot(deps);
  schema ??= buildSchema(loadGitHubSchema(Object.keys(mutations)), { assumeValid: true, noLocation: true });
  const { document, problems } = checkOnce(schema, query);
  if (problems !== undefined) return refusal(problems);
  const violations: string[] = [];
  const result = await execute({
    schema,
    document,
    rootValue: { ...queryRoot(deps), ...mutations },
    variableValues: variables,
    fieldResolver: strictResolver(violations),
    typeResolver: (value) => String((value as GraphNode)['__typename']),
  });
  return { body: { data: result.data, ...githubErrors(result.errors) }, violations };
}

/** Clients send few queries many times. */
function checkOnce(against: GraphQLSchema, query: string): Checked {
  const known = checked.get(query) ?? check(against, query);
  checked.set(query, known);
  return known;
}

function check(against: GraphQLSchema, query: string): Checked {
  try {
    const document = parse(query);
    const problems = validate(against, document);
    return problems.length > 0 ? { problems } : { document };
  } catch (thrown) {
    return { problems: [thrown as GraphQLError] };
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

function githubErrors(errors: readonly GraphQLError[] | undefined): GraphNode {
  if (errors === undefined) return {};
  return {
    errors: errors.map((error) => ({
      type: error.extensions['type'],
      ...error.toJSON(),
      extensions: undefined,
    })),
  };
}
