import { GitHubError } from '../client/errors.js';
import type { RefPlace } from './contents.js';

/**
 * The sha of the commit that a branch, a tag or a sha names now. Throws a GitHubError: `missing` for a repository that
 * is not there or not to be seen, `invalid` for a ref it does not have (REST API, "Get a commit").
 */
export async function resolveCommit(
  { client, repository, ref }: RefPlace,
  signal: AbortSignal,
): Promise<string> {
  const { owner, name: repo } = repository;
  const { body } = await client.request('GET /repos/{owner}/{repo}/commits/{ref}', {
    params: { owner, repo, ref },
    accept: SHA,
    signal,
  });
  const sha = typeof body === 'string' ? body.trim() : '';
  if (/^[0-9a-f]{40,64}$/.test(sha)) return sha;
  const requestLine = `GET /repos/${owner}/${repo}/commits/${ref}`;
  throw new GitHubError(`GitHub's answer to \`${requestLine}\` is not a commit`, {
    reason: 'unavailable',
    requestLine,
  });
}

const SHA = 'application/vnd.github.sha';
