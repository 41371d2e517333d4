import type { MarkLane } from '../safety/mark.js';
import type { Finding } from './finding.js';
import type { Raised } from './marks.js';
import type { Thread } from './seen.js';

/** A finding with what this reading has found out about it. */
export interface KnownFinding extends Finding {
  /** Of its line as it was said, see `codeKey`. */
  readonly key: string;
  /** The newest mark says its state already: people need not be told. */
  readonly isTold: boolean;
  /** Its line is nowhere in the change: the model is asked about it. */
  readonly isGone: boolean;
  /** Of one that ended: its line stood no more then. */
  readonly endedGone: boolean;
  /** What it suggested stands in the change. */
  readonly isCommitted: boolean;
  /** No stranger had a part in its words. */
  readonly lane: MarkLane;
  /** When it was raised, or came back, last; milliseconds. */
  readonly raisedAt: number;
  readonly thread: Thread | undefined;
  /** Undefined for a finding of this run. */
  readonly first: Raised | undefined;
}

/** What the model says itself of whether a finding is an earlier one. */
export interface SameClaim {
  /** The handle of an earlier finding. */
  readonly sameAs?: string | undefined;
  /** It was asked, and says that it is another one. */
  readonly isNew?: boolean | undefined;
  /** Ids of the findings that it knew of; left out: all. On the line of any other it was not asked, so that one is the same. */
  readonly knew?: ReadonlySet<string> | undefined;
}
