import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import { askGraphQl, askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { againIfLost, type Failed, GitHubError, orFailed } from '../client/errors.js';

/** What can be reacted to: an issue or pull request, a comment in its conversation, a comment on a line. */
export type ReactionSubject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'issue-comment'; readonly id: number }
  | { readonly kind: 'review-comment'; readonly id: number };

/** A subject that is a comment. */
export type CommentSubject = Exclude<ReactionSubject, { readonly kind: 'issue' }>;

/** GitHub's reactions as the REST API names them. */
export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

/** A reaction to set. */
interface Reaction {
  readonly repository: Repository;
  readonly subject: ReactionSubject;
  readonly content: ReactionContent;
}

/** What became of a reaction. */
type ReactionResult = { readonly kind: 'reacted'; readonly id: number } | Failed;

const reactionSchema = v.object({ id: v.number() });

/** Sets a reaction. GitHub keeps one of each kind per account, so it may be repeated. Rejects only for an aborted signal. */
export async function react(
  client: GitHubClient,
  { repository, subject, content }: Reaction,
  signal: AbortSignal,
): Promise<ReactionResult> {
  return await orFailed<ReactionResult>(async () => {
    const params = { owner: repository.owner, repo: repository.name, ...subjectParams(subject), content };
    const question = { route: routeOf(subject), params, schema: reactionSchema, what: 'the reaction' };
    const { id } = await againIfLost(() => askRest(client, question, signal));
    return { kind: 'reacted', id };
  }, 'A reaction is a courtesy; nothing is lost without it.');
}

/** GitHub's reactions as the GraphQL API names them. */
const GRAPHQL_CONTENTS: Record<ReactionContent, string> = {
  '+1': 'THUMBS_UP',
  '-1': 'THUMBS_DOWN',
  laugh: 'LAUGH',
  confused: 'CONFUSED',
  heart: 'HEART',
  hooray: 'HOORAY',
  rocket: 'ROCKET',
  eyes: 'EYES',
};

const REPLACE = `mutation ($subject: ID!, $to: ReactionContent!, $from: ReactionContent!) {
  set: addReaction(input: { subjectId: $subject, content: $to }) { reaction { content } }
  gone: removeReaction(input: { subjectId: $subject, content: $from }) { reaction { content } }
}`;

const replacedSchema = v.object({ set: v.looseObject({}), gone: v.looseObject({}) });

/** One reaction of ours for another, on what `nodeId` names. */
interface Replacement {
  readonly nodeId: string;
  readonly from: ReactionContent;
  readonly to: ReactionContent;
}

/** Puts a reaction in the place of another with one request; it may be repeated. Rejects only for an aborted signal. */
export async function replaceReaction(
  client: GitHubClient,
  { nodeId, from, to }: Replacement,
  signal: AbortSignal,
): Promise<{ readonly kind: 'replaced' } | Failed> {
  return await orFailed<{ readonly kind: 'replaced' } | Failed>(async () => {
    const variables = { subject: nodeId, to: GRAPHQL_CONTENTS[to], from: GRAPHQL_CONTENTS[from] };
    const permission = 'issues: write or pull-requests: write';
    const question = { query: REPLACE, variables, schema: replacedSchema, what: 'the reactions', permission };
    await againIfLost(() => askGraphQl(client, question, signal));
    return { kind: 'replaced' };
  }, 'A reaction is a courtesy; nothing is lost without it.');
}

/** Takes a reaction back; one that is gone already is no trouble. Rejects only for an aborted signal. */
export async function unreact(
  client: GitHubClient,
  {
    repository,
    subject,
    id,
  }: { readonly repository: Repository; readonly subject: CommentSubject; readonly id: number },
  signal: AbortSignal,
): Promise<{ readonly kind: 'unreacted' } | Failed> {
  return await orFailed<{ readonly kind: 'unreacted' } | Failed>(async () => {
    const params = {
      owner: repository.owner,
      repo: repository.name,
      ...subjectParams(subject),
      reaction_id: id,
    };
    const kind = subject.kind === 'issue-comment' ? 'issues' : 'pulls';
    const route = `DELETE /repos/{owner}/{repo}/${kind}/comments/{comment_id}/reactions/{reaction_id}`;
    await againIfLost(() => client.request(route, { params, signal })).catch((thrown: unknown) => {
      if (!(thrown instanceof GitHubError && thrown.reason === 'missing')) throw thrown;
    });
    return { kind: 'unreacted' };
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
