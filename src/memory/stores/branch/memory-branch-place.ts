import type { GitHubClient } from '../../../adapters/github/client/client.js';
import { GitHubError } from '../../../adapters/github/client/errors.js';

/** Which branch memory is on. */
export interface MemoryBranchPlace {
  readonly owner: string;
  readonly name: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** `https://github.com`, or the server of GHES (`GITHUB_SERVER_URL`), without a slash at its end. */
  readonly serverUrl: string;
  /** Whether it is the workflow's own repository, which the job's token is for; undefined outside a workflow. */
  readonly isOwn?: boolean | undefined;
}

/** A branch and how to ask for it. */
export interface BranchAccess {
  readonly client: GitHubClient;
  readonly place: MemoryBranchPlace;
}

/** `octocat/hello`. */
export function repositoryName({ owner, name }: MemoryBranchPlace): string {
  return `${owner}/${name}`;
}

/** `octocat/hello@axe-memory`, for people. */
export function branchName(place: MemoryBranchPlace): string {
  return `${repositoryName(place)}@${place.branch}`;
}

/** The error for an answer of an unexpected shape. */
export function placeNotUnderstood(requestLine: string): GitHubError {
  return new GitHubError(`GitHub's answer to \`${requestLine}\` is not understood`, {
    reason: 'unavailable',
    requestLine,
  });
}

/** The error for a repository that is not there for this token. */
export function noRepository(place: MemoryBranchPlace): GitHubError {
  const message = `GitHub knows no repository ${repositoryName(place)} that this token may see`;
  return new GitHubError(message, { reason: 'missing', requestLine: 'POST /graphql' });
}
