import type { Warning } from '../lib/warning.js';

export interface Parts {
  /** Paragraphs, in order. */
  readonly blocks: readonly string[];
  /** Whether a block is a fence, so that the message has to say what fences mean. */
  readonly isFenced: boolean;
  readonly warnings: readonly Warning[];
  /** Paths of files of a diff that are not shown, or not whole, for want of room; left out: none. */
  readonly unseen?: readonly string[];
}

/** Nothing to say. */
export const NO_PARTS: Parts = { blocks: [], isFenced: false, warnings: [] };
