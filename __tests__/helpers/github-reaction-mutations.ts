import { type GraphNode, graphError, notFound } from './github-connection.js';
import type { GraphQlFake } from './github-graphql-nodes.js';
import { REACTION_CONTENTS } from './github-graphql-reviews.js';
import type { StoredReaction } from './github-review-state.js';
import { addReaction, takeReaction } from './github-triage.js';

interface ReactionInput {
  readonly clientMutationId?: string | null;
  readonly subjectId: string;
  readonly content: string;
}

/** What can be done to the reactions of a comment, which is known by the id of an event or of GraphQL. */
export function reactionMutations(deps: GraphQlFake): GraphNode {
  const payload = ({ clientMutationId }: ReactionInput, content: string): GraphNode => ({
    clientMutationId: clientMutationId ?? null,
    reaction: { __typename: 'Reaction', content: REACTION_CONTENTS[content] },
  });
  return {
    addReaction({ input }: { input: ReactionInput }) {
      const { place, content } = findSubject(input, deps);
      return payload(input, addReaction(place, content).reaction.content);
    },
    removeReaction({ input }: { input: ReactionInput }) {
      const { place, content } = findSubject(input, deps);
      if (!takeReaction(place, content)) throw graphError('UNPROCESSABLE', 'Reaction not found');
      return payload(input, content);
    },
  };
}

/** `012:IssueComment492700400` in base64 was GitHub's form before `IC_…`, and the payloads of events show both. */
const NODE_IDS = [
  { on: 'issue-comment', id: /^(?:IC_|\d+:IssueComment)(\d+)$/ },
  { on: 'review-comment', id: /^(?:PRRC_|\d+:PullRequestReviewComment)(\d+)$/ },
] as const;

function findSubject({ subjectId, content }: ReactionInput, { repos, viewer, now }: GraphQlFake) {
  const plain = /^[A-Z]+_/.test(subjectId) ? subjectId : Buffer.from(subjectId, 'base64').toString();
  const name = Object.keys(REACTION_CONTENTS).find((one) => REACTION_CONTENTS[one] === content) ?? '';
  for (const { on, id } of NODE_IDS) {
    const of = Number(id.exec(plain)?.[1]);
    const repo = repos().find(
      ({ talk, comments }) =>
        talk.eventComments.has(of) || [...comments, ...talk.reviewComments].some((one) => one.id === of),
    );
    const subject: Pick<StoredReaction, 'on' | 'of'> = { on, of };
    if (repo !== undefined) return { place: { repo, viewer, now, subject }, content: name };
  }
  throw notFound(`a node with the global id of '${subjectId}'.`);
}
