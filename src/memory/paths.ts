import { DAY_MS, dateOf, isDate } from '../lib/clock.js';
import { compareBytes, utf8Bytes } from '../lib/text/bytes.js';
import { isStatePath } from './state.js';

/** The agent's name in memory: without `builtin/`, without folders and `.toml`. */
export function memoryName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.toml$/, '');
}

/** Place of a run log in the memory tree where nothing else is said. */
export function defaultLogPath(name: string): string {
  return `${memoryName(name)}.md`;
}

/**
 * Why a run log cannot have this place in the memory tree of a workflow: half a sentence, or
 * undefined if it can. Its place is a relative path to a markdown file, out of the lanes and off
 * the notes, which nothing else may open.
 */
export function unusableLogPath(path: string): string | undefined {
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.split('/').includes('..'))
    return 'it is outside of the memory store';
  if (!path.endsWith('.md')) return 'it does not end in `.md`';
  if (isNotesPath(path)) return 'notes are kept there';
  if (/^(?:untrusted|offline)\/|\.state\.md$/i.test(path)) return 'the name is reserved';
  const isPlain = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/.test(path);
  return isPlain
    ? undefined
    : 'names in it must start with a letter, a digit or `_` and contain only those, `.` and `-`';
}

/** Where untrusted runs keep what trusted ones do not load: the whole entry, as it is (D19). */
export function untrustedPath(path: string): string {
  return `untrusted/${path}`;
}

/** Whether a `/`-separated path stays inside the memory tree, on any operating system. */
export function isTreePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part));
}

/** The same for what is read: a folder with a `/` at its end, or a file. */
export function isTreePlace(place: string): boolean {
  return isTreePath(place.replace(/\/$/, ''));
}

/**
 * Whether a file is among the places: one of them, or an `.md` file directly in one that is a
 * folder, but no state.
 */
export function isAmongPlaces(path: string, places: readonly string[]): boolean {
  if (places.includes(path)) return true;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return folder !== '' && path.endsWith('.md') && !isStatePath(path) && places.includes(folder);
}

/** What is told of a path that leads out of the memory. */
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
 * The order in which files of a memory are taken where a limit cuts, on every store: run logs,
 * states, facts and open tasks first, then days from the newest on, then notes; after all that the
 * untrusted lane in the same order, so that what strangers say pushes nothing out, and last what
 * was kept next to files.
 */
export function compareByPriority(a: string, b: string): number {
  const [one, other] = [rankOf(a), rankOf(b)];
  if (one !== other) return one - other;
  return noteKind(a) === 'daily'
    ? compareBytes(nameOf(b), nameOf(a)) || compareBytes(a, b)
    : compareBytes(a, b);
}

const DAY = 1;
const NOTE = 2;
const LANE = 3;
const BACKUP = 6;

function rankOf(path: string): number {
  if (path.endsWith('.bak')) return BACKUP;
  const kind = noteKind(path);
  const own = kind === 'daily' ? DAY : kind === 'note' ? NOTE : 0;
  return /(?:^|\/)untrusted\//.test(path) ? LANE + own : own;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * What a note is about: lasting facts, open tasks, a day, or a text of its own (memory-tools 1.1).
 */
export type NoteTarget =
  | { readonly kind: 'long_term' }
  | { readonly kind: 'scratchpad' }
  /** `date` is `YYYY-MM-DD`, in UTC. */
  | { readonly kind: 'daily'; readonly date: string }
  /** `name` is one that `parseNoteName` gave. */
  | { readonly kind: 'note'; readonly name: string };

/** Where the notes of a run are in the memory tree. */
export interface NotesPlaces {
  /** Folder around all of them: empty, or `offline/` (D32). */
  readonly folder: string;
  /** Folder below `projects/`; empty where all projects share their notes (`[memory] scope`). */
  readonly slug: string;
}

/** The places for a scope; `identity` is what the project is known by (see `projectSlug`). */
export function notesPlaces(
  scope: 'project' | 'shared',
  identity: string,
  folder = '',
): NotesPlaces {
  return { folder, slug: scope === 'shared' ? '' : projectSlug(identity) };
}

/** The file of a target in the memory tree, `/`-separated (D10, D37). */
export function notePath(target: NoteTarget, places: NotesPlaces): string {
  const { folder, slug } = places;
  const own = slug === '' ? folder : `${folder}projects/${slug}/`;
  switch (target.kind) {
    case 'long_term':
      return `${folder}MEMORY.md`;
    case 'scratchpad':
      return `${own}SCRATCHPAD.md`;
    case 'daily':
      return slug === '' ? flatDailyPath(target.date, places) : `${own}daily/${target.date}.md`;
    case 'note':
      return `${own}notes/${target.name}.md`;
  }
}

/**
 * Where memory-tools 2.2 keeps a day; read everywhere if the day has no other file, written where
 * all share (D37).
 */
export function flatDailyPath(date: string, { folder }: NotesPlaces): string {
  return `${folder}${date}.md`;
}

/** What a path of the tree is among these notes; a day counts at its flat place too. */
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
 * Everything a run may ask for, as `MemoryStore.readTree` takes it. Where all projects share, days
 * are between the run logs and no folder can be asked for: undefined, which means all. Of folders
 * that hold too much a store leaves out what comes last by {@link compareByPriority}.
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
  const own = (['long_term', 'scratchpad'] as const).map((kind) => notePath({ kind }, places));
  const folder = `${places.folder}projects/${places.slug}/`;
  return [...days, ...own, `${folder}daily/`, `${folder}notes/`, runLog];
}

