import type { MemoryConfig } from '../../agent/config.js';
import type { Clock } from '../../lib/clock.js';
import { AxeError, type Warning } from '../../lib/errors.js';
import type { MemoryChange, MemoryTree } from '../../memory/change.js';
import type { CheckedNotes, ReadBase } from '../../memory/citations.js';
import { apartPath } from '../../memory/paths.js';
import type { Provenance } from '../../memory/run-log.js';
import { statePath } from '../../memory/state.js';
import { firstUnread, type MemoryStore, type TreeResult } from '../../memory/store.js';
import { logPath, type MemoryEntry, type MemoryNote, readEntries, readNotes } from './entry.js';

export type MemoryCommand =
  /** `id` empty: the newest `last` entries, 0 for all. */
  | {
      readonly kind: 'show';
      readonly id: string;
      readonly isApart: boolean;
      readonly last: number;
      /** The entries that a run about this file would load; empty for all. */
      readonly forPath: string;
    }
  | {
      readonly kind: 'search';
      readonly words: readonly string[];
      readonly isApart: boolean;
      readonly last: number;
    }
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'forget'; readonly id: string; readonly purge: boolean }
  | { readonly kind: 'promote'; readonly id: string };

/** The flags of a command line; a comment has none. */
interface CommandFlags {
  /** Shows or searches the entries that are kept apart, instead of the log. */
  readonly isApart: boolean;
  readonly last: number;
  readonly purge: boolean;
  readonly forPath: string;
}

const NO_FLAGS: CommandFlags = { isApart: false, last: 0, purge: false, forPath: '' };

/** The argument of each command; `[…]` is optional. */
const ARGUMENTS: Readonly<Record<MemoryCommand['kind'], string>> = {
  show: '[id]',
  search: '<words>',
  remember: '<text>',
  forget: '<id>',
  promote: '<id>',
};

/**
 * Parses the words of a command; `prefix` is the text before its name. Throws an AxeError with the
 * correct form.
 */
export function parseMemoryCommand(
  [name = '', ...words]: readonly string[],
  { prefix, flags = NO_FLAGS }: { readonly prefix: string; readonly flags?: CommandFlags },
): MemoryCommand {
  const kind = Object.keys(ARGUMENTS).find(
    (known): known is MemoryCommand['kind'] => known === name,
  );
  if (kind === undefined) throw new AxeError(`unknown memory command "${name}"`);
  const argument = ARGUMENTS[kind];
  const agent = prefix.startsWith('/') ? '' : '<agent> ';
  const usage = { remedy: `Usage: \`${prefix} ${name} ${agent}${argument}\`.` };
  const text = words.join(' ').trim();
  if (argument.startsWith('<') && text === '')
    throw new AxeError(`\`${name}\` needs \`${argument}\``, usage);
  if (/\bid\b/.test(argument) && words.length > 1)
    throw new AxeError(`\`${name}\` takes one argument, not ${words.length}`, usage);

  const [id = ''] = words;
  const { isApart, last, purge, forPath } = flags;
  switch (kind) {
    case 'show':
      return { kind, id, isApart, last, forPath };
    case 'search':
      return { kind, words: text.split(/\s+/), isApart, last };
    case 'remember':
      return { kind, text };
    case 'forget':
      return { kind, id, purge };
    case 'promote':
      return { kind, id };
  }
}

export interface CommandSession {
  readonly store: MemoryStore;
  /** The agent's run log in the tree; what is kept apart from it has one next to it. */
  readonly path: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Values that must never get into memory. */
  readonly secrets: readonly string[];
  /** The origin of new entries; undefined writes them as axe does, without provenance. */
  readonly origin: Omit<Provenance, 'id'> | undefined;
  /** Keys of the agent that say which entries a run loads; left out if its file is not known. */
  readonly loads?: Pick<MemoryConfig, 'lastN' | 'hasLastN' | 'maxLogBytes'>;
  /** The code that notes can cite; left out for an agent without notes. */
  readonly readBase?: ReadBase;
  /** The notes that a run about a file is given; left out for an agent without notes. */
  notesFor?(tree: MemoryTree, path: string): Promise<GivenNotes | undefined>;
}

/** Notes as a run is given them. */
export interface GivenNotes extends Pick<CheckedNotes, 'counts' | 'gone'> {
  /** Number of notes, the scratchpad not counted. */
  readonly files: number;
  /** Their part of the prompt; empty if nothing of them is in it. */
  readonly block: string;
  readonly warnings: readonly Warning[];
}

export interface MemoryDone {
  readonly kind: 'done';
  /** A summary for people, in markdown, with ids but without text from the memory. */
  readonly text: string;
  /** Text from the memory, which only the command line shows. */
  readonly quoted?: string;
  /**
   * The entries that were shown or found, newest first; listed below the text if nothing is quoted.
   */
  readonly entries?: readonly MemoryEntry[];
  /** Text below the entries. */
  readonly below?: string;
  /** The command changed the memory. */
  readonly changed: boolean;
  readonly warnings?: readonly Warning[];
}

export interface MemoryRefusal {
  readonly kind: 'failed';
  readonly reason: 'not-found' | 'ambiguous' | 'unreadable' | 'not-saved' | 'refused';
  /** Contains no text from the memory. */
  readonly message: string;
  readonly remedy?: string;
  /** The command changed the memory although it failed. */
  readonly changed: boolean;
}

