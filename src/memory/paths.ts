import { DAY_MS, dateOf, isDate } from '../lib/clock.js';
import { compareBytes, utf8Bytes } from '../lib/text/bytes.js';
import { isStatePath } from './state.js';

/** The agent's name in memory: without `builtin/`, without folders and `.toml`. */
export function memoryName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.toml$/, '');
}

/** A run log's place in the memory tree if `memory.path` does not name another. */
export function defaultLogPath(name: string): string {
  return `${memoryName(name)}.md`;
}

/**
 * Why a run log cannot be at this path in the memory tree of a workflow: half a sentence, or
 * undefined if it can. The path has to be relative, lead to a markdown file and avoid the notes and
 * what is kept apart, which have their own readers and writers.
 */
export function unusableLogPath(path: string): string | undefined {
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.split('/').includes('..'))
    return 'it is outside of the memory store';
  if (!path.endsWith('.md')) return 'it does not end in `.md`';
  if (isNotesPath(path)) return 'notes are kept there';
  if (/^(?:apart|offline)\/|\.state\.md$/i.test(path)) return 'the name is reserved';
  const isPlain = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/.test(path);
  return isPlain
    ? undefined
    : 'names in it must start with a letter, a digit or `_` and contain only those, `.` and `-`';
}

/** Words that strangers may have had a part in are kept apart here; no run loads this file. */
export function apartPath(path: string): string {
  return `apart/${path}`;
}

/** A `/`-separated path that stays inside the memory tree on any operating system. */
export function isTreePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part));
}

/** A place to read: a file, or a folder with a `/` at its end. */
export function isTreePlace(place: string): boolean {
  return isTreePath(place.replace(/\/$/, ''));
}

/**
 * True for one of the places, and for `.md` files directly in a place that is a folder, except
 * states.
 */
export function isAmongPlaces(path: string, places: readonly string[]): boolean {
  if (places.includes(path)) return true;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return folder !== '' && path.endsWith('.md') && !isStatePath(path) && places.includes(folder);
}

export function outsideTreeProblem(path: string): {
  readonly message: string;
  readonly remedy: string;
} {
  return {
    message: `\`${path}\` is not a path inside the memory`,
    remedy: 'Set `memory.path` to a relative path without `..`.',
  };
}

/**
 * The order in which every store reads files if a limit leaves some out. Run logs, states, facts
 * and open tasks come first, then days from the newest on, then notes. What is kept apart follows
 * in the same order, so that strangers' texts displace nothing, and backups are last.
 */
export function compareByPriority(a: string, b: string): number {
  const rankDifference = rankOf(a) - rankOf(b);
  if (rankDifference !== 0) return rankDifference;
  return noteKind(a) === 'daily'
    ? compareBytes(nameOf(b), nameOf(a)) || compareBytes(a, b)
    : compareBytes(a, b);
}

const RANK_OF_KIND = { long_term: 0, scratchpad: 0, daily: 1, note: 2 } as const;
const APART = 3;
const BACKUP = 6;

