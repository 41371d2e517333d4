import type { RunRequest } from '../request.js';
import type { MemoryHand } from './memory-hand.js';

/** A command over an agent's memory, asked for by a workflow or by a comment. */
export interface TendRequest extends RunRequest {
  /** The command and what belongs to it. */
  readonly words: readonly string[];
  /** Who asks: a comment is answered where it stands, and may ask for less. */
  readonly askedIn: 'workflow' | 'comment';
  /** The text of a file to import. May throw an AxeError. */
  readonly readImport?: MemoryHand['readImport'];
  /** Takes what is exported. May throw an AxeError. */
  readonly writeExport?: MemoryHand['writeExport'];
}
