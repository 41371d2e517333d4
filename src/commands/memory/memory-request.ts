import type { RunRequest } from '../../run/request.js';
import type { CommandSession } from './command-session.js';

/** A command over an agent's memory, asked for by a workflow or by a comment. */
export interface MemoryCommandRequest extends RunRequest {
  /** The command and what belongs to it. */
  readonly words: readonly string[];
  /** Who asks: a comment is answered where it stands, and may ask for less. */
  readonly askedIn: 'workflow' | 'comment';
  /** The text of a file to import. May throw an AxeError. */
  readonly readImport?: CommandSession['readImport'];
  /** Takes what is exported. May throw an AxeError. */
  readonly writeExport?: CommandSession['writeExport'];
}
