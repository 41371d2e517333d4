import type { GitHubClient } from '../../adapters/github/client/client.js';
import { editReviews } from '../../adapters/github/posting/dismiss-review.js';
import { fetchDiff } from '../../adapters/github/reading/compare.js';
import { type DiffLines, findFile, readDiffLines } from '../../review/diff-lines.js';
import { withoutTextFindings } from '../../review/markers.js';
import type { OwnFindings, OwnOpenText } from './known-findings.js';
import type { RequestedReview } from './requested.js';
import { withGitHub } from './with-github.js';

/** What a new review leaves of our findings in the texts of reviews. */
export interface OldTexts {
  readonly settled: readonly OwnOpenText[];
  readonly stillOpen: readonly OwnOpenText[];
}

/** What they are held against. */
interface TextsParts {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
  /** Ids of those that the run raised again. */
  readonly again: ReadonlySet<string>;
}

/**
 * Sorts our findings in the texts of reviews, which have no conversation that anybody could close. The model is not told of
 * them, so a run that looked at the place and does not raise one again has settled it: all of the pull request, or what is
 * new, where that shows the place. The silence of a run over a change from outside settles nothing.
 */
export async function sortTexts(requested: RequestedReview, parts: TextsParts): Promise<OldTexts> {
  const { commits, isComplete, lane, reach, unseen } = requested;
  const { own, again } = parts;
  const old = own.texts.filter(({ id }) => !again.has(id));
  const isDecided = lane === 'trusted' && isComplete && reach !== 'question' && own.head === commits.head;
  const isSeen = isDecided ? await placesSeen(requested, old, parts.client) : () => false;
  const isSettled = (text: OwnOpenText) => isSeen(text) && !unseen.includes(text.path);
  const settled = old.filter(isSettled);
  return { settled, stillOpen: own.texts.filter((text) => !settled.includes(text)) };
}

/** Reviews of so many commits are followed to the newest: each takes a request. */
const MAX_COMMITS = 5;

/** Tells which places the run has looked at. Lines are counted in the commit that was reviewed then. */
async function placesSeen(
  { since, commits, place: { repository } }: RequestedReview,
  texts: readonly OwnOpenText[],
  client: GitHubClient,
): Promise<(text: OwnOpenText) => boolean> {
  if (since === undefined) return () => true;
  const lookedAt = readDiffLines(since.change.diff);
  const near = texts.filter(({ path, side }) => side === 'RIGHT' && findFile(lookedAt, path) !== undefined);
  const heads = [...new Set(near.map(({ head }) => head))].slice(0, MAX_COMMITS);
  const diffs = new Map<string, DiffLines>();
  for (const head of heads) {
    const pair = { repository, base: head, head: commits.head };
    const diff = head === since.from ? since.change.diff : await diffOf(client, pair);
    if (diff !== undefined) diffs.set(head, readDiffLines(diff));
  }
  return (text) => near.includes(text) && isShown(text, diffs.get(text.head));
}

/** Undefined where GitHub does not show it. */
async function diffOf(
  client: GitHubClient,
  pair: Parameters<typeof fetchDiff>[1],
): Promise<string | undefined> {
  const response = await withGitHub(async (signal) => await fetchDiff(client, pair, signal), '');
  return response.kind === 'answered' ? response.answer : undefined;
}

function isShown({ path, startLine, line }: OwnOpenText, lines: DiffLines | undefined): boolean {
  const file = lines === undefined ? undefined : findFile(lines, path);
  return [...(file?.LEFT.keys() ?? [])].some((one) => one >= startLine && one <= line);
}

const REMEDY = 'Write `/axe review full` after that is fixed.';

/** Takes settled findings out of the texts of our reviews, and says how many; empty for none. Trouble is a warning. */
export async function closeTexts(
  settled: readonly OwnOpenText[],
  client: GitHubClient,
  { place, commits, options }: RequestedReview,
): Promise<string> {
  if (settled.length === 0) return '';
  const reviews = [...new Set(settled.map(({ review }) => review))].map((review) => {
    const removed = settled.filter((one) => one.review === review);
    return { id: review.id, body: withoutTextFindings(review.body, removed, commits.head) };
  });
  const response = await withGitHub((signal) => editReviews(client, { ...place, reviews }, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  const findings = `${settled.length} ${settled.length === 1 ? 'finding' : 'findings'} in the text of earlier reviews`;
  if (result.kind === 'edited') return `Marked ${findings} as outdated.`;
  const message = `${findings} could not be marked as outdated: ${result.message}. ${REMEDY}`;
  options.reporter.warn({ code: 'publish-failed', message });
  return '';
}
