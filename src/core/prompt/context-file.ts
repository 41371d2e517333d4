/** A file that goes into the system prompt. */
export interface ContextFile {
  /** `/`-separated, relative to the workdir. */
  readonly path: string;
  readonly content: string;
}
