import type { Clock } from '../../core/clock.js';
import { AxeError } from '../../core/errors.js';
import { firstUnread } from '../../core/memory/blocked.js';
import type { Change } from '../../core/memory/change.js';
import { type LogLane, lanePath, type MemoryEntry, readEntries } from '../../core/memory/commands/entry.js';
import { formatEntries } from '../../core/memory/commands/format.js';
import { type MemoryNote, readNotes } from '../../core/memory/commands/notes.js';
import type { LogFinding } from '../../core/memory/commands/search.js';
import type { Provenance } from '../../core/memory/provenance.js';
import { forgottenIds, statePath } from '../../core/memory/state.js';
import type { MemoryStore, SaveResult, TreePart } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { Warning } from '../../core/warning.js';

/** What a command on a memory works with. */
export interface CommandSession {
  readonly store: MemoryStore;
  /** The agent's run log in the tree; the untrusted lane's is next to it. */
  readonly path: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Values that must never get into memory (D11). */
  readonly secrets: readonly string[];
  /** Where new entries come from; undefined writes them as axe does, without provenance. */
  readonly origin: Omit<Provenance, 'id'> | undefined;
  /** New entries stay apart from what trusted runs load until somebody promotes them. */
  readonly isQuarantined?: boolean;
  /** Takes a list of entries in groups, so that it may be of any length; left out: it is part of the text. */
  readonly list?: (listing: MemoryListing) => Promise<void>;
  /** Lets a person change a text; absent where nobody can be asked. May throw an AxeError. */
  readonly edit?: (draft: string) => Promise<string>;
  /** The text of a file to import, as `decodeBytes` gives it. May throw an AxeError. */
  readonly readImport?: (from: string) => Promise<string>;
  /** Writes what is exported; a text that it returns is the answer itself. May throw an AxeError. */
  readonly writeExport?: (out: string, exported: Exported) => Promise<string | undefined>;
}

/** Entries for people, the newest first, and what stands above and below them. */
export interface MemoryListing {
  readonly above: string;
  readonly entries: AsyncIterable<readonly MemoryEntry[]>;
  /** Empty for nothing. */
  readonly below: string;
  readonly warnings: readonly Warning[];
}

/** What is exported; texts are encoded by `encodeBytes`. */
export type Exported =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'folder'; readonly tree: MemoryTree };

/** How a command ended. */
export type MemoryDone = {
  readonly kind: 'done';
  /** For people, in markdown; not yet cleaned for where it goes. */
  readonly text: string;
  /**
   * What was done, with ids and without a word that the memory says: all that is reported of a memory in another
   * repository (D14). Left out: only that it is done.
   */
  readonly headline?: string;
  /** The text is exactly what was asked for, and nothing may be added to it. */
  readonly isExport?: true;
  /** The answer was a list, and whoever asked has it. */
  readonly isListed?: true;
  /** Whether the memory is another now. */
  readonly changed: boolean;
  /** What was shown or found, the newest first. */
  readonly entries?: readonly MemoryEntry[];
  /** What `verify` found. */
  readonly findings?: readonly LogFinding[];
  readonly warnings: readonly Warning[];
};

/** Why a command did not do what was asked. */
export interface MemoryRefusal {
  readonly kind: 'failed';
  readonly reason: 'not-found' | 'ambiguous' | 'unreadable' | 'not-saved' | 'refused';
  readonly message: string;
  /** The message without a word that the memory says, where it holds some; left out: the message is. */
  readonly hiddenMessage?: string;
  readonly remedy?: string;
  /** Whether the memory is another now anyway. */
  readonly changed: boolean;
}

/** What became of a command on a memory. */
export type MemoryCommandResult = MemoryDone | MemoryRefusal;

/** A lane of an agent as it was read. */
interface MemoryLog {
  readonly lane: LogLane;
  readonly path: string;
  readonly text: string;
  /** Whether its log or its state is there. */
  readonly exists: boolean;
  readonly forgotten: ReadonlySet<string>;
  readonly entries: readonly MemoryEntry[];
}

/** A memory as it was read. */
export interface MemoryView {
  readonly kind: 'view';
  readonly location: string;
  readonly tree: MemoryTree;
  /** What each place holds of it; one, unless several are read as one. */
  readonly parts: readonly TreePart[];
  readonly warnings: readonly Warning[];
  readonly trusted: MemoryLog;
  readonly untrusted: MemoryLog;
  /** Notes of both lanes. */
  readonly notes: readonly MemoryNote[];
}

