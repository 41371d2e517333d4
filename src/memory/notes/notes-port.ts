import type { SaveFailure, StorageFailure } from '../store.js';
import type { NoteTarget } from './place.js';

/** What a tool wants done to a note; the content is the model's, as it came. */
export type NoteWish =
  | {
      readonly kind: 'append';
      readonly content: string;
      /** What the content is appended as; `head` goes before it where the note is empty. Left out: as it is. */
      readonly form?: (
        content: string,
        now: Date,
      ) => { readonly text: string; readonly head?: string | undefined };
    }
  | { readonly kind: 'overwrite'; readonly content: string };

/** What became of it. Paths are as people and models are shown them. */
export type NoteAnswer =
  | {
      readonly kind: 'written';
      readonly path: string;
      readonly timestamp: Date;
      /** Bytes of the content as it was written. */
      readonly bytes: number;
      /** Bytes of the content before it was cut, and how many one write may hold. */
      readonly givenBytes: number;
      readonly maxBytes: number;
      /** Lines left out because they were there already. */
      readonly skippedLines: number;
      /** Bytes of the whole file now, and how many are too many. */
      readonly fileBytes: number;
      readonly warnBytes: number;
    }
  /** Nothing was written: every line was there already. */
  | { readonly kind: 'duplicate'; readonly path: string; readonly skippedLines: number }
  | FailedNote;

/** Memory could be neither read nor written, and why. */
export interface FailedNote {
  readonly kind: 'failed';
  readonly reason: SaveFailure;
  readonly message: string;
  /** Which operation failed, where it was one of a store's. */
  readonly storage?: StorageFailure | undefined;
}

/** The notes of a run, as its tools see them: one after the other, each seeing what those before it wrote. */
export interface Notes {
  /** `YYYY-MM-DD`, in UTC. */
  today(): string;
  change(target: NoteTarget, wish: NoteWish): Promise<NoteAnswer>;
  /** The whole text, '' if there is none. Throws a ToolError if memory cannot be read, as the others do. */
  read(target: NoteTarget): Promise<string>;
  /** The agent's run log as a model is shown it. */
  readRunLog(): Promise<string>;
  /** Paths of long-term memory, daily logs and notes, in byte order. */
  list(): Promise<readonly string[]>;
  /** What is found, rendered in at most `maxBytes` bytes of UTF-8 and the mark of a cut. */
  search(
    query: string,
    view: { readonly maxBytes: number; readonly limit: number | undefined },
  ): Promise<string>;
}
