import type { Trigger } from '../event/trigger.js';
import { withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { react } from '../github/posting/issues.js';
import type { Acknowledgement } from '../run/dependencies.js';
import { reactionSubject } from './side-effects.js';

/** What the sender of a comment is told with. */
interface CommentReactionsOptions {
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  /** Nothing is to be written to issues and pull requests. */
  readonly isSilent: boolean;
  /** Answers the comment with one line. */
  readonly answer: (line: string) => Promise<void>;
  /** Writes a line to the job log. */
  readonly log: (line: string) => void;
}

/**
 * 👀 on the comment that started a run or is a command, and a reply of one line where it has no answer. A reaction is a
 * courtesy: one that is refused is a line in the log, and no warning. GitHub's REST API takes none on a review.
 */
export function createCommentReactions(options: CommentReactionsOptions): Acknowledgement {
  let started: Promise<void> | undefined;
  return {
    start() {
      started ??= setEyes(options);
    },
    async end(failure) {
      if (started === undefined) return;
      if (failure !== undefined) await options.answer(failure);
      await started;
    },
  };
}

async function setEyes({ client, trigger, isSilent, log }: CommentReactionsOptions): Promise<void> {
  const subject = reactionSubject(trigger);
  if (client === undefined || isSilent || trigger.kind !== 'comment') return;
  if (subject === undefined || subject.kind === 'issue') return;
  const { repository } = trigger;
  const result = await withGitHub((signal) => react(client, repository, subject, 'eyes', signal), '');
  if (result instanceof GitHubError) log(`No reaction on the comment: ${result.message}`);
}
