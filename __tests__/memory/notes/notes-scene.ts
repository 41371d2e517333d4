import type { BaseCode } from '../../../src/github/reading/contents.js';
import { MAX_SHOWN_NOTES_BYTES } from '../../../src/lib/defaults.js';
import type { Warning } from '../../../src/lib/errors.js';
import type { MemoryTree } from '../../../src/memory/change.js';
import { checkNotes } from '../../../src/memory/citations.js';
import {
  createNotesSession,
  type NotesCaps,
  type NotesSession,
} from '../../../src/memory/notes/session.js';
import { ALL_NOTES_TOOLS, type NotesPlaces, notesPlaces } from '../../../src/memory/paths.js';
import type { TreeResult } from '../../../src/memory/store.js';
import { sanitize } from '../../../src/safety/sanitize.js';
import { createMemoryTools } from '../../../src/tools/memory/memory-tools.js';
import type { ToolResult } from '../../../src/tools/tool.js';
import { numbered } from '../stores/fake-clock.js';

export const ROOT = '/data/axe/memory';
const CAPS: NotesCaps = { maxWriteBytes: 65_536 };
export const READ_BYTES = MAX_SHOWN_NOTES_BYTES;
export const PLACES: NotesPlaces = notesPlaces('project', 'octo-org/hello.world');
/** Folder of the project in the tree. */
export const PROJECT = 'projects/hello-world-3ccd7a60';

/** What a test may choose of a scene. */
export interface SceneOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly places?: NotesPlaces;
  readonly caps?: Partial<NotesCaps>;
  readonly secrets?: readonly string[];
  readonly load?: (under: readonly string[] | undefined) => Promise<TreeResult>;
  /** The code that the notes rest on. */
  readonly base?: BaseCode;
  readonly cite?: (content: string) => Promise<string>;
  readonly writeThrough?: Parameters<typeof createNotesSession>[0]['writeThrough'];
}

/** The notes of a run over a tree in memory, with a clock that stands still, and its tools. */
export interface NotesScene {
  readonly session: NotesSession;
  readonly warnings: readonly Warning[];
  /** What was asked of the store, call by call. */
  readonly loads: readonly (readonly string[] | undefined)[];
  call(tool: string, input: unknown): Promise<ToolResult>;
  /** The text at a path now; undefined where nothing is. */
  text(path: string): Promise<string | undefined>;
  setTime(time: string): void;
}

export function createNotesScene({
  files = {},
  places = PLACES,
  caps = {},
  secrets = [],
  load,
  base,
  cite = async (content) => content,
  writeThrough,
}: SceneOptions = {}): NotesScene {
  let time = '2026-03-01T14:05:09Z';
  const warnings: Warning[] = [];
  const loads: (readonly string[] | undefined)[] = [];
  const stored = new Map(Object.entries(files));
  const session = createNotesSession({
    places,
    runLog: 'bot.md',
    root: ROOT,
    caps: { ...CAPS, ...caps },
    load: async (under) => {
      loads.push(under);
      return load === undefined ? { ...found(stored, under), location: ROOT } : await load(under);
    },
    redact: (text) => sanitize(text, 'memory', secrets),
    checked: () => checkNotes(stored, base),
    now: () => new Date(time),
    newId: numbered('id-'),
    warn: (warning) => warnings.push(warning),
    ...(writeThrough === undefined ? {} : { writeThrough }),
  });
  const tools = createMemoryTools(session, ALL_NOTES_TOOLS, cite);
  return {
    session,
    warnings,
    loads,
    async call(name, input) {
      const tool = tools.find((one) => one.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return await tool.execute(input, new AbortController().signal);
    },
    async text(path) {
      const tree = await session.tree();
      return tree.kind === 'tree' ? tree.tree.get(path) : undefined;
    },
    setTime(next) {
      time = next;
    },
  };
}

/** As a store reads: only the wanted paths and folders. */
export function found(
  stored: MemoryTree,
  under: readonly string[] | undefined,
): { readonly kind: 'tree'; readonly tree: MemoryTree; readonly warnings: readonly Warning[] } {
  const isWanted = (path: string): boolean =>
    under === undefined ||
    under.some((one) => path === one || (one.endsWith('/') && path.startsWith(one)));
  return {
    kind: 'tree',
    tree: new Map([...stored].filter(([path]) => isWanted(path))),
    warnings: [],
  };
}