function rankOf(path: string): number {
  const isApart = /(?:^|\/)apart\//.test(path);
  if (path.endsWith('.bak')) return isApart ? BACKUP + 1 : BACKUP;
  const kind = noteKind(path);
  const rank = kind === undefined ? 0 : RANK_OF_KIND[kind];
  return isApart ? APART + rank : rank;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A note contains lasting facts, open tasks, a day's log or a text of its own. */
export type NoteTarget =
  | { readonly kind: 'long_term' }
  | { readonly kind: 'scratchpad' }
  /** `date` is `YYYY-MM-DD`, in UTC. */
  | { readonly kind: 'daily'; readonly date: string }
  /** `name` comes from `parseNoteName`. */
  | { readonly kind: 'note'; readonly name: string };

export interface NotesPlaces {
  /** Folder in the memory tree that contains all notes: empty, or `offline/`. */
  readonly folder: string;
  /** Folder below `projects/`; empty if all projects share their notes (`[memory] scope`). */
  readonly slug: string;
}

/** The places for a scope; `identity` identifies the project (see `projectSlug`). */
export function notesPlaces(
  scope: 'project' | 'shared',
  identity: string,
  folder = '',
): NotesPlaces {
  return { folder, slug: scope === 'shared' ? '' : projectSlug(identity) };
}

/** The file of a target in the memory tree, `/`-separated. */
export function notePath(target: NoteTarget, places: NotesPlaces): string {
  const { folder, slug } = places;
  const projectFolder = slug === '' ? folder : `${folder}projects/${slug}/`;
  switch (target.kind) {
    case 'long_term':
      return `${folder}MEMORY.md`;
    case 'scratchpad':
      return `${projectFolder}SCRATCHPAD.md`;
    case 'daily':
      return slug === ''
        ? flatDailyPath(target.date, places)
        : `${projectFolder}daily/${target.date}.md`;
    case 'note':
      return `${projectFolder}notes/${target.name}.md`;
  }
}

/**
 * The place of a day that older agents use. It is always read if the day has no other file, and
 * written only if all projects share their notes.
 */
export function flatDailyPath(date: string, { folder }: NotesPlaces): string {
  return `${folder}${date}.md`;
}

/** The note at a path of the tree; a day is also recognized at its flat place. */
export function noteTargetAt(path: string, places: NotesPlaces): NoteTarget | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  if (isDate(name) && path === flatDailyPath(name, places)) return { kind: 'daily', date: name };
  const targets: readonly NoteTarget[] = [
    { kind: 'long_term' },
    { kind: 'scratchpad' },
    ...(isDate(name) ? [{ kind: 'daily' as const, date: name }] : []),
    { kind: 'note', name },
  ];
  return targets.find((target) => notePath(target, places) === path);
}

/**
 * Every place that a run can request, as `MemoryStore.readTree` takes it. If all projects share
 * their notes, days are in the same folder as the run logs and no folder can be requested:
 * undefined then means all files. If a folder contains too much, a store leaves out the files that
 * come last by {@link compareByPriority}.
 */
export function placesToRead(
  places: NotesPlaces,
  runLog: string,
  now: Date,
): readonly string[] | undefined {
  if (places.slug === '') return undefined;
  const days = [now, new Date(now.getTime() - DAY_MS)].map((day) =>
    flatDailyPath(dateOf(day), places),
  );
  const files = (['long_term', 'scratchpad'] as const).map((kind) => notePath({ kind }, places));
  const folder = `${places.folder}projects/${places.slug}/`;
  return [...days, ...files, `${folder}daily/`, `${folder}notes/`, runLog];
}

/** The one note that the built-in reviewer reads and adds to. */
export function factsPath(places: NotesPlaces): string {
  return notePath({ kind: 'long_term' }, places);
}

/** A note has one former version next to it: `MEMORY.md` → `MEMORY.bak`. */
export function backupPath(path: string): string {
  return path.replace(/(?:\.md)?$/, '.bak');
}

/**
 * The kind of note at a path, in any folder, kept apart or not; undefined for a run log, a state or
 * a backup.
 */
export function noteKind(path: string): NoteTarget['kind'] | undefined {
  const { longTerm, scratchpad, note, day = '' } = NOTE_PATH.exec(path)?.groups ?? {};
  if (longTerm !== undefined) return 'long_term';
  if (scratchpad !== undefined) return 'scratchpad';
  if (note !== undefined) return 'note';
  return isDate(day) ? 'daily' : undefined;
}

/** True for a note of any scope, kept apart or not. */
export function isNotesPath(path: string): boolean {
  return noteKind(path) !== undefined;
}

