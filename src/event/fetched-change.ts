/** A file that a pull request changes. */
export interface CountedFile {
  readonly path: string;
  /** GitHub's word: `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string;
  /** Lines. */
  readonly additions: number;
  readonly deletions: number;
  /** Where a renamed or copied file comes from. */
  readonly previousPath?: string;
}

/** The difference between two commits. */
export interface FetchedChange {
  /** A unified diff, as git writes it. */
  readonly diff: string;
  readonly files: readonly CountedFile[];
  /** Files of the change, also those GitHub does not list. */
  readonly filesTotal: number;
  /** GitHub lists only the first of them, and nobody knows how many there are. */
  readonly isListShort?: true;
}
