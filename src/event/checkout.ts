import { ConfigError } from '../lib/errors.js';
import type { Trigger } from './trigger.js';

/**
 * Refuses to work next to a fork's code that was checked out where secrets are: whatever builds or tests it in the same
 * job runs a stranger's program with them (D21). `checkedOut` is the commit in the workspace. Throws a ConfigError.
 */
export function refuseCheckout(trigger: Trigger, checkedOut: string | undefined): void {
  if (trigger.kind !== 'pull_request' || trigger.event !== 'pull_request_target' || !trigger.isFork) return;
  if (checkedOut === undefined) return;
  if (checkedOut !== trigger.head.sha && checkedOut !== trigger.mergeSha) return;
  const { number, event } = trigger;
  throw new ConfigError(
    `the commits of pull request #${number}, which comes from a fork, are checked out on \`${event}\`, where its code can reach the secrets`,
    {
      remedy:
        'Take the checkout out, or its `ref:`; the diff and the files are read through the API and need none.',
    },
  );
}
