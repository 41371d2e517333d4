import type { BranchCommit, BranchRead } from '../../../core/memory/branch.js';
import { firstLine } from './git-objects.js';

const DENIED =
  /\b40[13]\b|denied to|permission denied|authentication failed|could not read (?:username|password)|invalid credentials|not allowed to push|protected branch|GH006|GH013|hook declined|repository rule/i;
/** Somebody else was faster: git says so itself, or the server when both arrive at the same moment. */
const RACED =
  /^!.*\[(?:rejected\]|remote rejected\].*(?:cannot lock ref|failed to update ref|incorrect old value|reference already exists))/m;
const REFUSED = /^!.*\[remote rejected\]/m;
const NO_BRANCH = /couldn't find remote ref/i;
const RETRY_AFTER_MS = 2_000;

/** Why a fetch failed, if not because there is no such branch. */
export function fetchTrouble(message: string): BranchRead {
  if (NO_BRANCH.test(message)) return { kind: 'missing', isPublic: false };
  const cause = `git fetch: ${causeOf(message)}`;
  if (!DENIED.test(message))
    return { kind: 'failed', reason: 'unavailable', message: cause, retryAfterMs: RETRY_AFTER_MS };
  const remedy =
    'Let git reach the repository: leave `persist-credentials: false` out of the checkout, or give `github-token`.';
  return { kind: 'failed', reason: 'denied', message: cause, remedy };
}

/** What became of a push that git says has failed. */
export function pushTrouble(message: string, branch: string): BranchCommit {
  if (RACED.test(message)) return { kind: 'stale' };
  const cause = `git push to \`${branch}\`: ${causeOf(message)}`;
  // The connection may have ended after the branch was moved.
  if (!DENIED.test(message) && !REFUSED.test(message)) return { kind: 'unknown', message: cause };
  const remedy =
    'Give the job `contents: write`. If the branch is protected, allow the token to push to it, or name another one: `push --branch <name>`.';
  return { kind: 'failed', reason: 'denied', message: cause, remedy };
}

/** What the server said, or else what git did. */
function causeOf(message: string): string {
  const [, remote = ''] = /^remote: (?:error: )?(.*\S)/m.exec(message) ?? [];
  const [, rejected = ''] = /^!.*\[remote rejected\] \((.*)\)/m.exec(message) ?? [];
  const parts = [rejected, remote].filter((part) => part !== '');
  return parts.length === 0 ? firstLine(message) : parts.join(': ');
}
