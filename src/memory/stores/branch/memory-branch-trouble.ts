import * as v from 'valibot';
import { GitHubError } from '../../../github/client/errors.js';
import { type FailedSave, failed } from '../../store.js';
import type { CommitResult } from '../update.js';
import {
  type BranchAccess,
  branchName,
  type MemoryBranchPlace,
  noRepository,
  placeNotUnderstood,
  repositoryName,
} from './branch.js';

type Attempt = 'reading' | 'saving';

/**
 * A refusal in words: what was tried, GitHub's answer, and the line of YAML or the setting that fixes it (D14).
 */
export function troubleOf(place: MemoryBranchPlace, error: GitHubError, attempt: Attempt): FailedSave {
  const message = messageFor(place, error.message, attempt);
  const known = KNOWN_REFUSALS.find(({ pattern }) => pattern.test(error.message));
  if (error.reason !== 'rate-limited' && known !== undefined) {
    return failed(known.reason, message, known.remedy(place));
  }
  switch (error.reason) {
    case 'rate-limited':
      return {
        ...failed('rate-limited', message, error.remedy),
        retryAfterMs: error.retryAfterMs ?? MINUTE_MS,
      };
    case 'denied':
      return failed('denied', message, deniedRemedy(place, error, attempt));
    case 'missing':
      return failed('denied', message, invisibleRemedy(place, attempt));
    case 'unavailable':
      return {
        ...failed('unavailable', message, error.remedy),
        retryAfterMs: (error.status ?? 0) >= 500 ? SERVER_ERROR_WAIT_MS : undefined,
      };
    case 'too-large':
      return failed('error', message, 'Shorten the memory with `mode: gc`.');
    case 'invalid':
      return failed('error', message, error.remedy);
  }
}

/** The message of trouble: `saving to octocat/hello@axe-memory failed: …`. */
export function messageFor(place: MemoryBranchPlace, cause: string, attempt: Attempt): string {
  const tried = attempt === 'saving' ? 'saving to' : 'reading';
  // GitHub's sentences end with a stop, and more may follow this one.
  return `${tried} ${branchName(place)} failed: ${cause.replace(/\.+$/, '')}`;
}

const MINUTE_MS = 60_000;

/** After the client's own attempts; a save has time for more of them (D12). */
const SERVER_ERROR_WAIT_MS = 5_000;

interface KnownRefusal {
  readonly pattern: RegExp;
  readonly reason: 'denied' | 'error';
  readonly remedy: (place: MemoryBranchPlace) => string;
}

/** GitHub gives these several statuses and GraphQL types, so they are known by their words. The first one counts. */
const KNOWN_REFUSALS: readonly KnownRefusal[] = [
  { pattern: /\barchived\b/i, reason: 'denied', remedy: archivedRemedy },
  {
    pattern: /\bGH009\b|push protection|contain secrets|secret detected/i,
    reason: 'error',
    remedy: () =>
      'GitHub found a secret in the memory file: remove it, for example with `axe-action memory forget`, and replace it where it is valid.',
  },
  {
    pattern:
      /\bGH0(?:06|13)\b|rule violation|protected (?:branch|ref)|branch protection|through a pull request|approving review|required status check|not authorized to push|cannot force-push|reference update failed|being restricted/i,
    reason: 'denied',
    remedy: ruleRemedy,
  },
  {
    pattern: /repository is empty/i,
    reason: 'error',
    remedy: (place) =>
      `Give ${repositoryName(place)} a first commit, a README for example: an empty repository has no branches.`,
  },
  {
    pattern: /\bSAML\b/,
    reason: 'denied',
    remedy: ({ owner }) =>
      `Authorize the token of \`repositories-token\` for the single sign-on of ${owner}.`,
  },
];

function archivedRemedy(place: MemoryBranchPlace): string {
  return `Unarchive ${repositoryName(place)}, or name another repository with \`memory-repo\`.`;
}

function ruleRemedy({ branch }: MemoryBranchPlace): string {
  const exempt = `let the app that the token belongs to bypass the rules for branch \`${branch}\``;
  if (branch === 'axe-memory') return `In the repository's rulesets, exclude \`${branch}\`, or ${exempt}.`;
  return `Set \`memory-branch: axe-memory\`, a branch of memory's own, or ${exempt} in the repository's settings.`;
}

function deniedRemedy(place: MemoryBranchPlace, { status }: GitHubError, attempt: Attempt): string {
  if (status === 401) {
    return 'The token is not valid (any more): check `repositories-token`, or `github-token` where that is not set.';
  }
  return place.isOwn === false ? `Give ${anotherToken(place, attempt)}` : permissionRemedy(place, attempt);
}

/** GitHub does not tell a missing repository from one the token may not see; the workflow's own does exist. */
function invisibleRemedy(place: MemoryBranchPlace, attempt: Attempt): string {
  if (place.isOwn === true) return permissionRemedy(place, attempt);
  return `Check its name, and give ${anotherToken(place, attempt)}`;
}

function permissionRemedy(place: MemoryBranchPlace, attempt: Attempt): string {
  const line = `Add \`contents: ${attempt === 'saving' ? 'write' : 'read'}\` under \`permissions:\` of the job`;
  if (attempt === 'reading') return `${line}.`;
  return `${line}, or give a token that can write to ${repositoryName(place)} as \`repositories-token\`.`;
}

function anotherToken(place: MemoryBranchPlace, attempt: Attempt): string {
  const use = attempt === 'saving' ? 'write to' : 'read';
  return `a token that can ${use} ${repositoryName(place)} as \`repositories-token\`; the job's own token is for the workflow's repository only.`;
}

/** The branch and its repository, as far as writing is concerned. */
interface BranchState {
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
  error: GitHubError,
  head: string | undefined,
  signal: AbortSignal,
): Promise<CommitResult> {
  const { place } = access;
  if (error.reason === 'unavailable') {
    return { kind: 'unknown', message: messageFor(place, error.message, 'saving') };
  }
  if (error.reason !== 'denied' && STALE.test(error.message)) return { kind: 'conflict' };
  if (error.reason === 'rate-limited' || error.status === 401) return troubleOf(place, error, 'saving');
  const state = await lookAgain(access, signal);
  if (state?.isArchived === true) {
    const message = messageFor(place, `the repository ${repositoryName(place)} is archived`, 'saving');
    return failed('denied', message, archivedRemedy(place));
  }
  const hasMoved = state !== undefined && state.newest?.commit !== head;
  if (hasMoved && error.reason !== 'denied') return { kind: 'conflict' };
  const trouble = troubleOf(place, error, 'saving');
  const isConflict = error.status === 409 && trouble.remedy === undefined;
  return isConflict ? { kind: 'conflict' } : trouble;
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
