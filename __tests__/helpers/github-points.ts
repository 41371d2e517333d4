import { type DocumentNode, Kind, parse, type SelectionSetNode } from 'graphql';

export interface QueryCost {
  /** Requests that fill every connection at its limit: the price is made of these. */
  readonly connections: number;
  /** Nodes that an answer can hold at most; GitHub refuses more than 500,000. */
  readonly nodes: number;
  readonly points: number;
}

const documents = new Map<string, DocumentNode>();

/**
 * The price of a query by GitHub's formula (GraphQL API, "Rate limits and query limits"): the
 * requests for each connection, each reaching its `first` or `last`, divided by 100, rounded, at
 * least 1. The nodes that exist play no part.
 */
export function queryCost(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
): QueryCost {
  const document = documents.get(query) ?? parse(query);
  documents.set(query, document);
  const fragments = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, definition.selectionSet);

  let connections = 0;
  let nodes = 0;
  function visit(selected: SelectionSetNode | undefined, times: number): void {
    for (const selection of selected?.selections ?? []) {
      if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet, times);
      else if (selection.kind === Kind.FRAGMENT_SPREAD)
        visit(fragments.get(selection.name.value), times);
      else {
        const limit = selection.arguments?.find(
          ({ name: { value } }) => value === 'first' || value === 'last',
        )?.value;
        if (limit === undefined) {
          visit(selection.selectionSet, times);
          continue;
        }
        const isVariable = limit.kind === Kind.VARIABLE;
        const size = Number(
          isVariable ? variables[limit.name.value] : limit.kind === Kind.INT && limit.value,
        );
        if (Number.isNaN(size)) throw new Error(`the page of ${selection.name.value} has no size`);
        connections += times;
        nodes += times * size;
        visit(selection.selectionSet, times * size);
      }
    }
  }
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind === Kind.OPERATION_DEFINITION) visit(operation.selectionSet, 1);
  return { connections, nodes, points: Math.max(1, Math.round(connections / 100)) };
}

/** Of a job's token, for all workflows of a repository. */
export const POINTS_AN_HOUR = 1000;
