import type { Warning } from '../warning.js';

/** A file that a pull request changes. */
export interface ChangedFile {
  readonly path: string;
  /** GitHub's word: `added`, `modified`, `removed`, `renamed`, … */
  readonly status: string;
  /** Lines. */
  readonly additions: number;
  readonly deletions: number;
  /** Where a renamed or copied file comes from. */
  readonly previousPath?: string;
}

/** What was fetched from GitHub for a trigger, beside the event itself. */
export type TriggerContext =
  | {
      readonly kind: 'pull_request';
      /** A unified diff, as git writes it. */
      readonly diff: string;
      readonly files: readonly ChangedFile[];
      /** Files of the pull request, also those GitHub does not list. */
      readonly filesTotal: number;
      readonly warnings: readonly Warning[];
    }
  | { readonly kind: 'none'; readonly warnings: readonly Warning[] };

/** A change on this machine (`--git <range>`). */
export interface LocalChange {
  readonly range: string;
  readonly diff: string;
}
