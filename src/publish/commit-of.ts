import type { Trigger } from '../event/trigger.js';

/** The commit that a check of an event is about: what is reviewed, where that is known. */
export function commitOf(trigger: Trigger, reviewed: string | undefined): string | undefined {
  return reviewed ?? headOf(trigger);
}

/** The commit that an event is about. Another workflow's is left alone: it may be anybody's. */
function headOf(trigger: Trigger): string | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'merge_group':
      return trigger.head.sha;
    case 'push':
      return /^0*$/.test(trigger.after) ? undefined : trigger.after;
    case 'release':
    case 'comment':
    case 'issue':
    case 'workflow_run':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}
