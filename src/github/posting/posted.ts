/** A publication that is on GitHub: a kind with its facts, without sentences. */
export type Posted = PostedPlace &
  (
    | PostedReviewFacts
    /** `isKept`: an earlier one was left as it is. */
    | { readonly kind: 'comment'; readonly isKept?: true }
    | { readonly kind: 'labels'; readonly added: Names; readonly removed: Names }
    | { readonly kind: 'pull-request'; readonly branch: string; readonly files: Names }
    | PostedCommits
    | { readonly kind: 'reply' | 'report' | 'issue' | 'reaction' | 'check' }
  );

type Names = readonly string[];

interface PostedPlace {
  /** The issue or pull request that it is, or that it is on; left out: neither. */
  readonly number?: number;
  readonly url?: string;
  /** It was there before this run; left out: this run has made it. */
  readonly isUpdate?: true;
}

interface PostedReviewFacts {
  readonly kind: 'review';
  readonly isBlocking?: true;
  readonly comments: readonly { readonly path: string; readonly line: number }[];
  /** Findings in the text of the review; left out: none. */
  readonly inText?: number;
}

interface PostedCommits {
  readonly kind: 'commits';
  readonly branch: string;
  readonly files: Names;
  /** With the name of the finding that a commit fixes. */
  readonly commits: readonly { readonly sha: string; readonly fixes?: string }[];
}

/** The kinds of publications. @internal */
export const POSTED_KINDS = [
  'review',
  'comment',
  'reply',
  'report',
  'issue',
  'labels',
  'reaction',
  'pull-request',
  'commits',
  'check',
] as const satisfies readonly Posted['kind'][];

/** `isUpdate` for a publication that was made or found. */
export function updateOf(isCreated: boolean): Pick<Posted, 'isUpdate'> {
  return isCreated ? {} : { isUpdate: true };
}
