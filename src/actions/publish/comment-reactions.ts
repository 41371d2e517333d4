import type { GitHubClient } from '../../adapters/github/client/client.js';
import {
  type ReactionContent,
  type ReactionSubject,
  react,
} from '../../adapters/github/posting/reactions.js';
import { signalAfter } from '../../adapters/host/deadline.js';
import type { Acknowledgement } from '../../core/dependencies.js';
import type { Trigger } from '../../core/event/trigger.js';

/** What reactions are made with. */
export interface CommentReactionsOptions {
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  /** Nothing is to be written to issues and pull requests. */
  readonly isSilent: boolean;
  /** Writes a line to the job log. */
  readonly log: (line: string) => void;
}

const TIMEOUT_MS = 20_000;

/**
 * Reactions to the comment that started a run: 👀, and at its end 🚀, or 😕 where there is no answer. They are a
 * courtesy: one that is refused is a line in the log, and no warning. GitHub's REST API takes none on a review.
 */
export function createCommentReactions(options: CommentReactionsOptions): Acknowledgement {
  let first: Promise<boolean> | undefined;
  return {
    start() {
      first ??= set('eyes', options);
    },
    async end(isAnswered) {
      if ((await first) === true) await set(isAnswered ? 'rocket' : 'confused', options);
    },
  };
}

/** Whether it was set: where one is refused, so is the next. */
async function set(
  content: ReactionContent,
  { client, trigger, isSilent, log }: CommentReactionsOptions,
): Promise<boolean> {
  const subject = subjectOf(trigger);
  if (client === undefined || isSilent || subject === undefined || trigger.kind === 'local') return false;
  const { repository } = trigger;
  const signal = signalAfter(TIMEOUT_MS);
  try {
    const result = await react(client, { repository, subject, content }, signal);
    if (result.kind === 'reacted') return true;
    log(`No reaction on the comment: ${result.message}`);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    log(`No reaction on the comment: GitHub did not answer within ${TIMEOUT_MS / 1000} s`);
  }
  return false;
}

function subjectOf(trigger: Trigger): ReactionSubject | undefined {
  if (trigger.kind !== 'comment') return undefined;
  switch (trigger.event) {
    case 'issue_comment':
      return { kind: 'issue-comment', id: trigger.commentId };
    case 'pull_request_review_comment':
      return { kind: 'review-comment', id: trigger.commentId };
    default:
      return undefined;
  }
}
