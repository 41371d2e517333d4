import type { Sign } from '../sign.js';
import type { LogLane } from './entry.js';

/** What is looked for in a log. */
export type FindingCode =
  | 'conflict-marker'
  | 'encoding'
  | 'heading'
  | 'fields'
  | 'duplicate-id'
  | 'duplicate-text'
  | 'provenance'
  | 'no-provenance'
  | 'signature'
  | 'order'
  | 'forgotten'
  | 'size';

/** Something that a person should know of a log or a note. */
export interface LogFinding {
  readonly code: FindingCode;
  /** `information` is nothing to be fixed. */
  readonly severity: 'problem' | 'information';
  readonly lane: LogLane;
  /** The run log or the note, in the memory tree. */
  readonly path: string;
  /** From 1; undefined for what is of the whole file. */
  readonly line: number | undefined;
  readonly message: string;
}

/** A finding before it is known which file it is of. */
export type BareFinding = Omit<LogFinding, 'lane' | 'path'>;

/** What is known of a log that is verified, besides its text. */
export interface VerifiedLog {
  readonly lane: LogLane;
  /** Its place in the tree, which signatures are about. */
  readonly path: string;
  readonly forgotten: ReadonlySet<string>;
  readonly sign: Sign | undefined;
}
