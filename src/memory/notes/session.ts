import { createQueue, dateOf } from '../../lib/clock.js';
import { NOTES_LIMITS } from '../../lib/defaults.js';
import { ToolError, type Warning } from '../../lib/errors.js';
import { compareBytes, cutToBytes, encodeBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { applyChanges, type MemoryTree, type NoteChange, versionId } from '../change.js';
import type { CheckedNotes } from '../citations.js';
import { editNote, type NoteEdit } from '../note-edit.js';
import {
  apartPath,
  flatDailyPath,
  type NotesPlaces,
  type NoteTarget,
  notePath,
  noteTargetAt,
  placesToRead,
} from '../paths.js';
import { damageOf, joinOnLines, promptText, readableText } from '../run-log.js';
import {
  blockedAt,
  type FailedSave,
  firstUnread,
  type SaveFailure,
  type SaveResult,
  type TreeResult,
} from '../store.js';
import { renderSearch, searchNotes } from './search.js';

/** A tool's request to change a note; the content is exactly what the model sent. */
export type NoteRequest =
  | {
      readonly kind: 'append';
      readonly content: string;
      /**
       * Formats the content before it is appended; `head` begins a new note. Without it the content
       * is appended as it is.
       */
      readonly form?: (
        content: string,
        now: Date,
      ) => { readonly text: string; readonly head?: string };
    }
  | { readonly kind: 'overwrite'; readonly content: string };

/** The result of a request. Paths are in the form for people and models. */
export type NoteAnswer =
  | {
      readonly kind: 'written';
      readonly path: string;
      readonly timestamp: Date;
      /** Bytes of the content as it was written. */
      readonly bytes: number;
      /** Bytes of the content before it was cut, and the limit of one write. */
      readonly givenBytes: number;
      readonly maxBytes: number;
      /** Number of lines left out because the note already has them. */
      readonly skippedLines: number;
      /** Bytes of the whole file after the write, and the number above which there is a warning. */
      readonly fileBytes: number;
      readonly warnBytes: number;
    }
  /** Nothing was written: the note already has every line. */
  | { readonly kind: 'duplicate'; readonly path: string; readonly skippedLines: number }
  | FailedNote;

/** Memory could not be read or written. */
export interface FailedNote {
  readonly kind: 'failed';
  readonly reason: SaveFailure;
  readonly message: string;
}

/** A run's notes for its tools. Calls run one after the other, and each sees earlier writes. */
export interface Notes {
  /** `YYYY-MM-DD`, in UTC. */
  today(): string;
  change(target: NoteTarget, wish: NoteRequest): Promise<NoteAnswer>;
  /**
   * The whole text, '' if there is none. Like the methods below it throws a ToolError if memory
   * cannot be read.
   */
  read(target: NoteTarget): Promise<string>;
  /** The agent's run log in the form for a model. */
  readRunLog(): Promise<string>;
  /** Paths of long-term memory, daily logs and notes, in byte order. */
  list(): Promise<readonly string[]>;
  /** Renders the hits in at most `maxBytes` bytes of UTF-8, and the mark of a cut. */
  search(
    query: string,
    view: { readonly maxBytes: number; readonly limit: number | undefined },
  ): Promise<string>;
}

interface NotesSessionOptions {
  readonly places: NotesPlaces;
  /** The agent's own run log, which is searched and read with the notes. */
  readonly runLog: string;
  /** The part before paths that are shown: the absolute folder, or empty. */
  readonly root: string;
  /** Memory is in another repository, so warnings name none of its files. */
  readonly isPrivate?: boolean;
  readonly caps: NotesCaps;
  /** `MemoryStore.readTree` with its signal. */
  load(under: readonly string[] | undefined): Promise<TreeResult>;
  redact(text: string): string;
  /** The notes compared with the code that they cite. */
  checked(): CheckedNotes;
  now(): Date;
  newId(): string;
  warn(warning: Warning): void;
  /** Called after each change. */
  noteWrite?(action: NoteRequest['kind'], path: string, bytes: number): void;
  /**
   * Saves changes at once, and makes every call read the store again: on the command line. Without
   * it the store is read once, at the first call, and the run saves its changes at the end.
   */
  writeThrough?(changes: readonly NoteChange[]): Promise<SaveResult>;
}

/** Limits of writes to notes. @internal */
export interface NotesCaps {
  readonly maxWriteBytes: number;
}

/** Larger files cause a warning; they are written anyway. */
const WARN_FILE_BYTES = NOTES_LIMITS.warnFileBytes;

/** Number of changes that `recent` remembers. */
const MAX_RECENT = 100;

export interface NotesSession extends Notes {
  /** Adds the summary of `messages` shortened messages of the conversation to the daily log. */
  addSummary(summary: string, messages: number | undefined): Promise<NoteAnswer>;
  /** Every file that a run can request, with the run's changes. */
  tree(): Promise<TreeResult>;
  /** The unsaved changes in order, to be kept apart or among the others. */
  changes(isApart: boolean): readonly NoteChange[];
  /** The newest changes, saved or not, oldest first, with paths in the form for models. */
  recent(): readonly { readonly path: string; readonly content: string }[];
}

/**
 * Opens the notes of a run. Nothing is read before the first call; calls run one after the other.
 */
export function createNotesSession(options: NotesSessionOptions): NotesSession {
  const { places, runLog, root, caps, redact, now, writeThrough } = options;
  const inTurn = createQueue();
  const reader = createNotesReader(options);
  /** Files that already caused a warning, since one warning is enough. */
  const largeFiles = new Set<string>();
  let changes: readonly NoteChange[] = [];
  let recent: ReturnType<NotesSession['recent']> = [];

  async function change(target: NoteTarget, wish: NoteRequest): Promise<NoteAnswer> {
    const timestamp = now();
    const path = notePath(target, places);
    const loaded = await reader.load([path]);
    if (loaded.kind === 'failed') return notRead(loaded);
    const blocked = blockedAt(loaded, path);
    if (blocked !== undefined) return notSaved(blocked);

    // Redact before the cut, since half a secret would not be recognized.
    const clean = redact(readableText(wish.content));
    const { text: content } = cutToBytes(clean, caps.maxWriteBytes);
    const text = loaded.tree.get(path) ?? '';
    // The next overwrite would remove the backup of a damaged note.
    const damage = wish.kind === 'overwrite' ? damageOf(text) : undefined;
    if (damage !== undefined)
      return failed(`the note ${damage}; a person has to correct it. Append instead.`);

    const dedup = target.kind === 'long_term';
    const withheld = redact(options.checked().withheld(text));
    const edit = editOf(wish, { content, now: timestamp, dedup, withheld });
    const result = editNote(text, edit);
    if (result.kind === 'duplicate') return { ...result, path: shown(path) };

    // An overwrite might replace a text that another run has written since this one began.
    const backup = wish.kind === 'overwrite';
    const makes = versionId(result.text);
    const next: NoteChange = { kind: 'note', path, edit, backup, makes, id: options.newId() };
    const saved = await writeThrough?.([next]);
    if (saved?.kind === 'failed') return notSaved(saved);
    if (saved === undefined) {
      reader.apply(next);
      changes = [...changes, next];
    }

    recent = [...recent, { path: shown(path), content }].slice(-MAX_RECENT);
    options.noteWrite?.(wish.kind, shown(path), utf8Bytes(content));
    const fileBytes = encodeBytes(result.text).length;
    warnIfLarge(path, fileBytes);
    return {
      kind: 'written',
      path: shown(path),
      timestamp,
      bytes: result.addedBytes,
      givenBytes: utf8Bytes(clean),
      maxBytes: caps.maxWriteBytes,
      skippedLines: result.skippedLines,
      fileBytes,
      warnBytes: WARN_FILE_BYTES,
    };
  }

  function warnIfLarge(path: string, fileBytes: number): void {
    if (fileBytes <= WARN_FILE_BYTES || largeFiles.has(path)) return;
    largeFiles.add(path);
    const name = options.isPrivate === true ? 'a note' : shown(path);
    const message = fileTooLarge(name, fileBytes, WARN_FILE_BYTES);
    options.warn({ code: 'memory-file-large', message, remedy: 'Consider memory maintenance.' });
  }

  function shown(path: string): string {
    return root === '' ? path : `${root}/${path}`;
  }

  async function search(query: string, view: Parameters<Notes['search']>[1]): Promise<string> {
    const result = searchNotes(await reader.readTree(), query, { ...places, runLog });
    return renderSearch(result, { root, ...view });
  }

  return {
    today: () => dateOf(now()),
    change: (target, wish) => inTurn(() => change(target, wish)),
    read: (target) => inTurn(() => reader.readNote(target)),
    readRunLog: () => inTurn(reader.readRunLog),
    list: () => inTurn(async () => listNotes(await reader.readTree(), places).map(shown)),
    search: (query, view) => inTurn(() => search(query, view)),
    addSummary: (content, messages) =>
      inTurn(() => {
        const today: NoteTarget = { kind: 'daily', date: dateOf(now()) };
        return change(today, { kind: 'append', content, form: summaryForm(messages) });
      }),
    tree: () => inTurn(() => reader.load()),
    changes(isApart) {
      if (!isApart) return changes;
      return changes.map((note) => ({ ...note, path: apartPath(note.path) }));
    },
    recent: () => recent,
  };
}

/** Reads notes from the store, and remembers them unless writes go through to it. */
function createNotesReader(options: NotesSessionOptions) {
  const { places, runLog, now, writeThrough } = options;
  const loadedPlaces = new Set<string>();
  /** The store's files with the changes of the run. */
  let current: Extract<TreeResult, { readonly kind: 'tree' }> | undefined;

  async function loadFromStore(under: readonly string[] | undefined): Promise<TreeResult> {
    const loaded = await options.load(under);
    if (loaded.kind === 'tree') for (const warning of loaded.warnings) options.warn(warning);
    return loaded;
  }

  /**
   * Loads every place that a run can request once, and later only paths that are not among them.
   */
  async function load(paths?: readonly string[]): Promise<TreeResult> {
    const everything = placesToRead(places, runLog, now());
    if (writeThrough !== undefined) return await loadFromStore(paths ?? everything);
    if (current === undefined) {
      const first = await loadFromStore(everything);
      if (first.kind === 'failed') return first;
      current = first;
      for (const path of everything ?? []) loadedPlaces.add(path);
    }

    const known = current;
    // A store that left files out of a folder might still return them if asked by name.
    const isKnown = (path: string) =>
      known.tree.has(path) ||
      loadedPlaces.has(path) ||
      (known.warnings.length === 0 && loadedPlaces.has(path.slice(0, path.lastIndexOf('/') + 1)));
    const missing = everything === undefined ? [] : (paths ?? []).filter((path) => !isKnown(path));
    if (missing.length === 0) return known;

    const more = await loadFromStore(missing);
    if (more.kind === 'failed') return more;
    for (const path of missing) loadedPlaces.add(path);
    const blocked = [...(known.blocked ?? []), ...(more.blocked ?? [])];
    current = { ...known, tree: new Map([...more.tree, ...known.tree]), blocked };
    return current;
  }

  /**
   * The files in the form for a model. A requested file that cannot be read is an error; a search
   * continues without it.
   */
  async function readTree(requested?: readonly string[]): Promise<MemoryTree> {
    const loaded = await load(requested);
    const failure = loaded.kind === 'failed' ? loaded : firstUnread(loaded, requested ?? []);
    if (loaded.kind === 'failed' || failure !== undefined)
      throw new ToolError(notRead({ message: '', ...failure }).message);
    return options.checked().view(loaded.tree, runLog);
  }

  async function readNote(target: NoteTarget): Promise<string> {
    const path = notePath(target, places);
    const text = (await readTree([path])).get(path) ?? '';
    if (text !== '' || target.kind !== 'daily') return readableText(text);
    const flatPath = flatDailyPath(target.date, places);
    return readableText((await readTree([flatPath])).get(flatPath) ?? '');
  }

  return {
    load,
    readTree,
    readNote,
    readRunLog: async () => promptText((await readTree([runLog])).get(runLog) ?? ''),
    apply(change: NoteChange): void {
      if (current !== undefined)
        current = { ...current, tree: applyChanges(current.tree, [change]) };
    },
  };
}

/** Formats a part of a daily log: a blank line, its time in UTC, and the trimmed text. */
function summaryForm(messages: number | undefined) {
  const suffix = messages === undefined ? '' : ` (${messages} msgs)`;
  return (text: string, time: Date) => ({
    text: `\n### ${time.toISOString().slice(11, 16)} — compaction summary${suffix}\n${text.trim()}\n`,
  });
}

/**
 * Paths of a run's long-term memory, daily logs and notes, in byte order, without empty files,
 * scratchpads, run logs and backups.
 */
export function listNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  const paths = [...tree].flatMap(([path, text]) => {
    const kind = text === '' ? undefined : noteTargetAt(path, places)?.kind;
    return kind === undefined || kind === 'scratchpad' ? [] : [path];
  });
  return paths.sort(compareBytes);
}

