import type { Permission } from './permission.js';
import type {
  Actor,
  CommentTrigger,
  IssueTrigger,
  PullRequestTrigger,
  ReleaseTrigger,
  UnknownTrigger,
  WorkflowRunTrigger,
} from './trigger.js';
import { UNNAMED_EVENT } from './trigger.js';

/** Why a run was not started: output `reason`. */
export type SkipReason =
  | 'fork'
  | 'bot'
  | 'permission'
  /** Fails the run instead, where the reason is known. */
  | 'permission-unknown'
  | 'sender-not-author'
  | 'subject-deleted'
  | 'unknown-event'
  /** A pull request that is closed or merged. */
  | 'closed'
  /** The event changes nothing that is reviewed. */
  | 'no-change'
  /** Everything was reviewed before. */
  | 'nothing-new'
  /** What is open on the pull request could not be read. */
  | 'findings-unread'
  /** No changed file is to be read. */
  | 'nothing-to-review'
  /** A comment without the `trigger-phrase`. */
  | 'no-mention'
  /** A run of ours wrote what caused the event. */
  | 'own-text'
  /** Somebody stopped the runs of this pull request (`/axe pause`). */
  | 'paused'
  /** The agent exists only on the pull request's head (D21). */
  | 'agent-not-merged'
  /** Earlier runs have used up what they may cost together (D36). */
  | 'budget-spent';

/** Why nothing is run; the step ends green with this as its one notice (D20). */
export interface Skip extends Notice {
  readonly kind: 'skip';
  readonly reason: SkipReason;
}

/** What people are told of it. */
export interface Notice {
  readonly message: string;
  readonly remedy?: string;
}

/** A fork's pull request runs only when somebody who may asks for it, where the step can have secrets. */
export function skipFork({ number, head, event }: PullRequestTrigger): Notice {
  const from = head.repository === null ? 'a fork that was deleted' : `the fork ${head.repository}`;
  const label =
    event === 'pull_request_target' ? 'a label (`labeled` in `types:`)' : 'a label, on `pull_request_target`';
  return {
    message: `Pull request #${number} comes from ${from}; forks do not start runs by default`,
    remedy: `Somebody with write access can start it by a comment, where the workflow runs on \`issue_comment\`, or by ${label}.`,
  };
}

/** A review of a fork's pull request or a comment on a line of it: GitHub gives such runs no secrets, so they would fail. */
export function skipForkComment({ number, event }: CommentTrigger): Notice {
  return {
    message: `Pull request #${number} comes from a fork, and GitHub gives its \`${event}\` runs no secrets`,
    remedy: 'Ask in a comment of the conversation below it, where the workflow runs on `issue_comment`.',
  };
}

/** Another workflow's run on what anybody may have written. */
export function skipForkRun({ workflow }: WorkflowRunTrigger): Notice {
  return {
    message: `The workflow ${JSON.stringify(workflow)} ran on a commit of a fork; such commits do not start runs`,
    remedy: 'Somebody with write access can push the commits to a branch of this repository.',
  };
}

/** A bot that is not allowed. */
export function skipBot({ login }: Actor): Notice {
  return {
    message: `The event was caused by the bot ${login}; bots do not start runs by default`,
    remedy: `Add \`allow-bots: ${login}\` to allow it; its runs are untrusted.`,
  };
}

/** A pull request whose review nobody waits for any more. */
export function skipClosed({ number }: PullRequestTrigger): Notice {
  return {
    message: `Pull request #${number} is closed or merged`,
    remedy: 'Somebody with write access can ask for a review with `/axe review` in a comment.',
  };
}

/** An event that leaves the diff as it is. */
export function skipUnchanged({ number, event, action }: PullRequestTrigger): Notice {
  return {
    message: `${eventName(event, action)} changes nothing in the diff of pull request #${number}`,
    remedy: `Remove \`${action}\` from the \`types:\` of the event.`,
  };
}

