import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import type { BaseCode } from '../../memory/notes/citations.js';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/**
 * Files of a branch, the default one if it is undefined, as its newest commit has them, and which commits are in its history,
 * in one request. Undefined where the branch is not there. Throws a GitHubError.
 */
export async function fetchBaseCode(
  client: GitHubClient,
  { owner, name }: Repository,
  branch: string | undefined,
  paths: readonly string[],
  commits: readonly string[],
  signal: AbortSignal,
): Promise<BaseCode | undefined> {
  const named = [
    ...paths.map((path, index) => [`p${index}`, path]),
    ...commits.map((commit, index) => [`c${index}`, commit]),
    ...(branch === undefined ? [] : [['ref', `refs/heads/${branch}`]]),
  ];
  const query = queryFor(paths.length, commits.length, branch === undefined);
  const variables = { owner, name, ...Object.fromEntries(named) };
  const answer = await askGraphQl(client, query, variables, answerSchema, 'contents: read', signal, {
    missingIsNull: true,
    // A commit that GitHub does not compare is in no history that we know.
    mayLack: { field: 'history', onLack: () => undefined },
  });
  const { base, history } = answer.repository;
  if (base === null) return undefined;
  const { oid: commit, ...fields } = base.target;
  const files = paths.flatMap((path, index) => {
    const text = textOf(fields[`p${index}`]);
    return text === undefined ? [] : [[path, text] as const];
  });
  const isIn = (_: string, index: number) =>
    v.is(v.object({ aheadBy: v.literal(0) }), history?.[`c${index}`]);
  const known = new Set([commit, ...commits.filter(isIn)]);
  return { repository: `${owner}/${name}`, commit, files: new Map(files), history: known };
}

function queryFor(paths: number, commits: number, isDefault: boolean): string {
  const names = (letter: string, length: number) => Array.from({ length }, (_, index) => letter + index);
  const files = names('p', paths).map((name) => `${name}: file(path: $${name}) { ${CODE} }`);
  const compared = names('c', commits).map((name) => `${name}: compare(headRef: $${name}) { aheadBy }`);
  const variables = [...names('p', paths), ...names('c', commits), ...(isDefault ? [] : ['ref'])];
  const branch = isDefault ? 'defaultBranchRef' : 'ref(qualifiedName: $ref)';
  return `query ($owner: String!, $name: String!${variables.map((one) => `, $${one}: String!`).join('')}) {
  repository(owner: $owner, name: $name) {
    base: ${branch} { target { ... on Commit { oid ${files.join(' ')} } } }
    history: ${branch} { name ${compared.join(' ')} }
  }
}`;
}

const CODE = 'object { ... on Blob { text isTruncated } }';

const answerSchema = v.object({
  repository: v.object({
    base: v.nullable(v.object({ target: v.looseObject({ oid: v.string() }) })),
    history: v.nullish(v.record(v.string(), v.unknown())),
  }),
});

const entrySchema = v.object({
  object: v.nullish(v.object({ text: v.nullish(v.string()), isTruncated: v.optional(v.boolean()) })),
});

/** Null for what is no file; undefined for a binary one, or one that GitHub does not give whole. */
function textOf(entry: unknown): string | null | undefined {
  if (entry === null || entry === undefined) return null;
  if (!v.is(entrySchema, entry)) return undefined;
  const { object } = entry;
  if (object?.isTruncated === undefined) return null;
  return object.isTruncated ? undefined : (object.text ?? undefined);
}
