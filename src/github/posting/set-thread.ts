import * as v from 'valibot';
import { againIfLost, askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

const MUTATIONS = {
  resolve: `mutation ($id: ID!) {
  done: resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`,
  unresolve: `mutation ($id: ID!) {
  done: unresolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`,
};

const doneSchema = v.object({
  done: v.object({ thread: v.nullable(v.object({ isResolved: v.boolean() })) }),
});

/**
 * Resolves a conversation or opens it again; false where the token may not, which takes `contents: write` beside
 * `pull-requests: write`. Doing it twice is fine. Throws a GitHubError.
 */
export async function setThread(
  client: GitHubClient,
  { id, isResolved }: { readonly id: string; readonly isResolved: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const question = {
      query: isResolved ? MUTATIONS.resolve : MUTATIONS.unresolve,
      variables: { id },
      schema: doneSchema,
      what: isResolved ? 'the resolved thread' : 'the opened thread',
      permission: 'contents: write',
    };
    await againIfLost(() => askGraphQl(client, question, signal));
    return true;
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'denied') return false;
    throw thrown;
  }
}
