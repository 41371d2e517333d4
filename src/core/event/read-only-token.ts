import type { Trigger } from './trigger.js';

/** Whose events GitHub gives a job token that can never have a write permission. */
export type ReadOnlyCause = 'fork' | 'dependabot';

/** Events of a fork's pull request that run with the fork's rights; `pull_request_target` and comments do not. */
const FORK_EVENTS: readonly string[] = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/** Events that Dependabot starts with the rights of a fork (docs.github.com, Dependabot on GitHub Actions). */
const DEPENDABOT_EVENTS: readonly string[] = [
  ...FORK_EVENTS,
  'push',
  'create',
  'deployment',
  'deployment_status',
];

/**
 * Why the token of the event's job cannot have any write permission, whatever the workflow says; undefined if the
 * workflow decides. A private repository can be set to give a fork's jobs more, which no event says.
 */
export function readOnlyToken(trigger: Trigger): ReadOnlyCause | undefined {
  if (trigger.kind === 'local') return undefined;
  const { event, actor } = trigger;
  if (actor.login === 'dependabot[bot]' && DEPENDABOT_EVENTS.includes(event)) return 'dependabot';
  const isFork = 'isFork' in trigger && trigger.isFork === true;
  return isFork && FORK_EVENTS.includes(event) ? 'fork' : undefined;
}
