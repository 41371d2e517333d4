import * as v from 'valibot';
import type { BranchCommit } from '../../../core/memory/branch.js';
import { GitHubError } from '../client/errors.js';
import { type BranchAccess, noRepository, placeNotUnderstood } from './memory-branch-place.js';
import { archivedTrouble, messageFor, troubleOf } from './memory-branch-trouble.js';

/** The branch and its repository, as far as writing is concerned. */
export interface BranchState {
  readonly repositoryId: string;
  readonly isArchived: boolean;
  /** Newest commit and its tree; undefined if there is no such branch. */
  readonly newest: { readonly commit: string; readonly tree: string } | undefined;
}

/** Looks at the branch. Throws a GitHubError. */
export async function fetchBranchState(
  { client, place }: BranchAccess,
  signal: AbortSignal,
): Promise<BranchState> {
  const data = await client.graphql(STATE_QUERY, {
    variables: { owner: place.owner, name: place.name, ref: `refs/heads/${place.branch}` },
    signal,
    missingIsNull: true,
  });
  const answer = v.safeParse(stateSchema, data);
  if (!answer.success) throw placeNotUnderstood('POST /graphql');
  const { repository } = answer.output;
  if (repository === null) throw noRepository(place);
  const target = repository.ref?.target;
  return {
    repositoryId: repository.id,
    isArchived: repository.isArchived,
    newest: target === undefined ? undefined : { commit: target.oid, tree: target.tree.oid },
  };
}

/**
 * What a refused write means: that somebody else was first, that the answer was lost, or trouble. GitHub's words for
 * the first are not documented for every call, so where they are unknown the branch is looked at.
 * `head` is the commit the write was based on; undefined where the branch was to be created.
 */
export async function afterRefusal(
  access: BranchAccess,
  { error, head }: { readonly error: GitHubError; readonly head: string | undefined },
  signal: AbortSignal,
): Promise<BranchCommit> {
  const { place } = access;
  if (error.reason === 'unavailable') {
    return { kind: 'unknown', message: messageFor(place, error.message, 'saving') };
  }
  if (error.reason !== 'denied' && STALE.test(error.message)) return { kind: 'stale' };
  if (error.reason === 'rate-limited' || error.status === 401) return troubleOf(place, error, 'saving');
  const state = await lookAgain(access, signal);
  if (state?.isArchived === true) return archivedTrouble(place);
  const hasMoved = state !== undefined && state.newest?.commit !== head;
  if (hasMoved && error.reason !== 'denied') return { kind: 'stale' };
  const trouble = troubleOf(place, error, 'saving');
  const isConflict = error.status === 409 && trouble.remedy === undefined;
  return isConflict ? { kind: 'stale' } : trouble;
}

/** The words of `createCommitOnBranch`, of "Update a reference" and of "Create a reference" for a lost race. */
const STALE =
  /expected branch to point to|\bis at \S+ but expected|not a fast[- ]forward|reference already exists|reference does not exist/i;

async function lookAgain(access: BranchAccess, signal: AbortSignal): Promise<BranchState | undefined> {
  try {
    return await fetchBranchState(access, signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return undefined;
    throw thrown;
  }
}

const STATE_QUERY = `query ($owner: String!, $name: String!, $ref: String!) {
  repository(owner: $owner, name: $name) {
    id
    isArchived
    ref(qualifiedName: $ref) {
      target {
        oid
        ... on Commit { tree { oid } }
      }
    }
  }
}`;

const stateSchema = v.object({
  repository: v.nullable(
    v.object({
      id: v.string(),
      isArchived: v.boolean(),
      ref: v.nullable(
        v.object({ target: v.object({ oid: v.string(), tree: v.object({ oid: v.string() }) }) }),
      ),
    }),
  ),
});
