import {
  type AdmissionPolicy,
  commonLabel,
  DEFAULT_ADMISSION_POLICY,
  isEnough,
  isListed,
} from './admission-policy.js';
import { findMention, isOwnText } from './mention.js';
import { isSameAccount, type Permission } from './permission.js';
import {
  type Skip,
  skipBot,
  skipDeleted,
  skipDraft,
  skipFork,
  skipForkComment,
  skipForkRun,
  skipLabel,
  skipOtherSender,
  skipOwnText,
  skipPermission,
  skipUnknown,
  skipUnmentioned,
} from './skip.js';
import type {
  Actor,
  CommentTrigger,
  IssueTrigger,
  PullRequestTrigger,
  Trigger,
  WorkflowRunTrigger,
} from './trigger.js';

/** Whether an event starts a run; a skip ends the step green with one notice (D20). */
export type Admission = { readonly kind: 'run' } | Skip;

/** Triggers that somebody without access can cause. */
export type SubjectTrigger = PullRequestTrigger | IssueTrigger | CommentTrigger;

/**
 * The login whose permission decides, or undefined where none does: the event alone says enough, or it is skipped
 * whatever the answer would be. Nobody asks about a bot: GitHub has no permission of it.
 */
export function needsPermission(
  trigger: Trigger,
  policy: AdmissionPolicy = DEFAULT_ADMISSION_POLICY,
): string | undefined {
  switch (trigger.kind) {
    case 'pull_request':
    case 'issue':
    case 'comment':
    case 'workflow_run': {
      const { actor } = trigger;
      return actor.isBot || skipWithoutAsking(trigger, policy) !== undefined ? undefined : actor.login;
    }
    case 'push':
    case 'merge_group':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}

/**
 * Whether the event starts a run (D20, memory-and-security B3). `permission` is that of {@link needsPermission}'s
 * login; `unknown` where it could not be learnt, which is as good as none.
 */
export function decideAdmission(
  trigger: Trigger,
  permission: Permission | 'unknown',
  policy: AdmissionPolicy = DEFAULT_ADMISSION_POLICY,
): Admission {
  switch (trigger.kind) {
    case 'pull_request':
    case 'issue':
    case 'comment':
    case 'workflow_run':
      return skipWithoutAsking(trigger, policy) ?? gateOfActor(trigger.actor, permission, policy);
    case 'push':
    case 'merge_group':
    case 'schedule':
    case 'dispatch':
    case 'local':
      return { kind: 'run' };
    case 'unknown':
      return skipUnknown(trigger);
  }
}

/**
 * What a comment asks for beside the `trigger-phrase`: the task of its run. Empty where there is no phrase, or nothing
 * beside it.
 */
export function taskOfMention(trigger: Trigger, { triggerPhrase }: AdmissionPolicy): string {
  if (trigger.kind !== 'comment' || triggerPhrase === '') return '';
  return findMention(trigger.body, triggerPhrase) ?? '';
}

/** What the event alone rules out. */
function skipWithoutAsking(
  trigger: SubjectTrigger | WorkflowRunTrigger,
  policy: AdmissionPolicy,
): Skip | undefined {
  switch (trigger.kind) {
    case 'pull_request':
      return (
        skipLabelled(trigger, policy) ??
        (trigger.isFork && !isRunByLabel(trigger) ? skipFork(trigger) : undefined) ??
        (isUnwantedDraft(trigger, policy) ? skipDraft(trigger) : undefined) ??
        skipOtherBot(trigger.actor, policy)
      );
    case 'issue':
      return (
        skipDeleted(trigger) ??
        (isOwnIssue(trigger) ? skipOwnText(trigger) : undefined) ??
        skipLabelled(trigger, policy) ??
        skipOtherBot(trigger.actor, policy)
      );
    case 'comment':
      return (
        skipDeleted(trigger) ??
        (isOwnText(trigger.body) ? skipOwnText(trigger) : undefined) ??
        skipUnlessMentioned(trigger, policy) ??
        (trigger.isFork === true ? skipForkComment(trigger) : undefined) ??
        skipLabelled(trigger, policy) ??
        skipOtherBot(trigger.actor, policy) ??
        skipOtherSender(trigger)
      );
    case 'workflow_run':
      return trigger.isFork ? skipForkRun(trigger) : skipOtherBot(trigger.actor, policy);
  }
}

function skipLabelled(trigger: SubjectTrigger, { skipLabels }: AdmissionPolicy): Skip | undefined {
  const label = commonLabel(trigger.labels, skipLabels);
  return label === undefined ? undefined : skipLabel(trigger, label);
}

/** On `pull_request` a fork's run has no secrets, so there it would only fail. */
function isRunByLabel({ event, action }: PullRequestTrigger): boolean {
  return event === 'pull_request_target' && action === 'labeled';
}

/** What a person asks for by hand is done for a draft too. */
function isUnwantedDraft(
  { isDraft, action }: PullRequestTrigger,
  { reviewDrafts }: AdmissionPolicy,
): boolean {
  return isDraft && !reviewDrafts && action !== 'labeled' && action !== 'review_requested';
}

function skipOtherBot(actor: Actor, { allowBots }: AdmissionPolicy): Skip | undefined {
  return actor.isBot && !isListed(actor, allowBots) ? skipBot(actor) : undefined;
}

/** Somebody's label on an issue of ours is their wish, not our doing. */
function isOwnIssue({ action, body, author, actor }: IssueTrigger): boolean {
  const isWriting = action === 'opened' || action === 'edited' || action === 'reopened';
  return isWriting && isSameAccount(author, actor) && isOwnText(body);
}

function skipUnlessMentioned(trigger: CommentTrigger, { triggerPhrase }: AdmissionPolicy): Skip | undefined {
  if (triggerPhrase === '' || findMention(trigger.body, triggerPhrase) !== undefined) return undefined;
  return skipUnmentioned(trigger, triggerPhrase);
}

/** A bot that came so far is allowed. */
function gateOfActor(
  actor: Actor,
  permission: Permission | 'unknown',
  { minPermission, allowUsers }: AdmissionPolicy,
): Admission {
  const isAllowed = actor.isBot || isListed(actor, allowUsers) || isEnough(permission, minPermission);
  return isAllowed ? { kind: 'run' } : skipPermission(actor, permission, minPermission);
}
