import type { GitHubClient } from '../../adapters/github/client/client.js';
import type { PullRequestPlace } from '../../adapters/github/reading/changed-files.js';
import { listOwnReviews, type OwnReview } from '../../adapters/github/reading/own-reviews.js';
import { fetchPermission } from '../../adapters/github/reading/permissions.js';
import { fetchReviewThreads, type ReviewThread } from '../../adapters/github/reading/review-threads.js';
import { MAX_ANSWERERS } from '../../core/defaults.js';
import { isClosed, type Permissions, resolverOf } from '../../review/answers.js';
import { foundIn, type KnownFinding, lastCode } from '../../review/known.js';
import {
  agentOf,
  endMarkOf,
  type FindingMarker,
  parseFindingMarker,
  parseReviewMarker,
  type TextFinding,
} from '../../review/markers.js';
import type { OpenFinding } from '../../review/prepare-review.js';

/** Whose findings are looked for, and where. */
interface OwnFindingsPlace extends PullRequestPlace {
  readonly agent: string;
  /** The findings as they were when the run began; who closed one of them need not be asked for again. */
  readonly known: readonly Pick<KnownFinding, 'id' | 'state'>[];
}

/** What is on a pull request of ours. */
export interface OwnFindings {
  /** Sha of the pull request's newest commit. */
  readonly head: string;
  /** Open findings of all our agents: nothing is said twice, whichever agent said it. */
  readonly open: readonly OpenFinding[];
  /** The conversations on lines that open findings of the agent began. */
  readonly threads: readonly OwnOpenThread[];
  /** The open findings of the agent that stand in the texts of its reviews. */
  readonly texts: readonly OwnOpenText[];
  /** Of all our agents, newest first. */
  readonly reviews: readonly OwnReview[];
}

/** A conversation that a finding of ours began, and that is open. */
export interface OwnOpenThread extends ReviewThread {
  readonly marker: FindingMarker;
}

/** A finding in the text of a review of ours that was not dismissed. */
export interface OwnOpenText extends TextFinding {
  readonly review: OwnReview;
  readonly agent: string;
  /** The commit that was reviewed. */
  readonly head: string;
}

/**
 * Asks GitHub what we have said on a pull request, right before something is posted: people may have answered while the
 * model was at work, and another run may have ended. Only what the current token wrote counts. Throws a GitHubError.
 */
export async function fetchOwnFindings(
  client: GitHubClient,
  { agent, known, ...place }: OwnFindingsPlace,
  signal: AbortSignal,
): Promise<OwnFindings> {
  const [{ head, threads: all }, reviews] = await Promise.all([
    fetchReviewThreads(client, place, signal),
    listOwnReviews(client, { ...place, mark: { kind: 'review' } }, signal),
  ]);
  const begun = all.flatMap(ownThread);
  const ended = new Set(known.flatMap(({ id, state }) => (state === 'open' ? [] : [id])));
  const closed = begun.filter(({ isResolved, marker }) => isResolved && !ended.has(marker.id));
  const permissions = await permissionsOf(closed, { client, place }, signal);
  const threads = begun.filter(
    (thread) => !thread.isResolved || (closed.includes(thread) && !isClosed(thread, permissions)),
  );
  const texts = reviews.flatMap(textsOf);
  return {
    head,
    open: [...threads.map(openThread), ...texts.map(openText)],
    threads: threads.filter(({ marker }) => marker.agent === agent),
    texts: texts.filter((text) => text.agent === agent),
    reviews,
  };
}

function openThread({ marker, path, side, line, hunk, first, replies }: OwnOpenThread): OpenFinding {
  const { text } = foundIn(marker, { first, replies });
  const candidate = { path, line, isPresent: line !== undefined, code: lastCode(hunk), text };
  return { id: marker.id, candidate, thread: { commentId: first.id, path, side, line } };
}

/** Of a finding in the text of a review only a sketch of its words is at hand. */
function openText({ id, path, line, sketch = '' }: OwnOpenText): OpenFinding {
  return { id, candidate: { path, line, isPresent: false, code: '', sketch }, thread: undefined };
}

/** What those may do who have closed conversations. */
async function permissionsOf(
  closed: readonly OwnOpenThread[],
  { client, place }: { readonly client: GitHubClient; readonly place: PullRequestPlace },
  signal: AbortSignal,
): Promise<Permissions> {
  const logins = new Set(closed.flatMap((thread) => resolverOf(thread)?.toLowerCase() ?? []));
  const response = [...logins].slice(0, MAX_ANSWERERS).map(async (login) => {
    const answer = await fetchPermission(client, { repository: place.repository, login }, signal);
    return [login, answer.kind === 'known' ? answer.permission : 'unknown'] as const;
  });
  return new Map(await Promise.all(response));
}

/** One that was marked as outdated is closed: what it says may be said again. */
function ownThread(thread: ReviewThread): readonly OwnOpenThread[] {
  const { first } = thread;
  if (!first.isOurs || endMarkOf(first.body) !== undefined) return [];
  const marker = parseFindingMarker(first.body);
  if (marker === undefined) return [];
  const { severity: _, ...rest } = marker;
  const { severity } = foundIn(marker, thread);
  return [{ ...thread, marker: severity === undefined ? rest : { ...rest, severity } }];
}

/** A draft was never sent, and what was dismissed holds no more. */
function textsOf(review: OwnReview): readonly OwnOpenText[] {
  const marker = parseReviewMarker(review.body);
  if (marker === undefined || review.state === 'PENDING' || review.state === 'DISMISSED') return [];
  const { head, findings } = marker;
  return findings.map((finding) => ({ ...finding, review, agent: agentOf(marker.agent), head }));
}
