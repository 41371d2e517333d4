import type { Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import type { TriggerContext } from './context.js';

/** Whether only the fetched context says if the change comes from a fork: events of plain comments do not. */
export function isForkUnknown(trigger: Trigger, { level }: Trust): boolean {
  return (
    level === 'trusted' &&
    trigger.kind === 'comment' &&
    trigger.on === 'pull_request' &&
    trigger.isFork === undefined
  );
}

/** The trust of a run that is given the diff of a pull request, once it is known where its head lies (D19). */
export function trustOfDiff(trust: Trust, trigger: Trigger, context: TriggerContext | undefined): Trust {
  if (trigger.kind === 'local') return trust;
  if (context?.kind !== 'pull_request') return untrusted('the pull request could not be read');
  if (context.pinned === undefined) return trust;
  const { owner, name } = trigger.repository;
  const from = context.pinned.head.repository;
  if (from?.toLowerCase() === `${owner}/${name}`.toLowerCase()) return trust;
  return untrusted('the pull request comes from a fork');
}

function untrusted(reason: string): Trust {
  return { level: 'untrusted', lane: 'untrusted', reason };
}
