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
  const files = paths.map((path, at) => [`p${at}`, path] as const);
  const compared = commits.map((commit, at) => [`c${at}`, commit] as const);
  const ref = branch === undefined ? [] : [['ref', `refs/heads/${branch}`] as const];
  const asked = [...files, ...compared, ...ref];
  const at = branch === undefined ? 'defaultBranchRef' : 'ref(qualifiedName: $ref)';
  const query = `query ($owner: String!, $name: String!${asked.map(([alias]) => `, $${alias}: String!`).join('')}) {
  repository(owner: $owner, name: $name) {
    base: ${at} { target { ... on Commit { oid ${files.map(([alias]) => `${alias}: file(path: $${alias}) { ${CODE} }`).join(' ')} } } }
    history: ${at} { name ${compared.map(([alias]) => `${alias}: compare(headRef: $${alias}) { aheadBy }`).join(' ')} }
  }
}`;
  const variables = { owner, name, ...Object.fromEntries(asked) };
  const answer = await askGraphQl(client, query, variables, answerSchema, 'contents: read', signal, {
    missingIsNull: true,
    // A commit that GitHub does not compare is in no history that we know.
    mayLack: { field: 'history', onLack: () => undefined },
  });
  const { base, history } = answer.repository;
  if (base === null) return undefined;
  const { oid: commit, ...entries } = base.target;
  const texts = new Map<string, string | null>();
  for (const [alias, path] of files) {
    const text = textOf(entries[alias]);
    if (text !== undefined) texts.set(path, text);
  }
  const known = compared.filter(([alias]) => v.is(inHistorySchema, history?.[alias]));
  return {
    repository: `${owner}/${name}`,
    commit,
    files: texts,
    history: new Set([commit, ...known.map(([, one]) => one)]),
  };
}

const CODE = 'object { ... on Blob { text isTruncated } }';

const answerSchema = v.object({
  repository: v.object({
    base: v.nullable(v.object({ target: v.looseObject({ oid: v.string() }) })),
    history: v.nullish(v.record(v.string(), v.unknown())),
  }),
});

const inHistorySchema = v.object({ aheadBy: v.literal(0) });

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