/** Reads the newest memory. */
export async function viewMemory({
  store,
  path,
  signal,
}: CommandSession): Promise<MemoryView | MemoryRefusal> {
  const found = await store.readTree(signal);
  const logs = [path, lanePath(path, 'untrusted')].flatMap((log) => [log, statePath(log)]);
  const trouble = found.kind === 'failed' ? found : firstUnread(found, logs);
  if (found.kind === 'failed' || trouble !== undefined)
    return refusal('unreadable', `the memory could not be read: ${trouble?.message}`, trouble?.remedy);
  const { tree, warnings, location, parts = [{ store: store.kind, tree }] } = found;
  return {
    kind: 'view',
    location,
    tree,
    parts,
    warnings,
    trusted: logOf(tree, path, 'trusted'),
    untrusted: logOf(tree, path, 'untrusted'),
    notes: readNotes(tree, [path, lanePath(path, 'untrusted')]),
  };
}

/** Both lanes, those first that trusted runs load. */
export function logsOf({ trusted, untrusted }: MemoryView): readonly MemoryLog[] {
  return [trusted, untrusted];
}

/** Writes changes; what comes back is trouble, or undefined. */
export async function saveChanges(
  changes: readonly Change[],
  { store, signal }: CommandSession,
): Promise<MemoryRefusal | undefined> {
  const saved = await store.write(changes, signal);
  if (saved.kind === 'failed') return notSaved(saved);
  const [unsaved] = saved.unsaved ?? [];
  return unsaved === undefined ? undefined : { ...notSaved({ kind: 'failed', ...unsaved }), changed: true };
}

/** A result that tells why it was not done. */
export function refusal(reason: MemoryRefusal['reason'], message: string, remedy?: string): MemoryRefusal {
  return { kind: 'failed', reason, message, changed: false, ...(remedy === undefined ? {} : { remedy }) };
}

/** What a person's side of a command gave, or why it gave nothing. */
export async function ask<T>(
  question: Promise<T>,
): Promise<{ readonly kind: 'answer'; readonly answer: T } | MemoryRefusal> {
  try {
    return { kind: 'answer', answer: await question };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return refusal('refused', thrown.message, thrown.remedy);
  }
}

type Located = Pick<MemoryView, 'location'>;

/** What is told of an id that is nobody's, or of a path that no note has, where both are taken. */
export function noSuchEntryOrNote(id: string, view: Located): MemoryRefusal {
  return /\/|\.md$/.test(id) ? noSuchNote(id, view) : noSuchEntry(id, view);
}

/** What is told of a path that no note has. */
export function noSuchNote(path: string, { location }: Located): MemoryRefusal {
  const remedy = 'Give the path of a note as `show` lists it after the entries.';
  return refusal('not-found', `no note \`${path}\` in ${location}`, remedy);
}

/** What is told of an id that is nobody's. */
export function noSuchEntry(id: string, { location }: Located, entry = 'entry'): MemoryRefusal {
  return refusal(
    'not-found',
    `no ${entry} with id \`${id}\` in ${location}`,
    'Give the id as `show` or `search` prints it, or its first six characters or more.',
  );
}

/** What is told of the beginning of several ids. */
export function severalEntries(id: string, candidates: readonly MemoryEntry[]): MemoryRefusal {
  const message = `\`${id}\` is the beginning of ${candidates.length} ids:\n${formatEntries(candidates)}`;
  const several = refusal('ambiguous', message, 'Give more characters of the one that is meant.');
  return { ...several, hiddenMessage: 'that is the beginning of several ids' };
}

function logOf(tree: MemoryTree, trustedPath: string, lane: LogLane): MemoryLog {
  const path = lanePath(trustedPath, lane);
  const text = tree.get(path) ?? '';
  const state = tree.get(statePath(path));
  return {
    lane,
    path,
    text,
    exists: tree.has(path) || state !== undefined,
    forgotten: forgottenIds(state ?? ''),
    entries: readEntries(text, lane),
  };
}

function notSaved({ message, remedy, kept }: Extract<SaveResult, { kind: 'failed' }>): MemoryRefusal {
  const elsewhere =
    kept === undefined ? '' : `; it is kept in ${kept.location} until a run that can write folds it in`;
  return refusal('not-saved', `the memory could not be changed: ${message}${elsewhere}`, remedy);
}
