import type { Trigger } from '../event/trigger.js';
import type { TriggerContext } from '../prompt/context.js';

/** The change a run looks at: the commits that were compared, and their whole diff. */
export interface ReviewedChange {
  readonly head: string;
  readonly base: string;
  /** Name of the branch it goes into; left out where that is not known. */
  readonly into?: string | undefined;
  readonly diff: string;
}

/** The change of the pull request a run is about; undefined where there is none or its diff is not known. */
export function changeOf(trigger: Trigger, context: TriggerContext | undefined): ReviewedChange | undefined {
  if (context?.kind !== 'pull_request') return undefined;
  const commits = context.pinned ?? commitsOf(trigger);
  if (commits === undefined) return undefined;
  const { head, base } = commits;
  return {
    head: head.sha,
    base: base.sha,
    into: base.ref || undefined,
    diff: context.diff,
  };
}

function commitsOf(trigger: Trigger) {
  if (trigger.kind === 'pull_request') return trigger;
  return trigger.kind === 'comment' ? trigger.commits : undefined;
}
