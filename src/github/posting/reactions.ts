import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, orFailed } from '../client/errors.js';

/** What can be reacted to: an issue or pull request, a comment in its conversation, a comment on a line. */
export type ReactionSubject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'issue-comment'; readonly id: number }
  | { readonly kind: 'review-comment'; readonly id: number };

/** GitHub's reactions as the REST API names them. */
type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** A reaction to set. */
interface Reaction {
  readonly repository: Repository;
  readonly subject: ReactionSubject;
  readonly content: ReactionContent;
}

/** What became of a reaction. */
type ReactionResult = { readonly kind: 'reacted' } | Failed;

const reactionSchema = v.looseObject({});

/** Sets a reaction. GitHub keeps one of each kind per account, so it may be repeated. Rejects only for an aborted signal. */
export async function react(
  client: GitHubClient,
  { repository, subject, content }: Reaction,
  signal: AbortSignal,
): Promise<ReactionResult> {
  return await orFailed<ReactionResult>(async () => {
    const params = { owner: repository.owner, repo: repository.name, ...subjectParams(subject), content };
    const question = { route: routeOf(subject), params, schema: reactionSchema, what: 'the reaction' };
    await againIfLost(() => askRest(client, question, signal));
    return { kind: 'reacted' };
  }, 'A reaction is a courtesy; nothing is lost without it.');
}

function routeOf(subject: ReactionSubject): string {
  switch (subject.kind) {
    case 'issue':
      return 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions';
    case 'issue-comment':
      return 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions';
    case 'review-comment':
      return 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions';
  }
}

function subjectParams(subject: ReactionSubject): Readonly<Record<string, number>> {
  switch (subject.kind) {
    case 'issue':
      return { issue_number: subject.number };
    case 'issue-comment':
    case 'review-comment':
      return { comment_id: subject.id };
  }
}
