import { GitHubError } from '../github/errors.js';
import { type Failed, failedBy } from '../github/failed.js';

/** How long something may take to be published; its own limit, since the run's may be over already. */
const PUBLISH_TIMEOUT_MS = 60_000;

/** GitHub's answer, or why there is none: an error of GitHub's, or no answer in time. Anything else is thrown on. */
export async function whileAsked<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  remedy: string,
): Promise<{ readonly kind: 'answered'; readonly answer: T } | Failed> {
  const signal = AbortSignal.timeout(PUBLISH_TIMEOUT_MS);
  try {
    return { kind: 'answered', answer: await ask(signal) };
  } catch (thrown) {
    if (thrown instanceof GitHubError) return failedBy(thrown, remedy);
    if (!signal.aborted) throw thrown;
    const message = `GitHub did not answer within ${PUBLISH_TIMEOUT_MS / 1000} s`;
    return { kind: 'failed', message, remedy };
  }
}
