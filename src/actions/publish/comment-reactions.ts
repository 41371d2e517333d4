import type { GitHubClient } from '../../adapters/github/client/client.js';
import {
  type CommentSubject,
  type ReactionContent,
  react,
  replaceReaction,
  unreact,
} from '../../adapters/github/posting/reactions.js';
import { signalAfter } from '../../adapters/host/deadline.js';
import type { Acknowledgement } from '../../core/dependencies.js';
import type { Repository, Trigger } from '../../core/event/trigger.js';

/** What reactions are made with. */
interface CommentReactionsOptions {
  readonly client: GitHubClient | undefined;
  readonly trigger: Trigger;
  /** Nothing is to be written to issues and pull requests. */
  readonly isSilent: boolean;
  /** No run before this one can have reacted. */
  readonly isNew: boolean;
  /** Answers the comment with one line. */
  readonly answer: (line: string) => Promise<void>;
  /** Writes a line to the job log. */
  readonly log: (line: string) => void;
}

const TIMEOUT_MS = 20_000;

/**
 * Reactions to the comment that started a run: 👀 while it is at work, and at its end 🚀 in its place, or 😕 where there is
 * no answer; a command gets 👍 or 😕. They are a courtesy: one that is refused is a line in the log, and no warning.
 * GitHub's REST API takes none on a review.
 */
export function createCommentReactions(options: CommentReactionsOptions): Acknowledgement {
  let first: Promise<number | undefined> | undefined;
  let isCommand = false;
  return {
    start() {
      first ??= set('eyes', options);
    },
    startCommand() {
      isCommand = true;
    },
    async end(isAnswered, failure) {
      if (failure !== undefined && (isCommand || first !== undefined)) await options.answer(failure);
      const last = isAnswered ? (isCommand ? '+1' : 'rocket') : 'confused';
      if (isCommand) await set(last, options);
      const eyes = await first;
      if (eyes !== undefined) await replaceEyes({ id: eyes, to: last }, options);
      const isReacted = isCommand || eyes !== undefined;
      // An earlier attempt, or a run before the comment was edited, may have had no answer.
      if (isReacted && isAnswered && !options.isNew) await replace({ from: 'confused', to: last }, options);
    },
  };
}

/** Puts a reaction in the place of 👀; where GraphQL refuses that, REST takes two requests for the same. */
async function replaceEyes(
  { id, to }: { readonly id: number; readonly to: ReactionContent },
  options: CommentReactionsOptions,
): Promise<void> {
  if (await replace({ from: 'eyes', to }, options)) return;
  if ((await set(to, options)) === undefined) return;
  await attempt(({ client, ...at }, signal) => unreact(client, { ...at, id }, signal), options);
}

/** Whether GraphQL has put a reaction in the place of another. */
async function replace(
  { from, to }: { readonly from: ReactionContent; readonly to: ReactionContent },
  options: CommentReactionsOptions,
): Promise<boolean> {
  const { trigger } = options;
  if (trigger.kind !== 'comment' || trigger.nodeId === undefined) return false;
  const replacement = { nodeId: trigger.nodeId, from, to };
  const result = await attempt(({ client }, signal) => replaceReaction(client, replacement, signal), {
    ...options,
    log: () => {},
  });
  return result?.kind === 'replaced';
}

/** The reaction that was set, or undefined: where one is refused, so is the next. */
async function set(content: ReactionContent, options: CommentReactionsOptions): Promise<number | undefined> {
  const result = await attempt(
    ({ client, ...at }, signal) => react(client, { ...at, content }, signal),
    options,
  );
  return result?.kind === 'reacted' ? result.id : undefined;
}

interface ReactionPlace {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly subject: CommentSubject;
}

async function attempt<T extends { readonly kind: string }>(
  work: (place: ReactionPlace, signal: AbortSignal) => Promise<T>,
  { client, trigger, isSilent, log }: CommentReactionsOptions,
): Promise<T | undefined> {
  const subject = subjectOf(trigger);
  if (client === undefined || isSilent || subject === undefined || trigger.kind === 'local') return undefined;
  const { repository } = trigger;
  const signal = signalAfter(TIMEOUT_MS);
  try {
    const result = await work({ client, repository, subject }, signal);
    if ('message' in result) log(`No reaction on the comment: ${result.message}`);
    return result;
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    log(`No reaction on the comment: GitHub did not answer within ${TIMEOUT_MS / 1000} s`);
    return undefined;
  }
}

function subjectOf(trigger: Trigger): CommentSubject | undefined {
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
