import * as v from 'valibot';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import type { PullRequestPlace } from './changed-files.js';

/** An issue that a pull request would close. Title and body are its author's words. */
export interface LinkedIssue {
  /** `owner/name`; it may be another repository. */
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
  /** Login, without a bot's `[bot]`. */
  readonly author: string;
  readonly url: string;
  /** When its description was written, or changed last; ISO 8601 in UTC. */
  readonly changedAt: string;
}

const LINKED_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 20) {
        nodes { number title body state url createdAt lastEditedAt author { login } repository { nameWithOwner } }
      }
    }
  }
}`;

const linkedSchema = v.object({
  repository: v.object({
    pullRequest: v.object({
      closingIssuesReferences: v.object({
        nodes: v.array(
          v.nullable(
            v.object({
              number: v.number(),
              title: v.string(),
              body: v.string(),
              state: v.picklist(['OPEN', 'CLOSED']),
              url: v.string(),
              createdAt: v.string(),
              lastEditedAt: v.nullable(v.string()),
              author: v.nullable(v.object({ login: v.string() })),
              repository: v.object({ nameWithOwner: v.string() }),
            }),
          ),
        ),
      }),
    }),
  }),
});

/** The issues that a pull request would close, at most twenty. Throws a GitHubError. */
export async function linkedIssues(
  client: GitHubClient,
  { repository, number }: PullRequestPlace,
  signal: AbortSignal,
): Promise<readonly LinkedIssue[]> {
  const answer = await askGraphQl(
    client,
    {
      query: LINKED_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: linkedSchema,
      what: 'the linked issues',
      permission: 'issues: read',
    },
    signal,
  );
  return answer.repository.pullRequest.closingIssuesReferences.nodes.flatMap((node) => {
    if (node === null) return [];
    const { title, body, state, url, author } = node;
    return [
      {
        repository: node.repository.nameWithOwner,
        number: node.number,
        title,
        body,
        isOpen: state === 'OPEN',
        author: author?.login ?? 'ghost',
        url,
        changedAt: node.lastEditedAt ?? node.createdAt,
      },
    ];
  });
}
