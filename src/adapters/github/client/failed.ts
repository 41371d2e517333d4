import { GitHubError } from './errors.js';

/** Something that was to be written to GitHub and was not. */
export interface Failed {
  readonly kind: 'failed';
  readonly message: string;
  readonly remedy: string;
}

/** Carries out a write; a GitHubError becomes its result, with `otherwise` where the error has no remedy. */
export async function orFailed<Done>(write: () => Promise<Done>, otherwise: string): Promise<Done | Failed> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof GitHubError) return failedBy(thrown, otherwise);
    throw thrown;
  }
}

/** The result that tells of an error. */
export function failedBy({ message, remedy }: GitHubError, otherwise: string): Failed {
  return { kind: 'failed', message, remedy: remedy ?? otherwise };
}

/** Carries out once more what may be carried out twice, where the first answer did not come. */
export async function againIfLost<Done>(write: () => Promise<Done>): Promise<Done> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'unavailable') return await write();
    throw thrown;
  }
}