/** People's own folders and `apart/` come first; none of them has the name of a notes folder. */
const NOTE_PATH =
  /^(?:(?!(?:projects|notes|daily)\/)[^/]+\/)*(?:(?<longTerm>MEMORY)|(?:projects\/[^/]+\/)?(?:(?<scratchpad>SCRATCHPAD)|notes\/(?<note>[^/]+))|(?:projects\/[^/]+\/daily\/)?(?<day>\d{4}-\d\d-\d\d))\.md$/;

/** FNV-1a of 64 bits; its low half depends only on the low halves of basis and prime. */
const LOW_BASIS = 0x84222325;
const LOW_PRIME = 0x1b3;
const MAX_BASE_CHARACTERS = 40;

/**
 * Name of the folder with a project's notes: the last part of its identity, and eight hex digits of
 * the whole. `octo-org/hello.world` → `hello-world-3ccd7a60`. The identity is `owner/name` in a
 * workflow, else an absolute path. The path is not normalized: a slash at its end makes it another
 * project.
 */
export function projectSlug(identity: string): string {
  return `${baseOf(identity)}-${hashOf(identity)}`;
}

/** One hyphen for each character that is not an ASCII letter, digit, underscore or hyphen. */
function baseOf(identity: string): string {
  const last = identity.split('/').findLast((part) => part !== '' && part !== '.') ?? '';
  if (last === '' || last === '..') return 'root';
  const readable = Array.from(last, (character) =>
    /^[A-Za-z0-9_-]$/.test(character) ? character : '-',
  );
  return readable.slice(0, MAX_BASE_CHARACTERS).join('');
}

function hashOf(identity: string): string {
  let hash = LOW_BASIS;
  for (const byte of new TextEncoder().encode(identity)) hash = Math.imul(hash ^ byte, LOW_PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

const MAX_NAME_BYTES = 100;
/** Windows does not allow these in file names, and a memory can be read on any system. */
const NO_FILE_NAME = /[<>:"|?*]/;
/**
 * Control characters, line breaks, lone surrogates and invisible characters: with them two
 * different names could look the same.
 */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** At least one character of a name has to be visible. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

type NoteName =
  | { readonly kind: 'name'; readonly name: string }
  /** The message that the memory tools return to the model. */
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * Normalizes a note's name to that of its file, without `.md`: composed (NFC), trimmed, at most 100
 * bytes, and without slashes and dots, so that it can never lead out of its folder.
 */
export function parseNoteName(text: string | undefined): NoteName {
  const name = withoutSpace(text ?? '')
    .replace(/(?:\.md)+$/, '')
    .normalize('NFC');
  if (withoutSpace(name) === '' || /[/\\.]/.test(name)) return invalid('no slashes or dots');
  if (UNREADABLE.test(name) || !VISIBLE.test(name))
    return invalid('no control or invisible characters');
  if (NO_FILE_NAME.test(name)) return invalid('none of < > : " | ? *');
  if (utf8Bytes(name) > MAX_NAME_BYTES) return invalid(`more than ${MAX_NAME_BYTES} bytes`);
  return { kind: 'name', name };
}

function invalid(reason: string): NoteName {
  return { kind: 'invalid', message: `invalid note name (${reason})` };
}

function withoutSpace(text: string): string {
  return text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
}

/** The tools over notes that an agent has if `memory.tools` is not set. */
const NOTES_TOOLS = ['memory_write', 'memory_read', 'memory_search'] as const;

/** Two writing tools confuse models, so `write_memory` has to be listed in `memory.tools`. */
export const ALL_NOTES_TOOLS = [...NOTES_TOOLS, 'write_memory'] as const;

export type NotesTool = (typeof ALL_NOTES_TOOLS)[number];

/** The tools over notes for a list in `memory.tools`. */
export function notesToolsOf(listed: readonly NotesTool[]): readonly NotesTool[] {
  return listed.length === 0 ? NOTES_TOOLS : listed;
}

/** Sub-agents, and runs whose words are kept apart, have only these. */
export const READING_NOTES_TOOLS: readonly NotesTool[] = ['memory_read', 'memory_search'];
