import { textId } from '../units.js';

/** What a version of a note is known by; '' for no note. */
export function versionId(text: string): string {
  return text === '' ? '' : textId(text);
}

/** Of a change, what says whether it was made before; only changes of notes say it. */
export interface Replayed {
  readonly kind: string;
  readonly path: string;
  /** What the run saw the note become, as {@link versionId}. */
  readonly makes?: string;
  readonly again?: true;
}

/**
 * Whether all changes to a note were made before, by a save of which nobody learnt how it ended: they may come again, and
 * the note is what the run saw it become.
 */
export function isMade(text: string, path: string, changes: readonly Replayed[]): boolean {
  const last = changes.findLast((change) => change.kind === 'note' && change.path === path);
  return last?.again === true && last.makes === versionId(text);
}
