import { subjectTrigger, type Trigger } from '../event/trigger.js';
import type { Plan } from '../run/records.js';
import type { Inputs } from '../runner/inputs/inputs.js';

/** Where a comment goes. */
export interface Target {
  readonly number: number;
  /** The comment that is answered; undefined for a sticky comment. */
  readonly replyTo: number | undefined;
}

/** Another workflow's run is reported on its pull request. */
export function targetOf({ trigger, reportsOn }: Plan, comment: Inputs['comment']): Target | undefined {
  if (reportsOn === undefined || comment === 'never') return commentTarget(trigger, comment);
  return { number: reportsOn, replyTo: undefined };
}

/** `auto`: a sticky comment on pull requests, a reply to a comment, nothing on issues. */
export function commentTarget(trigger: Trigger, comment: Inputs['comment']): Target | undefined {
  const subject = subjectTrigger(trigger);
  if (comment === 'never' || subject === undefined) return undefined;
  const { number } = subject;
  switch (subject.kind) {
    case 'pull_request':
      return { number, replyTo: undefined };
    case 'comment':
      return { number, replyTo: subject.commentId };
    case 'issue':
      return comment === 'always' ? { number, replyTo: undefined } : undefined;
  }
}

/** Stands for all agents of a repository; none has this name. */
export const FOR_ALL = 'memory';

/** Each agent has one sticky comment, and one reply to each comment. */
export function commentKey(agent: string, { replyTo }: Target): string {
  return replyTo === undefined ? agent : `${agent}/reply-${replyTo}`;
}
