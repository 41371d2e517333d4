import * as v from 'valibot';
import type { Actor } from '../../../core/event/trigger.js';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import type { PullRequestPlace } from './changed-files.js';
import { idFromUrl } from './own-reviews.js';

/** A comment of the conversation under an issue or pull request: somebody's words, not to be trusted. */
interface ConversationComment {
  /** As the REST API and events number it. */
  readonly id: number;
  readonly author: Actor;
  /** The current token wrote it. */
  readonly isOurs: boolean;
  readonly body: string;
  /** When it was written, or changed last; ISO 8601 in UTC. */
  readonly changedAt: string;
}

/** The newest comments, oldest first. */
export interface SubjectConversation {
  readonly comments: readonly ConversationComment[];
  /** Comments that are older than these. */
  readonly older: number;
}

const CONVERSATION_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue { comments(last: 50) { totalCount nodes { ...comment } } }
      ... on PullRequest { comments(last: 50) { totalCount nodes { ...comment } } }
    }
  }
}
fragment comment on IssueComment {
  url body viewerDidAuthor createdAt lastEditedAt isMinimized
  author { __typename login }
}`;

const commentSchema = v.object({
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
  createdAt: v.string(),
  lastEditedAt: v.nullable(v.string()),
  isMinimized: v.boolean(),
  author: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
});

const conversationSchema = v.object({
  repository: v.object({
    issueOrPullRequest: v.object({
      comments: v.object({ totalCount: v.number(), nodes: v.array(v.nullable(commentSchema)) }),
    }),
  }),
});

/** The newest fifty comments that nobody has hidden. Throws a GitHubError. */
export async function fetchConversation(
  client: GitHubClient,
  { repository, number }: PullRequestPlace,
  signal: AbortSignal,
): Promise<SubjectConversation> {
  const answer = await askGraphQl(
    client,
    {
      query: CONVERSATION_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: conversationSchema,
      what: 'the comments',
      permission: 'issues: read',
    },
    signal,
  );
  const { totalCount, nodes } = answer.repository.issueOrPullRequest.comments;
  return { comments: nodes.flatMap(commentOf), older: Math.max(0, totalCount - nodes.length) };
}

function commentOf(node: v.InferOutput<typeof commentSchema> | null): readonly ConversationComment[] {
  const id = idFromUrl(node?.url ?? '', 'issuecomment-');
  if (node === null || id === undefined || node.isMinimized) return [];
  return [
    {
      id,
      author: actorOf(node.author),
      isOurs: node.viewerDidAuthor,
      body: node.body,
      changedAt: node.lastEditedAt ?? node.createdAt,
    },
  ];
}

/** As events and the REST API name accounts: GraphQL leaves out a bot's `[bot]`, and a deleted account. */
export function actorOf(author: { readonly __typename: string; readonly login: string } | null): Actor {
  if (author === null) return { login: 'ghost', isBot: false };
  const isBot = author.__typename === 'Bot';
  return { login: isBot ? `${author.login.replace(/\[bot\]$/, '')}[bot]` : author.login, isBot };
}
