import { isDate } from '../../text/dates.js';
/** What a note is about: lasting facts, open tasks, a day, or a text of its own (memory-tools 1.1). */
export type NoteTarget =
  | { readonly kind: 'long_term' }
  | { readonly kind: 'scratchpad' }
  /** `date` is `YYYY-MM-DD`, in UTC. */
  | { readonly kind: 'daily'; readonly date: string }
  /** `name` is one that `parseNoteName` gave. */
  | { readonly kind: 'note'; readonly name: string };

/** Who shares the scratchpad, daily logs and notes: a project, or everybody (`[memory] scope`). */
export type NotesScope = 'project' | 'shared';

/** Where the notes of a run stand in the memory tree. */
export interface NotesPlaces {
  readonly scope: NotesScope;
  /** Folder below `projects/`; not used where everybody shares. */
  readonly slug: string;
}

/** The file of facts that all projects share. */
export const LONG_TERM_PATH = 'MEMORY.md';

/** The places for a scope; `identity` is what the project is known by (see `projectSlug`). */
export function notesPlaces(scope: NotesScope, identity: string): NotesPlaces {
  return { scope, slug: scope === 'shared' ? '' : projectSlug(identity) };
}

/** The file of a target in the memory tree, `/`-separated (D10, D37). */
export function pathOf(target: NoteTarget, places: NotesPlaces): string {
  const folder = projectFolder(places);
  switch (target.kind) {
    case 'long_term':
      return LONG_TERM_PATH;
    case 'scratchpad':
      return `${folder}SCRATCHPAD.md`;
    case 'daily':
      return places.scope === 'shared' ? flatDailyPath(target.date) : `${folder}daily/${target.date}.md`;
    case 'note':
      return `${folder}notes/${target.name}.md`;
  }
}

/** Where memory-tools 2.2 keeps a day; read everywhere if the day has no other file, written where all share (D37). */
export function flatDailyPath(date: string): string {
  return `${date}.md`;
}

/**
 * Folders and files a run's notes can be in, as `MemoryStore.readTree` takes them; the flat days are left out. Of folders
 * that hold too much a store leaves out what comes last by `compareFiles`.
 */
export function notesUnder(places: NotesPlaces): readonly string[] {
  const folder = projectFolder(places);
  const days = places.scope === 'shared' ? [] : [`${folder}daily/`];
  return [LONG_TERM_PATH, `${folder}SCRATCHPAD.md`, ...days, `${folder}notes/`];
}

/** Where the one former version of a note is kept: `MEMORY.md` → `MEMORY.bak`. */
export function backupPath(path: string): string {
  return path.replace(/(?:\.md)?$/, '.bak');
}

/** Where former versions of a note can be: the one before a run's changes, and the losing side of two. */
export function copiesOf(path: string): readonly string[] {
  return [backupPath(path), `${path}.bak`];
}

/** What a path of the tree holds; undefined for a run log, a state or a former version. */
export function noteKind(path: string): NoteTarget['kind'] | undefined {
  const file = NOTE_PATH.exec(path)?.[1];
  if (file === undefined) return undefined;
  if (file === LONG_TERM_PATH) return 'long_term';
  if (file.endsWith('SCRATCHPAD.md')) return 'scratchpad';
  const [, name = ''] = /([^/]*)\.md$/.exec(file) ?? [];
  return /(?:^|\/)notes\/[^/]*$/.test(file) ? 'note' : isDate(name) ? 'daily' : undefined;
}

/** Whether a path of the tree is that of a note, whatever lane or scope it is in. */
export function isNotesPath(path: string): boolean {
  return noteKind(path) !== undefined;
}

/** Folders before it are lanes and scopes, which are never called like those of notes. */
const NOTE_PATH =
  /^(?:(?!(?:projects|notes|daily)\/)[^/]+\/)*((?:MEMORY|SCRATCHPAD|\d{4}-\d\d-\d\d|notes\/[^/]+|projects\/[^/]+\/(?:SCRATCHPAD|daily\/\d{4}-\d\d-\d\d|notes\/[^/]+))\.md)$/;

function projectFolder({ scope, slug }: NotesPlaces): string {
  return scope === 'shared' ? '' : `projects/${slug}/`;
}

/** FNV-1a of 64 bits; its low half hangs on the low halves of basis and prime alone. */
const LOW_BASIS = 0x84222325;
const LOW_PRIME = 0x1b3;
const MAX_BASE_CHARACTERS = 40;

/**
 * Name of the folder that a project's notes stand in: the last part of what the project is known by, and eight hex
 * digits of the whole (memory-tools 1.1). `octo-org/hello.world` → `hello-world-3ccd7a60`. What it is known by is
 * `owner/name` in a workflow, else an absolute path, which is taken as it is: with a slash at the end it is another one.
 */
export function projectSlug(identity: string): string {
  return `${baseOf(identity)}-${hashOf(identity)}`;
}

/** One hyphen for each character that is not an ASCII letter, digit, underscore or hyphen. */
function baseOf(identity: string): string {
  const last = identity.split('/').findLast((part) => part !== '' && part !== '.') ?? '';
  if (last === '' || last === '..') return 'root';
  const readable = Array.from(last, (character) => (/^[A-Za-z0-9_-]$/.test(character) ? character : '-'));
  return readable.slice(0, MAX_BASE_CHARACTERS).join('');
}

function hashOf(identity: string): string {
  let hash = LOW_BASIS;
  for (const byte of new TextEncoder().encode(identity)) hash = Math.imul(hash ^ byte, LOW_PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
