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
] as const;

/** A publication that is on GitHub. */
export interface Posted {
  readonly kind: (typeof POSTED_KINDS)[number];
  /** The issue or pull request that it is, or that it is on; left out: neither. */
  readonly number?: number;
  readonly url?: string;
  /** It was there before this run; left out: this run has made it. */
  readonly isUpdate?: true;
}

/** `isUpdate` for a publication that was made or found. */
export function updateOf(isCreated: boolean): Pick<Posted, 'isUpdate'> {
  return isCreated ? {} : { isUpdate: true };
}