/** A commit that was reviewed to its end. */
export function skipReviewed({ number, head }: PullRequestTrigger): Notice {
  return {
    message: `Commit ${head.sha.slice(0, 7)} of pull request #${number} was reviewed before`,
    remedy: 'Start the run again, or write `/axe review full` in a comment.',
  };
}

/** A push that brings nothing to review, such as a merge of the base branch. */
export function skipNothingNew({ number }: PullRequestTrigger, from: string): Notice {
  return {
    message: `Nothing to review has changed in pull request #${number} since ${from.slice(0, 7)}`,
    remedy: 'Write `/axe review full` in a comment to have the whole pull request reviewed again.',
  };
}

/** A change without a file that could be read; `why` ends the sentence. */
export function skipUnreadable(number: number, why: string): Notice {
  return { message: `Nothing of pull request #${number} was reviewed: ${why}` };
}

/** A comment that does not ask for anything. */
export function skipUnmentioned({ author }: CommentTrigger, phrase: string): Notice {
  return {
    message: `The comment by ${author.login} does not contain ${JSON.stringify(phrase)} (\`trigger-phrase\`)`,
    remedy: 'Write it as separate words, outside of code and quotations.',
  };
}

/** What we wrote ourselves must not start us again. */
export function skipOwnText(trigger: CommentTrigger | IssueTrigger): Notice {
  const what = trigger.kind === 'issue' ? 'issue' : 'comment';
  return { message: `The ${what} was written by a run of axe-action, which does not answer itself` };
}

/** A deleted comment cannot be answered, nor can an issue or a release that is gone from the repository. */
export function skipDeleted({ kind, action }: CommentTrigger | IssueTrigger | ReleaseTrigger): Notice {
  return {
    message: `The ${kind} was ${action}; nothing is left to work on`,
    remedy: `Leave \`${action}\` out of the event's \`types:\`.`,
  };
}

/** Somebody else's edit must not lend a comment its editor's permission, or the other way round. */
export function skipOtherSender({ author, actor }: CommentTrigger): Notice {
  return {
    message: `The comment is by ${author.login}, but the event was caused by ${actor.login}; it is not answered`,
    remedy: "Leave `edited` out of the event's `types:`, or write a comment of your own.",
  };
}

/** Somebody of whom nothing is known. */
export function skipStranger({ login }: Actor): Notice {
  return { message: `The permission of ${login} could not be read, so the run was not started` };
}

/** Somebody who may do less than is asked for. */
export function skipPermission({ login }: Actor, permission: Permission, least: string): Notice {
  return {
    message: `${login} has \`${permission}\` permission; a run needs \`${least}\``,
    remedy: 'Somebody with write access can start it, by a comment or label of their own.',
  };
}

/** An agent that nobody has merged yet: a stranger's text must not configure anything before that (D21). */
export function skipUnmerged(name: string, source: string): Notice {
  return {
    message: `The agent "${name}" exists only in this pull request (${source}); it is valid and will run once it is merged`,
  };
}

/** A pull request whose runs somebody has stopped. */
export function skipPaused({ number }: PullRequestTrigger): Notice {
  return {
    message: `Runs of this agent on pull request #${number} are paused`,
    remedy: 'Somebody with write access can write `/axe resume` in a comment.',
  };
}

/** An event that is none of ours, or one of ours whose payload says too little. */
export function skipUnknown({ event, action, lacks }: UnknownTrigger): Notice {
  const name = eventName(event, action);
  if (lacks !== undefined) {
    return {
      message: `The payload of the event ${name} does not have ${lacks}`,
      remedy: `Check that the event file is the payload of \`${event}\`, as GitHub sends it.`,
    };
  }
  const which = event === UNNAMED_EVENT ? 'the event of this payload' : `the event ${name}`;
  return {
    message: `This version does not know ${which}`,
    remedy:
      'Run on `pull_request`, `issues`, `issue_comment`, `push`, `release`, `workflow_run`, `merge_group`, `schedule` or `workflow_dispatch` instead.',
  };
}

function eventName(event: string, action: string): string {
  return action === '' ? `\`${event}\`` : `\`${event}\` (${action})`;
}
