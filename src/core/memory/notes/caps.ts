/** What a write to notes may measure, in bytes. */
export interface NotesCaps {
  readonly maxWriteBytes: number;
  /** Files above this are warned of; they are written anyway. */
  readonly warnFileBytes: number;
  /** Whether long-term memory gets no line twice. */
  readonly dedup: boolean;
}
