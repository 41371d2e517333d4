import type { Clock } from '../../lib/clock.js';
import { AxeError, type Warning } from '../../lib/errors.js';
import type { MemoryChange, MemoryTree } from '../../memory/change.js';
import type { ReadBase } from '../../memory/citations.js';
import type { Provenance } from '../../memory/run-log.js';
import { statePath } from '../../memory/state.js';
import { firstUnread, type MemoryStore, type TreeResult } from '../../memory/store.js';
import {
  type LogLane,
  lanePath,
  type MemoryEntry,
  type MemoryNote,
  readEntries,
  readNotes,
} from './entry.js';

export type MemoryCommand =
  /** `id` empty: the newest `last` entries, 0 for all. */
  | { readonly kind: 'show'; readonly id: string; readonly lane: LogLane; readonly last: number }
  | {
      readonly kind: 'search';
      readonly words: readonly string[];
      readonly lane: LogLane;
      readonly last: number;
    }
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'forget'; readonly id: string; readonly purge: boolean }
  | { readonly kind: 'promote'; readonly id: string };

/** What the flags of a command line say; a comment has none. */
interface CommandFlags {
  readonly lane: LogLane;
  readonly last: number;
  readonly purge: boolean;
}

const NO_FLAGS: CommandFlags = { lane: 'trusted', last: 0, purge: false };

/** What each takes; `[…]` may be left out. */
const ARGUMENTS: Readonly<Record<MemoryCommand['kind'], string>> = {
  show: '[id]',
  search: '<words>',
  remember: '<text>',
  forget: '<id>',
  promote: '<id>',
};

/**
 * The command that words stand for; `prefix` is what stands before its name. Throws an AxeError
 * that says how it is written.
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
  const { lane, last, purge } = flags;
  switch (kind) {
    case 'show':
      return { kind, id, lane, last };
    case 'search':
      return { kind, words: text.split(/\s+/), lane, last };
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
  /** The agent's run log in the tree; the untrusted lane's is next to it. */
  readonly path: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Values that must never get into memory (D11). */
  readonly secrets: readonly string[];
  /** Where new entries come from; undefined writes them as axe does, without provenance. */
  readonly origin: Omit<Provenance, 'id'> | undefined;
  /** The code that a note may rest on; left out for an agent that keeps no notes. */
  readonly readBase?: ReadBase;
}

export interface MemoryDone {
  readonly kind: 'done';
  /** For people, in markdown: what was done, with ids and without a word that memory says. */
  readonly text: string;
  /** What memory says of it: shown on the command line alone. */
  readonly quoted?: string;
  /** What was shown or found, the newest first; listed below the text where nothing is quoted. */
  readonly entries?: readonly MemoryEntry[];
  /** What stands below that; left out for nothing. */
  readonly below?: string;
  /** Whether the memory is another now. */
  readonly changed: boolean;
  readonly warnings?: readonly Warning[];
}

export interface MemoryRefusal {
  readonly kind: 'failed';
  readonly reason: 'not-found' | 'ambiguous' | 'unreadable' | 'not-saved' | 'refused';
  /** Without a word that memory says. */
  readonly message: string;
  readonly remedy?: string;
  /** Whether the memory is another now anyway. */
  readonly changed: boolean;
}

export type MemoryCommandResult = MemoryDone | MemoryRefusal;

interface MemoryLog {
  readonly lane: LogLane;
  readonly path: string;
  readonly text: string;
  readonly entries: readonly MemoryEntry[];
}

export interface MemoryView {
  readonly kind: 'view';
  readonly location: string;
  readonly tree: MemoryTree;
  readonly warnings: readonly Warning[];
  readonly trusted: MemoryLog;
  readonly untrusted: MemoryLog;
  /** Notes of both lanes. */
  readonly notes: readonly MemoryNote[];
}

export async function viewMemory({
  store,
  path,
  signal,
}: Pick<CommandSession, 'store' | 'path' | 'signal'>): Promise<MemoryView | MemoryRefusal> {
  const logs = [path, lanePath(path, 'untrusted')];
  const places = logs.flatMap((log) => [log, statePath(log)]);
  const found = await readWith(store, places, signal);
  const trouble = found.kind === 'failed' ? found : firstUnread(found, places);
  if (found.kind === 'failed' || trouble !== undefined)
    return refusal(
      'unreadable',
      `the memory could not be read: ${trouble?.message}`,
      trouble?.remedy,
    );
  const { tree, warnings, location } = found;
  return {
    kind: 'view',
    location,
    tree,
    warnings,
    trusted: logOf(tree, path, 'trusted'),
    untrusted: logOf(tree, path, 'untrusted'),
    notes: readNotes(tree, logs),
  };
}

/** Everything within the limits of a look at all files, and these files whatever their size. */
async function readWith(
  store: MemoryStore,
  places: readonly string[],
  signal: AbortSignal,
): Promise<TreeResult> {
  const found = await store.readTree(signal);
  const left = found.kind === 'tree' ? places.filter((path) => found.left?.includes(path)) : [];
  if (found.kind === 'failed' || left.length === 0) return found;
  const named = await store.readTree(signal, left);
  return named.kind === 'failed'
    ? named
    : { ...found, tree: new Map([...found.tree, ...named.tree]) };
}

/** The entries of both lanes, those first that trusted runs load. */
export function allEntries({ trusted, untrusted }: MemoryView): readonly MemoryEntry[] {
  return [...trusted.entries, ...untrusted.entries];
}

/** Writes changes; of what was saved, what people should know. */
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

/** What is told where the workflow has no memory. */
export function keepsNothing(): MemoryRefusal {
  return refusal('refused', '`memory-store: none` keeps nothing', 'Leave `memory-store` out.');
}

/** What is told of an id that is nobody's, or of a path that no note has, where both are taken. */
export function noSuchEntry(
  id: string,
  location: string,
  entry: 'entry' | 'untrusted entry' = 'entry',
): MemoryRefusal {
  if (entry === 'entry' && /\/|\.md$/.test(id))
    return refusal(
      'not-found',
      `no note \`${id}\` in ${location}`,
      'Give the path of a note as `show` lists it after the entries.',
    );
  const remedy =
    'Give the id as `axe-action memory show` prints it, or its first six characters or more.';
  return refusal('not-found', `no ${entry} with id \`${id}\` in ${location}`, remedy);
}

/** Fewest characters that may stand for an id they begin. */
const MIN_PREFIX = 6;

/**
 * The entries of an id, or of the beginning of one; several where both lanes have it, none where it
 * is nobody's.
 */
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

function logOf(tree: MemoryTree, trustedPath: string, lane: LogLane): MemoryLog {
  const path = lanePath(trustedPath, lane);
  const text = tree.get(path) ?? '';
  return { lane, path, text, entries: readEntries(text, lane) };
}

/**
 * What a person is told of a command where nothing of memory may be shown, in markdown that is not
 * yet cleaned.
 */
export function formatCommandResult(result: MemoryCommandResult): string {
  return result.kind === 'done' ? result.text : formatRefusal(result);
}

/** Why a command was not done, or not all of it, and what can be done about it. */
export function formatRefusal({ message, remedy, changed }: MemoryRefusal): string {
  const sentence = `${changed ? 'It was done, but ' : 'Nothing was done: '}${message}.`;
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}