/** Where the one former version of a note is kept: `MEMORY.md` → `MEMORY.bak`. */
export function backupPath(path: string): string {
  return path.replace(/(?:\.md)?$/, '.bak');
}

/**
 * What a path of the tree holds, whatever lane or folder it is in; undefined for a run log, a state
 * or a former version.
 */
export function noteKind(path: string): NoteTarget['kind'] | undefined {
  const { longTerm, scratchpad, note, day = '' } = NOTE_PATH.exec(path)?.groups ?? {};
  if (longTerm !== undefined) return 'long_term';
  if (scratchpad !== undefined) return 'scratchpad';
  if (note !== undefined) return 'note';
  return isDate(day) ? 'daily' : undefined;
}

/** Whether a path of the tree is that of a note, whatever lane or scope it is in. */
export function isNotesPath(path: string): boolean {
  return noteKind(path) !== undefined;
}

/** Folders before it are lanes and people's, which are never called like those of notes. */
const NOTE_PATH =
  /^(?:(?!(?:projects|notes|daily)\/)[^/]+\/)*(?:(?<longTerm>MEMORY)|(?:projects\/[^/]+\/)?(?:(?<scratchpad>SCRATCHPAD)|notes\/(?<note>[^/]+))|(?:projects\/[^/]+\/daily\/)?(?<day>\d{4}-\d\d-\d\d))\.md$/;

/** FNV-1a of 64 bits; its low half hangs on the low halves of basis and prime alone. */
const LOW_BASIS = 0x84222325;
const LOW_PRIME = 0x1b3;
const MAX_BASE_CHARACTERS = 40;

/**
 * Name of the folder that a project's notes stand in: the last part of what the project is known
 * by, and eight hex digits of the whole (memory-tools 1.1). `octo-org/hello.world` →
 * `hello-world-3ccd7a60`. What it is known by is `owner/name` in a workflow, else an absolute path,
 * which is taken as it is: with a slash at the end it is another one.
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
/** What no file may be called on one of the systems that a memory is read on. */
const NO_FILE_NAME = /[<>:"|?*]/;
/**
 * Control characters, line breaks, halves of characters, and what nobody sees: two names must not
 * look the same because of it.
 */
const UNREADABLE = /[\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Something of a name has to be seen. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A note's name, or why a text is none. */
type NoteName =
  | { readonly kind: 'name'; readonly name: string }
  /** The words that memory tools answer with. */
  | { readonly kind: 'invalid'; readonly message: string };

/**
 * The name of a note as its file has it, without `.md`: composed (NFC), without space around it, at
 * most 100 bytes, and without what a path is made of. So it can never lead out of its folder.
 */
export function parseNoteName(given: string | undefined): NoteName {
  const name = withoutSpace(given ?? '')
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

/** The tools over notes that an agent gets where `memory.tools` says nothing. */
const NOTES_TOOLS = ['memory_write', 'memory_read', 'memory_search'] as const;

/**
 * What `memory.tools` may hold. Two tools that write confuse models, so `write_memory` has to be
 * asked for.
 */
export const ALL_NOTES_TOOLS = [...NOTES_TOOLS, 'write_memory'] as const;

export type NotesTool = (typeof ALL_NOTES_TOOLS)[number];

/** The tools over notes that a list in `memory.tools` asks for. */
export function notesToolsOf(listed: readonly NotesTool[]): readonly NotesTool[] {
  return listed.length === 0 ? NOTES_TOOLS : listed;
}

/** Those that only look; sub-agents and untrusted runs have no others. */
export const READING_NOTES_TOOLS: readonly NotesTool[] = ['memory_read', 'memory_search'];
