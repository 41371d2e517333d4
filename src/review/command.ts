import type { Trigger } from '../event/trigger.js';

/** A comment on a pull request that asks for a review. */
interface ReviewCommand {
  /** All of the pull request is to be looked at, not only what is new. */
  readonly isFull: boolean;
}

/**
 * `/axe review` or `/axe review full`, alone on the first line of a comment on a pull request that says something;
 * undefined for all others.
 */
export function reviewCommand(trigger: Trigger): ReviewCommand | undefined {
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  const [all, word] =
    /^(?:[ \t]*\r?\n)* {0,3}\/axe[ \t]+review(?:[ \t]+(full))?[ \t]*(?:\r?\n|$)/i.exec(trigger.body) ?? [];
  return all === undefined ? undefined : { isFull: word !== undefined };
}

/** Whether a comment asks something else of the agent than a review. */
export function isQuestion(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && reviewCommand(trigger) === undefined;
}