interface EditDetails {
  readonly content: string;
  readonly now: Date;
  readonly dedup: boolean;
  /**
   * Lines that the model did not see: an overwrite keeps them, since the model could not repeat
   * them.
   */
  readonly withheld: string;
}

function editOf(wish: NoteRequest, { content, now, dedup, withheld }: EditDetails): NoteEdit {
  if (wish.kind === 'overwrite')
    return { kind: 'overwrite', text: joinOnLines([content, withheld]) };
  if (wish.form === undefined) return { kind: 'append', text: content, dedup };
  return { kind: 'append', ...wish.form(content, now), dedup: false };
}

/** Warning for a file strictly larger than the limit. @internal */
export function fileTooLarge(path: string, bytes: number, limitBytes: number): string {
  return `Memory file '${path}' exceeds size limit: ${bytes} bytes (limit: ${limitBytes} bytes)`;
}

function failed(message: string): FailedNote {
  return { kind: 'failed', reason: 'error', message };
}

/** Memory that could not be read is not written either. */
function notRead({ message, remedy }: { message: string; remedy?: string }): FailedNote {
  return notSaved({
    reason: 'unavailable',
    message: `memory could not be read: ${message}`,
    remedy,
  });
}

function notSaved({ reason, message, remedy }: Omit<FailedSave, 'kind'>): FailedNote {
  return {
    kind: 'failed',
    reason,
    message: remedy === undefined ? message : `${message}. ${remedy}`,
  };
}
