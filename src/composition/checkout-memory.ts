import { createFiles } from '../adapters/host/files.js';
import { type CheckoutOptions, openCheckout } from '../adapters/host/git-checkout/git-checkout.js';
import type { CommitCause } from '../adapters/stores/repo/commit-message.js';
import { createRepoStore } from '../adapters/stores/repo/repo-store.js';
import type { CheckedOutMemory } from '../commands/memory/push-memory.js';
import type { Clock } from '../core/clock.js';
import { AxeError } from '../core/errors.js';

/** Memory in a checkout that is to be pushed. */
interface CheckoutMemoryOptions extends CheckoutOptions {
  /** The branch to push to; empty for the one that is checked out. */
  readonly branch: string;
  readonly clock: Clock;
  readonly cause?: CommitCause;
}

/**
 * Memory in a folder of a git checkout, with the branch it is pushed to. Undefined where there is no folder. Throws an
 * AxeError where it is in no repository, or no branch is checked out and none is named.
 */
export async function openCheckoutMemory(
  options: CheckoutMemoryOptions,
  signal: AbortSignal,
): Promise<CheckedOutMemory | undefined> {
  const { dir, clock, cause } = options;
  if ((await createFiles().stat(dir))?.kind !== 'directory') return undefined;
  const checkout = await openCheckout(options, signal);
  const branch = options.branch === '' ? checkout.branch : options.branch;
  if (branch === undefined) {
    throw new AxeError('no branch is checked out, only a commit', {
      remedy: 'Name the branch that memory is on, for example `push --branch main`.',
    });
  }
  const { folder, changed } = checkout;
  const store = createRepoStore({
    branch: checkout.openBranch(branch),
    folder,
    clock,
    mayCreate: false,
    isShared: true,
    ...(cause === undefined ? {} : { cause }),
  });
  return { folder, branch, changed, store };
}
