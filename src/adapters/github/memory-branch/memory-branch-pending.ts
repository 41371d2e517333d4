import * as v from 'valibot';
import type { BranchCommit, PendingSave, PendingSaves, SaveApart } from '../../../core/memory/branch.js';
import { noteTimeLeft, timeLeftMs } from '../../../core/time-limit.js';
import { GitHubError } from '../client/errors.js';
import { fetchFile, toBase64 } from './memory-branch-objects.js';
import {
  type BranchAccess,
  type MemoryBranchPlace,
  placeNotUnderstood,
  repositoryName,
} from './memory-branch-place.js';
import { messageFor, troubleOf } from './memory-branch-trouble.js';

/**
 * Saves of runs that others were in the way of, each on a branch of its own, `axe-memory-pending/<id>`: a branch, since
 * `contents: write` allows it, one request makes it with its commit, and everybody can see and delete it. What counts on it
 * is one file, which is written once: a branch that has it never changes again.
 */
const FILE = 'axe-pending.json';

/** Most that GitHub lists at once, and most pages that are read: the next save folds those in, and sees the others then. */
const PAGE = 100;
const MAX_PAGES = 10;

function pendingPrefix({ branch }: MemoryBranchPlace): string {
  return `${branch}-pending/`;
}

/** What {@link PENDING_FIELDS} needs. */
export function pendingVariables(place: MemoryBranchPlace): Readonly<Record<string, string>> {
  return { pending: `refs/heads/${pendingPrefix(place)}` };
}

/** Part of the query that reads the branch, so that nothing is asked twice. Names sort by age. */
export const PENDING_FIELDS = `id pending: refs(refPrefix: $pending, first: ${PAGE}, orderBy: { field: ALPHABETICAL, direction: ASC }) { ...pending }`;

/** What {@link PENDING_FIELDS} refers to. */
export const PENDING_FRAGMENT = `fragment pending on RefConnection {
  pageInfo { hasNextPage endCursor }
  nodes { id name target { ... on Commit { file(path: "${FILE}") { oid object { ... on Blob { text } } } } } }
}`;

const refsSchema = v.object({
  pageInfo: v.object({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) }),
  nodes: v.array(
    v.object({
      id: v.string(),
      name: v.string(),
      target: v.nullish(
        v.object({
          file: v.nullish(
            v.object({ oid: v.string(), object: v.nullish(v.object({ text: v.nullish(v.string()) })) }),
          ),
        }),
      ),
    }),
  ),
});

/** What {@link PENDING_FIELDS} is answered with, as part of a schema. */
export const pendingFields = { id: v.optional(v.string()), pending: v.nullish(refsSchema) };

type Refs = v.InferOutput<typeof refsSchema>;

/** The saves that the query found, and those on further pages. Throws a GitHubError. */
export async function fetchPending(
  access: BranchAccess,
  { id: repositoryId, pending }: v.InferOutput<v.ObjectSchema<typeof pendingFields, undefined>>,
  signal: AbortSignal,
): Promise<readonly PendingSave[]> {
  if (access.learnt !== undefined && repositoryId !== undefined) access.learnt.repositoryId = repositoryId;
  const saves: PendingSave[] = [];
  let refs = pending ?? undefined;
  for (let page = 1; refs !== undefined; page += 1) {
    for (const { id, name, target } of refs.nodes) {
      const { file } = target ?? {};
      if (file === undefined || file === null) continue;
      const found = await fetchFile(access, { oid: file.oid, text: file.object?.text }, signal);
      const files = found.kind === 'text' ? parseFiles(found.text) : undefined;
      if (files !== undefined) saves.push({ id, name, files });
    }
    refs = page < MAX_PAGES ? await nextPage(access, refs, signal) : undefined;
  }
  return saves;
}

async function nextPage(
  { client, place }: BranchAccess,
  { pageInfo: { hasNextPage, endCursor } }: Refs,
  signal: AbortSignal,
): Promise<Refs | undefined> {
  if (!hasNextPage || typeof endCursor !== 'string') return undefined;
  const variables = { owner: place.owner, name: place.name, after: endCursor, ...pendingVariables(place) };
  const data = await client.graphql(PAGE_QUERY, { variables, signal, missingIsNull: true });
  const answer = v.safeParse(v.object({ repository: v.object(pendingFields) }), data);
  if (!answer.success) throw placeNotUnderstood('POST /graphql');
  return answer.output.repository.pending ?? undefined;
}

