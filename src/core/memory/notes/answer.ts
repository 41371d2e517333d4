import { encodeBytes } from '../../text/bytes.js';
import type { FailedSave, TreeResult } from '../store.js';
import type { ComposedEdit } from './compose-edit.js';
import type { NoteResult } from './edit.js';
import type { NoteAnswer, NoteWish } from './notes-port.js';
import type { RecentWrite } from './ring.js';

type Failed = Extract<NoteAnswer, { readonly kind: 'failed' }>;

/** A change that was made, and where it is shown to be. */
interface Done {
  readonly path: string;
  readonly timestamp: Date;
  readonly target: RecentWrite['target'];
  readonly composed: ComposedEdit;
}

/** What a tool is told of a change that was made. */
export function editAnswer(
  result: Extract<NoteResult, { readonly kind: 'written' }>,
  { path, timestamp, composed }: Done,
  { maxWriteBytes, warnFileBytes }: Pick<NotesCaps, 'maxWriteBytes' | 'warnFileBytes'>,
): NoteAnswer {
  return {
    kind: 'written',
    path,
    timestamp,
    bytes: result.addedBytes,
    givenBytes: composed.givenBytes,
    maxBytes: maxWriteBytes,
    skippedLines: result.skippedLines,
    fileBytes: encodeBytes(result.text).length,
    warnBytes: warnFileBytes,
  };
}

/** What the summary of the run is told of it. */
export function recentWrite(wish: NoteWish, { composed, ...done }: Done): RecentWrite {
  return { ...done, action: wish.kind, content: composed.content, bytes: composed.keptBytes };
}

/** Memory could not be read: nothing is written then either (D14). */
export function notRead({
  message,
  remedy,
}: Pick<Extract<TreeResult, { readonly kind: 'failed' }>, 'message' | 'remedy'>): Failed {
  return {
    kind: 'failed',
    reason: 'unavailable',
    message: withRemedy(`memory could not be read: ${message}`, remedy),
    storage: { operation: 'read memory', cause: message },
  };
}

/** A change could not be saved. */
export function notSaved({ reason, message, remedy, storage }: FailedSave): Failed {
  const failure = { kind: 'failed', reason, message: withRemedy(message, remedy) } as const;
  return storage === undefined ? failure : { ...failure, storage };
}

function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined ? message : `${message}. ${remedy}`;
}

/** What a write to notes may measure, in bytes. */
export interface NotesCaps {
  readonly maxWriteBytes: number;
  /** Files above this are warned of; they are written anyway. */
  readonly warnFileBytes: number;
  /** Whether long-term memory gets no line twice. */
  readonly dedup: boolean;
}
