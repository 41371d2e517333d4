import type { Repository } from '../../event/trigger.js';
import { againIfLost, inRepo } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/** What can be reacted to: an issue or pull request, a comment in its conversation, a comment on a line. */
export type ReactionSubject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'issue-comment'; readonly id: number }
  | { readonly kind: 'review-comment'; readonly id: number };

/** GitHub's reactions as the REST API names them. */
type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** Sets a reaction. GitHub keeps one of each kind per account, so it may be repeated. Throws a GitHubError. */
export async function react(
  client: GitHubClient,
  {
    repository,
    subject,
    content,
  }: {
    readonly repository: Repository;
    readonly subject: ReactionSubject;
    readonly content: ReactionContent;
  },
  signal: AbortSignal,
): Promise<void> {
  const id = subject.kind === 'issue' ? { issue_number: subject.number } : { comment_id: subject.id };
  const params = { ...inRepo(repository), ...id, content };
  await againIfLost(() => client.request(ROUTES[subject.kind], { params, signal }));
}

const ROUTES: Readonly<Record<ReactionSubject['kind'], string>> = {
  issue: 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions',
  'issue-comment': 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  'review-comment': 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
};