const PAGE_QUERY = `query ($owner: String!, $name: String!, $pending: String!, $after: String!) {
  repository(owner: $owner, name: $name) {
    ${PENDING_FIELDS.replace('first:', 'after: $after, first:')}
  }
}
${PENDING_FRAGMENT}`;

const fileSchema = v.object({ files: v.record(v.string(), v.string()) });

/** Undefined for what is no save: somebody may have made a branch of that name. */
function parseFiles(text: string): ReadonlyMap<string, string> | undefined {
  try {
    const parsed = v.safeParse(fileSchema, JSON.parse(text));
    return parsed.success ? new Map(Object.entries(parsed.output.files)) : undefined;
  } catch {
    return undefined;
  }
}

/** Saves beside a branch. Nothing here throws but for an aborted signal. */
export function pendingSavesOf(access: BranchAccess): PendingSaves {
  return {
    add: (save, signal) => add(access, save, signal),
    remove: (pending, signal) => remove(access, pending, signal),
  };
}

async function add(access: BranchAccess, save: SaveApart, signal: AbortSignal): Promise<BranchCommit> {
  const { client, place } = access;
  const { id, at, files, message } = save;
  const branch = pendingPrefix(place) + id;
  const [headline = '', ...body] = message.split('\n');
  const text = `${JSON.stringify({ files: Object.fromEntries(files) }, undefined, 2)}\n`;
  const repositoryId = access.learnt?.repositoryId;
  if (repositoryId === undefined) return { kind: 'stale' };
  try {
    const data = await client.graphql(ADD, {
      variables: {
        ref: { repositoryId, name: `refs/heads/${branch}`, oid: at },
        input: {
          branch: { repositoryNameWithOwner: repositoryName(place), branchName: branch },
          expectedHeadOid: at,
          message: { headline, ...(body.length === 0 ? {} : { body: body.join('\n').trim() }) },
          fileChanges: { additions: [{ path: FILE, contents: toBase64(text) }] },
        },
      },
      signal: atOnce(signal),
    });
    const answer = v.safeParse(addedSchema, data);
    if (!answer.success) throw placeNotUnderstood('POST /graphql');
    return { kind: 'committed', head: answer.output.createCommitOnBranch.commit.oid };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    if (thrown.reason === 'unavailable')
      return { kind: 'unknown', message: messageFor(place, thrown.message, 'saving') };
    // It may have been refused after the branch was made, which holds nothing then.
    if (thrown.reason !== 'rate-limited') await removeEmpty(access, branch, signal);
    return troubleOf(place, thrown, 'saving');
  }
}

async function removeEmpty(
  { client, place }: BranchAccess,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const params = { owner: place.owner, repo: place.name, ref: `heads/${branch}` };
  try {
    await client.request('DELETE /repos/{owner}/{repo}/git/refs/{ref}', { params, signal: atOnce(signal) });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
  }
}

/** Longest pause that the client may make for a write. */
const SHORT_PAUSE_MS = 5_000;

/**
 * For a write that must not be made again a minute later, as it is: whoever tidies up does without, and whoever saves looks
 * at the branch again first.
 */
export function atOnce(signal: AbortSignal): AbortSignal {
  const own = AbortSignal.any([signal]);
  noteTimeLeft(own, () => Math.min(SHORT_PAUSE_MS, timeLeftMs(signal) ?? SHORT_PAUSE_MS));
  return own;
}

async function remove(
  { client }: BranchAccess,
  pending: readonly PendingSave[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < pending.length; from += PAGE) {
    const some = pending.slice(from, from + PAGE);
    const variables = Object.fromEntries(some.map(({ id }, index) => [`d${index}`, { refId: id }]));
    try {
      await client.graphql(removeMutation(some.length), { variables, signal: atOnce(signal) });
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
    }
  }
}

function removeMutation(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return `mutation (${indexes.map((index) => `$d${index}: DeleteRefInput!`).join(', ')}) {
  ${indexes.map((index) => `d${index}: deleteRef(input: $d${index}) { clientMutationId }`).join('\n')}
}`;
}

/** Carried out in this order, the second only after the first (GraphQL specification, 6.2.2). */
const ADD = `mutation ($ref: CreateRefInput!, $input: CreateCommitOnBranchInput!) {
  createRef(input: $ref) { clientMutationId }
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

const addedSchema = v.object({
  createCommitOnBranch: v.object({ commit: v.object({ oid: v.string() }) }),
});
