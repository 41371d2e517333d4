import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { mayWrite, type PermissionAnswer } from '../../event/trust.js';
import { askRest, orGitHubError, repositoryParams } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/**
 * `permission` is the base that GitHub enforces; `role_name`, which is missing on older servers,
 * only tells `maintain` from `write` and `triage` from `read`, so that a
 * custom role's name can never raise anybody.
 */
const answerSchema = v.pipe(
  v.object({
    permission: v.picklist(['admin', 'write', 'read', 'none']),
    role_name: v.fallback(v.string(), ''),
  }),
  v.transform(({ permission: base, role_name: role }): PermissionAnswer => {
    const isFiner =
      (base === 'write' && role === 'maintain') || (base === 'read' && role === 'triage');
    return { kind: 'known', permission: isFiner ? role : base };
  }),
);

/**
 * Asks what an account may do in a repository (`GET
 * /repos/{owner}/{repo}/collaborators/{username}/permission`). Rejects only for an aborted signal:
 * every error is an answer, and the answer is `unknown`.
 */
export async function fetchPermission(
  client: GitHubClient,
  { repository, login }: { readonly repository: Repository; readonly login: string },
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const params = { ...repositoryParams(repository), username: login };
  const answer = await orGitHubError(askRest(client, { route, params }, answerSchema, signal));
  if (!(answer instanceof GitHubError)) return answer;
  const { reason, about, message, remedy } = answer;
  // An account that was deleted, or an app's without `[bot]` in its name.
  if (reason === 'missing' && about === 'account') return { kind: 'known', permission: 'none' };
  return { kind: 'unknown', message, remedy };
}

/** Rejects only for an aborted signal. */
export async function isWriter(
  client: GitHubClient,
  repository: Repository,
  login: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await fetchPermission(client, { repository, login }, signal);
  return answer.kind === 'known' && mayWrite(answer.permission);
}