export type MemoryCommandResult = MemoryDone | MemoryRefusal;

interface MemoryLog {
  readonly isApart: boolean;
  readonly path: string;
  readonly text: string;
  readonly entries: readonly MemoryEntry[];
}

export interface MemoryView {
  readonly kind: 'view';
  readonly location: string;
  readonly tree: MemoryTree;
  readonly warnings: readonly Warning[];
  readonly log: MemoryLog;
  readonly apart: MemoryLog;
  /** All notes, also those that are kept apart. */
  readonly notes: readonly MemoryNote[];
}

export async function viewMemory({
  store,
  path,
  signal,
}: Pick<CommandSession, 'store' | 'path' | 'signal'>): Promise<MemoryView | MemoryRefusal> {
  const logs = [path, apartPath(path)];
  const places = logs.flatMap((log) => [log, statePath(log)]);
  const result = await readWith(store, places, signal);
  const failure = result.kind === 'failed' ? result : firstUnread(result, places);
  if (result.kind === 'failed' || failure !== undefined) {
    const message = `the memory could not be read: ${failure?.message}`;
    return refusal('unreadable', message, failure?.remedy);
  }

  const { tree, warnings, location } = result;
  return {
    kind: 'view',
    location,
    tree,
    warnings,
    log: logOf(tree, path, false),
    apart: logOf(tree, path, true),
    notes: readNotes(tree, logs),
  };
}

/** Reads all files within the limits of a whole tree, and these files whatever their size. */
async function readWith(
  store: MemoryStore,
  places: readonly string[],
  signal: AbortSignal,
): Promise<TreeResult> {
  const all = await store.readTree(signal);
  if (all.kind === 'failed') return all;
  const missing = places.filter((path) => all.left?.includes(path));
  if (missing.length === 0) return all;

  const named = await store.readTree(signal, missing);
  return named.kind === 'failed' ? named : { ...all, tree: new Map([...all.tree, ...named.tree]) };
}

/** The entries of the log, then those that are kept apart. */
export function allEntries({ log, apart }: MemoryView): readonly MemoryEntry[] {
  return [...log.entries, ...apart.entries];
}

/** Writes changes; notices are sentences for people. */
export async function saveChanges(
  changes: readonly MemoryChange[],
  { store, signal }: { readonly store: MemoryStore; readonly signal: AbortSignal },
): Promise<{ readonly kind: 'saved'; readonly notices: readonly string[] } | MemoryRefusal> {
  if (store.kind === 'none') return keepsNothing();
  const saved = await store.write(changes, signal);
  if (saved.kind === 'failed') return notSaved(saved, false);
  const [unsaved] = saved.unsaved ?? [];
  return unsaved === undefined
    ? { kind: 'saved', notices: saved.notices ?? [] }
    : notSaved(unsaved, true);
}

function notSaved(
  { message, remedy }: { readonly message: string; readonly remedy?: string },
  changed: boolean,
): MemoryRefusal {
  return {
    ...refusal('not-saved', `the memory could not be changed: ${message}`, remedy),
    changed,
  };
}

export function refusal(
  reason: MemoryRefusal['reason'],
  message: string,
  remedy?: string,
): MemoryRefusal {
  return { kind: 'failed', reason, message, changed: false, remedy };
}

export function keepsNothing(): MemoryRefusal {
  return refusal('refused', '`memory-store: none` keeps nothing', 'Leave `memory-store` out.');
}

/** Refuses an id that no entry has, or a path that no note has if the command also takes paths. */
export function noSuchEntry(id: string, location: string, isApart = false): MemoryRefusal {
  if (!isApart && /\/|\.md$/.test(id))
    return refusal(
      'not-found',
      `no note \`${id}\` in ${location}`,
      'Give the path of a note as `show` lists it after the entries.',
    );
  const remedy =
    'Give the id as `axe-action memory show` prints it, or its first six characters or more.';
  const entry = isApart ? 'entry kept apart' : 'entry';
  return refusal('not-found', `no ${entry} with id \`${id}\` in ${location}`, remedy);
}

/** Shorter beginnings of an id are not accepted. */
const MIN_PREFIX = 6;

/** Finds entries by an id or its beginning: two if it is in the log and kept apart as well. */
export function entriesWith(
  id: string,
  entries: readonly MemoryEntry[],
): readonly MemoryEntry[] | MemoryRefusal {
  const exact = entries.filter((entry) => entry.id === id);
  if (exact.length > 0) return exact;
  const alike = id.length < MIN_PREFIX ? [] : entries.filter((entry) => entry.id.startsWith(id));
  const ids = [...new Set(alike.map((entry) => `\`${entry.id}\``))];
  if (ids.length < 2) return alike;
  const message = `\`${id}\` is the beginning of ${ids.length} ids: ${ids.join(', ')}`;
  return refusal('ambiguous', message, 'Give more characters of the one you mean.');
}

function logOf(tree: MemoryTree, agentPath: string, isApart: boolean): MemoryLog {
  const path = logPath(agentPath, isApart);
  const text = tree.get(path) ?? '';
  return { isApart, path, text, entries: readEntries(text, isApart) };
}
