import type { FindingMarker } from './markers.js';

/** A conversation on a line that a finding of ours began. */
export interface FindingThread extends FindingMarker {
  /** As GraphQL knows the conversation. */
  readonly threadId: string;
  /** Of its first comment, as the REST API numbers it; every reply names this one. */
  readonly commentId: number;
  readonly path: string;
  readonly isResolved: boolean;
  readonly body: string;
  /** The part of the diff that it was posted on. */
  readonly hunk: string;
}
