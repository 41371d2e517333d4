import { GitHubError } from '../../../github/client/errors.js';
import { type FailedSave, failed } from '../../store.js';
import type { CommitResult } from '../update.js';
import { type BranchAccess, branchName, type MemoryBranchPlace, repositoryName } from './branch.js';
import { fetchNewest } from './memory-branch-read.js';

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
        ...failed(error.reason, message, error.remedy),
        retryAfterMs: error.retryAfterMs ?? MINUTE_MS,
      };
    case 'denied':
    case 'missing':
      return failed('denied', message, accessRemedy(place, error, attempt));
    case 'unavailable': {
      const retryAfterMs = (error.status ?? 0) >= 500 ? SERVER_ERROR_WAIT_MS : undefined;
      return { ...failed(error.reason, message, error.remedy), retryAfterMs };
    }
    case 'too-large':
      return failed('error', message, 'Shorten the memory with `mode: gc`.');
    case 'invalid':
      return failed('error', message, error.remedy);
  }
}

/** The message of trouble: `saving to octocat/hello@axe-memory failed: …`. */
function messageFor(place: MemoryBranchPlace, cause: string, attempt: Attempt): string {
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
  {
    pattern: /\barchived\b/i,
    reason: 'denied',
    remedy: (place) => `Unarchive ${repositoryName(place)}, or name another repository with \`memory-repo\`.`,
  },
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

function ruleRemedy({ branch }: MemoryBranchPlace): string {
  const exempt = `let the app that the token belongs to bypass the rules for branch \`${branch}\``;
  if (branch === 'axe-memory') return `In the repository's rulesets, exclude \`${branch}\`, or ${exempt}.`;
  return `Set \`memory-branch: axe-memory\`, a branch of memory's own, or ${exempt} in the repository's settings.`;
}

/** GitHub does not tell a missing repository from one the token may not see; the workflow's own does exist. */
function accessRemedy(place: MemoryBranchPlace, { status, reason }: GitHubError, attempt: Attempt): string {
  if (status === 401) {
    return 'The token is not valid (any more): check `repositories-token`, or `github-token` where that is not set.';
  }
  const [need, to] = attempt === 'saving' ? ['write', 'write to'] : ['read', 'read'];
  const token = `give a token that can ${to} ${repositoryName(place)} as \`repositories-token\``;
  const isOwn = place.isOwn ?? reason === 'denied';
  return isOwn
    ? `Add \`contents: ${need}\` under \`permissions:\` of the job, or ${token}.`
    : `Check its name, and ${token}; the job's own token is for the workflow's repository only.`;
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
  const trouble = troubleOf(access.place, error, 'saving');
  if (error.reason === 'unavailable') return { kind: 'unknown', message: trouble.message };
  if (error.reason === 'denied' || error.reason === 'rate-limited') return trouble;
  if (STALE.test(error.message) || (await headNow(access, head, signal)) !== head)
    return { kind: 'conflict' };
  const isConflict = error.status === 409 && trouble.remedy === undefined;
  return isConflict ? { kind: 'conflict' } : trouble;
}

/** The words of `createCommitOnBranch`, of "Update a reference" and of "Create a reference" for a lost race. */
const STALE =
  /expected branch to point to|\bis at \S+ but expected|not a fast[- ]forward|reference already exists|reference does not exist/i;

/** The newest commit, undefined for none; where it cannot be looked at, nothing speaks against `head`. */
async function headNow(
  access: BranchAccess,
  head: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const newest = await fetchNewest(access, {}, signal);
    return newest.kind === 'found' ? newest.head : undefined;
  } catch (thrown) {
    if (thrown instanceof GitHubError) return head;
    throw thrown;
  }
}
