import type { Lane } from '../../event/trust.js';
import { createQueue, dateOf } from '../../lib/clock.js';
import { ToolError, type Warning } from '../../lib/errors.js';
import { compareBytes, cutToBytes, encodeBytes, utf8Bytes } from '../../lib/text/bytes.js';
import { applyChanges, type MemoryTree, type NoteChange, versionId } from '../change.js';
import type { CheckedNotes } from '../citations.js';
import { editedText, editNote, type NoteEdit } from '../note-edit.js';
import {
  flatDailyPath,
  type NotesPlaces,
  type NoteTarget,
  notePath,
  noteTargetAt,
  placesToRead,
  untrustedPath,
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

/** What a tool wants done to a note; the content is the model's, as it came. */
export type NoteRequest =
  | {
      readonly kind: 'append';
      readonly content: string;
      /**
       * What the content is appended as; `head` goes before it where the note is empty. Left out:
       * as it is.
       */
      readonly form?: (
        content: string,
        now: Date,
      ) => { readonly text: string; readonly head?: string };
    }
  | { readonly kind: 'overwrite'; readonly content: string };

/** What became of it. Paths are as people and models are shown them. */
export type NoteAnswer =
  | {
      readonly kind: 'written';
      readonly path: string;
      readonly timestamp: Date;
      /** Bytes of the content as it was written. */
      readonly bytes: number;
      /** Bytes of the content before it was cut, and how many one write may hold. */
      readonly givenBytes: number;
      readonly maxBytes: number;
      /** Lines left out because they were there already. */
      readonly skippedLines: number;
      /** Bytes of the whole file now, and how many are too many. */
      readonly fileBytes: number;
      readonly warnBytes: number;
    }
  /** Nothing was written: every line was there already. */
  | { readonly kind: 'duplicate'; readonly path: string; readonly skippedLines: number }
  | FailedNote;

/** Memory could be neither read nor written, and why. */
export interface FailedNote {
  readonly kind: 'failed';
  readonly reason: SaveFailure;
  readonly message: string;
}

/**
 * The notes of a run, as its tools see them: one after the other, each seeing what those before it
 * wrote.
 */
export interface Notes {
  /** `YYYY-MM-DD`, in UTC. */
  today(): string;
  change(target: NoteTarget, wish: NoteRequest): Promise<NoteAnswer>;
  /**
   * The whole text, '' if there is none. Throws a ToolError if memory cannot be read, as the others
   * do.
   */
  read(target: NoteTarget): Promise<string>;
  /** The agent's run log as a model is shown it. */
  readRunLog(): Promise<string>;
  /** Paths of long-term memory, daily logs and notes, in byte order. */
  list(): Promise<readonly string[]>;
  /** What is found, rendered in at most `maxBytes` bytes of UTF-8 and the mark of a cut. */
  search(
    query: string,
    view: { readonly maxBytes: number; readonly limit: number | undefined },
  ): Promise<string>;
}

interface NotesSessionOptions {
  readonly places: NotesPlaces;
  /** Place of the agent's own run log, which is searched and read with the notes. */
  readonly runLog: string;
  /** What is before paths that are shown: the absolute folder, or empty. */
  readonly root: string;
  readonly caps: NotesCaps;
  /**
   * Reads what is wanted of the store, all of it for undefined: `MemoryStore.readTree` with its
   * signal.
   */
  load(under: readonly string[] | undefined): Promise<TreeResult>;
  redact(text: string): string;
  /** What notes rest on, once they were held against the code. */
  checked(): CheckedNotes;
  now(): Date;
  newId(): string;
  warn(warning: Warning): void;
  /** Hears of each change that was made. */
  noteWrite?(action: NoteRequest['kind'], path: string, bytes: number): void;
  /**
   * Saves changes at once, and every call reads the store anew: on the command line. Without it the
   * store is read once, at the first call, and changes are kept for the save of the run.
   */
  writeThrough?(changes: readonly NoteChange[]): Promise<SaveResult>;
}

/** What a write to notes may measure, in bytes. */
export interface NotesCaps {
  readonly maxWriteBytes: number;
  /** Files above this are warned of; they are written anyway. */
  readonly warnFileBytes: number;
  /** Whether long-term memory gets no line twice. */
  readonly dedup: boolean;
}

/** So many of a run's changes are kept (memory-tools 2.2). */
const MAX_RECENT = 100;

export interface NotesSession extends Notes {
  /**
   * Keeps the summary of a conversation that is shortened in the daily log; `messages` is how many
   * it sums up.
   */
  addSummary(summary: string, messages: number | undefined): Promise<NoteAnswer>;
  /** Everything a run may ask for, with its changes. */
  tree(): Promise<TreeResult>;
  /**
   * The changes that still have to be saved, in order; those of a tainted run are in the untrusted
   * lane (D19).
   */
  changes(lane: Lane): readonly NoteChange[];
  /**
   * The newest changes, saved or not, oldest first: the path as the model was shown it, and what
   * was written.
   */
  recent(): readonly { readonly path: string; readonly content: string }[];
}

/**
 * Opens the notes of a run. Nothing is read before the first call; calls are carried out one after
 * the other.
 */
export function createNotesSession(options: NotesSessionOptions): NotesSession {
  const { places, runLog, root, caps, redact, now, writeThrough } = options;
  const inTurn = createQueue();
  /** Files that were warned of, since one warning is enough. */
  const large = new Set<string>();
  /** Places that the store was asked for. */
  const asked = new Set<string>();
  /** What it answered, with the changes of the run. */
  let current: Extract<TreeResult, { readonly kind: 'tree' }> | undefined;
  let changes: readonly NoteChange[] = [];
  let recent: ReturnType<NotesSession['recent']> = [];

  async function ask(under: readonly string[] | undefined): Promise<TreeResult> {
    const loaded = await options.load(under);
    if (loaded.kind === 'tree') for (const warning of loaded.warnings) options.warn(warning);
    return loaded;
  }

  /** Once what a run may ask for, and later only what is asked for besides it. */
  async function load(paths?: readonly string[]): Promise<TreeResult> {
    const everything = placesToRead(places, runLog, now());
    if (writeThrough !== undefined) return await ask(paths ?? everything);
    if (current === undefined) {
      const first = await ask(everything);
      if (first.kind === 'failed') return first;
      current = first;
      for (const path of everything ?? []) asked.add(path);
    }
    const known = current;
    // A store that left something out of a folder may have it anyway, under its name.
    const isKnown = (path: string) =>
      known.tree.has(path) ||
      asked.has(path) ||
      (known.warnings.length === 0 && asked.has(path.slice(0, path.lastIndexOf('/') + 1)));
    const missing = everything === undefined ? [] : (paths ?? []).filter((path) => !isKnown(path));
    if (missing.length === 0) return known;
    const more = await ask(missing);
    if (more.kind === 'failed') return more;
    for (const path of missing) asked.add(path);
    const blocked = [...(known.blocked ?? []), ...(more.blocked ?? [])];
    current = { ...known, tree: new Map([...more.tree, ...known.tree]), blocked };
    return current;
  }

  async function change(target: NoteTarget, wish: NoteRequest): Promise<NoteAnswer> {
    const timestamp = now();
    const path = notePath(target, places);
    // A file's name is stored too, and cannot be masked.
    if (target.kind === 'note' && redact(target.name) !== target.name)
      return failed('the name of the note holds a secret. Choose another name.');
    const loaded = await load([path]);
    if (loaded.kind === 'failed') return notRead(loaded);
    const blocked = blockedAt(loaded, path);
    if (blocked !== undefined) return notSaved(blocked);
    // Cut after it is redacted, since half a secret would not be known for one (D10).
    const clean = redact(readableText(wish.content));
    const { text: content } = cutToBytes(clean, caps.maxWriteBytes);
    const text = loaded.tree.get(path) ?? '';
    // Its copy would be gone with the next overwrite.
    const damage = wish.kind === 'overwrite' ? damageOf(text) : undefined;
    if (damage !== undefined)
      return failed(`the note ${damage}; a person has to correct it. Append instead.`);
    const dedup = caps.dedup && target.kind === 'long_term';
    const edit = editOf(wish, content, timestamp, dedup, redact(options.checked().withheld(text)));
    const result = editNote(text, edit);
    if (result.kind === 'duplicate') return { ...result, path: shown(path) };
    // Pieces that are no secrets may be one together (D11); one that was there before is masked
    // first.
    const masked = editedText(redact(text), edit);
    if (redact(masked) !== masked)
      return failed('with the text already there it would form a secret. Leave it out.');
    // What is written anew may be what another run has written since this one began (D12).
    const backup = wish.kind === 'overwrite';
    const makes = versionId(result.text);
    const next: NoteChange = { kind: 'note', path, edit, backup, makes, id: options.newId() };
    const saved = await writeThrough?.([next]);
    if (saved?.kind === 'failed') return notSaved(saved);
    if (saved === undefined) {
      if (current !== undefined) current = { ...current, tree: applyChanges(current.tree, [next]) };
      changes = [...changes, next];
    }
    recent = [...recent, { path: shown(path), content }].slice(-MAX_RECENT);
    options.noteWrite?.(wish.kind, shown(path), utf8Bytes(content));
    const fileBytes = encodeBytes(result.text).length;
    if (fileBytes > caps.warnFileBytes && !large.has(path)) {
      large.add(path);
      const message = fileTooLarge(shown(path), fileBytes, caps.warnFileBytes);
      options.warn({ code: 'memory-file-large', message, remedy: 'Consider memory maintenance.' });
    }
    return {
      kind: 'written',
      path: shown(path),
      timestamp,
      bytes: result.addedBytes,
      givenBytes: utf8Bytes(clean),
      maxBytes: caps.maxWriteBytes,
      skippedLines: result.skippedLines,
      fileBytes,
      warnBytes: caps.warnFileBytes,
    };
  }

  /**
   * What a model is given. Of files that are asked for by name, one that cannot be read is an
   * error; a search goes on without it.
   */
  async function readTree(requested?: readonly string[]): Promise<MemoryTree> {
    const loaded = await load(requested);
    const trouble = loaded.kind === 'failed' ? loaded : firstUnread(loaded, requested ?? []);
    if (loaded.kind === 'failed' || trouble !== undefined)
      throw new ToolError(notRead({ message: '', ...trouble }).message);
    return options.checked().view(loaded.tree, runLog);
  }

  async function read(target: NoteTarget): Promise<string> {
    const path = notePath(target, places);
    const text = (await readTree([path])).get(path) ?? '';
    if (text !== '' || target.kind !== 'daily') return readableText(text);
    const flat = flatDailyPath(target.date, places);
    return readableText((await readTree([flat])).get(flat) ?? '');
  }

  function shown(path: string): string {
    return root === '' ? path : `${root}/${path}`;
  }

  return {
    today: () => dateOf(now()),
    change: (target, wish) => inTurn(() => change(target, wish)),
    read: (target) => inTurn(() => read(target)),
    readRunLog: () => inTurn(async () => promptText((await readTree([runLog])).get(runLog) ?? '')),
    list: () => inTurn(async () => listNotes(await readTree(), places).map(shown)),
    search: (query, view) =>
      inTurn(async () =>
        renderSearch(searchNotes(await readTree(), query, { ...places, runLog }), {
          root,
          ...view,
        }),
      ),
    addSummary: (content, messages) =>
      inTurn(() => {
        const of = messages === undefined ? '' : ` (${messages} msgs)`;
        // A part of a daily log: a blank line, its time in UTC, and the text without space around
        // it.
        const form = (text: string, at: Date) => ({
          text: `\n### ${at.toISOString().slice(11, 16)} — compaction summary${of}\n${text.trim()}\n`,
        });
        return change({ kind: 'daily', date: dateOf(now()) }, { kind: 'append', content, form });
      }),
    tree: () => inTurn(() => load()),
    changes(lane) {
      if (lane === 'none') return [];
      if (lane === 'trusted') return changes;
      return changes.map((one) => ({ ...one, path: untrustedPath(one.path) }));
    },
    recent: () => recent,
  };
}

/**
 * Paths of long-term memory, daily logs and notes of a run, in byte order; empty files,
 * scratchpads, run logs and former versions are left out, as memory-tools 1.4 has it.
 */
export function listNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  const paths = [...tree].flatMap(([path, text]) => {
    const kind = text === '' ? undefined : noteTargetAt(path, places)?.kind;
    return kind === undefined || kind === 'scratchpad' ? [] : [path];
  });
  return paths.sort(compareBytes);
}

/**
 * A model could not take over what it was not given, so that stays in a text that is written anew.
 */
function editOf(
  wish: NoteRequest,
  content: string,
  now: Date,
  dedup: boolean,
  withheld: string,
): NoteEdit {
  if (wish.kind === 'overwrite')
    return { kind: 'overwrite', text: joinOnLines([content, withheld]) };
  if (wish.form === undefined) return { kind: 'append', text: content, dedup };
  return { kind: 'append', ...wish.form(content, now), dedup: false };
}

/** In the words of memory-tools 2.2. */
export function fileTooLarge(path: string, bytes: number, limitBytes: number): string {
  return `Memory file '${path}' exceeds size limit: ${bytes} bytes (limit: ${limitBytes} bytes)`;
}

function failed(message: string): FailedNote {
  return { kind: 'failed', reason: 'error', message };
}

/** Memory could not be read: nothing is written then either (D14). */
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
