import { formatOpenSentences } from '../../findings/finding.js';
import { formatNotRepeated } from '../../findings/post/comment-text.js';
import type { FindingCounts } from '../../findings/post/post-review.js';
import type { Posted } from '../../github/posting/posted.js';
import { cleanLine, codeSpan, count } from '../../lib/text/format.js';
import type { PublicationResult } from '../records.js';

type Publications = Partial<Pick<PublicationResult, 'posts' | 'counts'>>;

/**
 * The publications in one line, for the run log of memory, the job's log, the check and the job
 * summary; empty for none. It has nobody's words but paths, branches and labels.
 */
export function publishedLine({ posts = [], counts }: Publications): string {
  const reviews = posts.filter(({ kind }) => kind === 'review');
  const others = posts.filter(({ kind }) => kind !== 'review');
  return sentences([
    ...reviews.map(describePosted),
    counts === undefined ? '' : formatCounts(counts),
    ...others.map(describePosted),
  ]);
}

function describePosted(posted: Posted): string {
  const { number, isUpdate = false } = posted;
  const opened = isUpdate ? 'Updated' : 'Opened';
  switch (posted.kind) {
    case 'review':
      return describeReview(posted);
    case 'comment':
      if (posted.isKept === true) return `There is an answer on #${number}.`;
      return isUpdate ? `Updated the comment on #${number}.` : `Posted a comment on #${number}.`;
    case 'reply':
      return isUpdate
        ? `The answer is already in the thread of #${number}.`
        : `Answered in a thread of #${number}.`;
    case 'report':
      return `${opened} the report #${number}.`;
    case 'issue':
      return `${opened} the issue #${number}.`;
    case 'labels': {
      const { added, removed } = posted;
      return sentences([
        added.length === 0 ? '' : `Added ${formatLabels(added)}.`,
        removed.length === 0 ? '' : `Removed ${formatLabels(removed)}.`,
      ]);
    }
    case 'pull-request':
      return `${describePull(posted)} (\`${posted.branch}\`): ${formatPaths(posted.files)}.`;
    case 'commits':
      return `${describePush(posted)} of #${number}: ${formatPaths(posted.files)}.`;
    case 'reaction':
    case 'check':
      return '';
  }
}

type PostedOf<K extends Posted['kind']> = Extract<Posted, { readonly kind: K }>;

/** `Opened the pull request #43`. */
export function describePull({ number, isUpdate }: PostedOf<'pull-request'>): string {
  return `${isUpdate === true ? 'Updated' : 'Opened'} the pull request #${number}`;
}

/** `Pushed 1a2b3c4 (FQ7K2) to topic`. */
export function describePush({ commits, branch }: PostedOf<'commits'>): string {
  const names = commits.map(
    ({ sha, fixes }) => `${sha.slice(0, SHORT_SHA)}${fixes === undefined ? '' : ` (${fixes})`}`,
  );
  return `Pushed ${names.join(', ')} to ${codeSpan(branch)}`;
}

const SHORT_SHA = 7;

export function formatLabels(names: readonly string[]): string {
  return `the ${names.length === 1 ? 'label' : 'labels'} ${names.map((name) => `\`${name}\``).join(', ')}`;
}

const MAX_PATHS = 5;
const MAX_PATH = 100;

function formatPaths(files: readonly string[]): string {
  const names = files.slice(0, MAX_PATHS).map((path) => codeSpan(cleanLine(path, MAX_PATH)));
  const more = files.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function describeReview({
  number,
  comments,
  inText = 0,
  isBlocking,
  isUpdate,
}: PostedOf<'review'>): string {
  if (isUpdate === true) return `The review of #${number} was already posted.`;
  const places = comments
    .slice(0, MAX_PATHS)
    .map(({ path, line }) => `${cleanLine(path, MAX_PATH)}:${line}`);
  const more = comments.length > MAX_PATHS ? ` and ${comments.length - MAX_PATHS} more` : '';
  const placeList = comments.length === 0 ? '' : `: ${places.join(', ')}${more}`;
  const posted = comments.length === 0 ? 'a review' : count(comments.length, 'comment');
  const withComments = comments.length === 0 ? '' : ` with ${posted}`;
  const action =
    isBlocking === true
      ? `Asked for changes on #${number}${withComments}`
      : `Posted ${posted} on #${number}`;
  return sentences([
    `${action}${placeList}.`,
    inText === 0 ? '' : `${count(inText, 'finding')} in the text of the review.`,
  ]);
}

function formatCounts(counts: FindingCounts): string {
  const { settled, dismissed, claimed, back, refuted, unclear } = counts;
  const earlier = (number: number) => count(number, 'earlier finding');
  return sentences([
    formatOpenSentences(counts),
    settled === 0 ? '' : `Settled ${earlier(settled)}.`,
    dismissed === 0 ? '' : `${earlier(dismissed)} dismissed.`,
    claimed === 0 ? '' : `Left ${earlier(claimed)} for a person to settle.`,
    back === 0 ? '' : `${earlier(back)} came back.`,
    formatNotRepeated(counts),
    refuted === 0 ? '' : `Refuted by a second check: ${refuted}.`,
    unclear === 0 ? '' : `Unclear after a second check: ${unclear}.`,
  ]);
}

function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
