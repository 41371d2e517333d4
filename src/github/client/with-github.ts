import { PUBLISH_TIMEOUT_MS } from '../../lib/defaults.js';
import { signalAfter } from '../../lib/time-limit.js';
import { GitHubError } from './errors.js';

/**
 * GitHub's answer, or why there is none, with a remedy: an error of GitHub's, or no answer in time, which has a limit of its
 * own, since the run's may be over already. Anything else is thrown on.
 */
export async function withGitHub<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  remedy: string,
): Promise<T | GitHubError> {
  const signal = signalAfter(PUBLISH_TIMEOUT_MS);
  try {
    return await ask(signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError) return thrown.with({ remedy: thrown.remedy ?? remedy });
    if (!signal.aborted) throw thrown;
    const message = `GitHub did not answer within ${PUBLISH_TIMEOUT_MS / 1000} s`;
    return new GitHubError(message, { reason: 'unavailable', requestLine: '', remedy });
  }
}

/** Why nothing is posted without a client, and what to do about it. */
export const NO_TOKEN = 'there is no `github-token`. Leave that input out to use the token of the job.';
