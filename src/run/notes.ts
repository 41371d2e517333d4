import type { LoadedAgent } from '../core/agent/agent-source.js';
import type { Dependencies, Journal } from '../core/dependencies.js';
import type { Lane } from '../core/event/trust.js';
import { applyChanges, type NoteChange } from '../core/memory/change.js';
import { damageOf, damageWarning } from '../core/memory/damage.js';
import {
  changesInFolder,
  inNotesFolder,
  notesFolderOf,
  outOfNotesFolder,
} from '../core/memory/notes/folder.js';
import { type NotesPlaces, pathOf } from '../core/memory/notes/place.js';
import { createNotesSession, type NotesSession } from '../core/memory/notes/session.js';
import type { NotesTool } from '../core/memory/notes/tool-names.js';
import { everythingUnder, listNotes } from '../core/memory/notes/view.js';
import type { MemoryStore, Place, RestoreResult, TreeResult } from '../core/memory/store.js';
import type { MemoryPlan } from '../core/plan.js';
import { grantNotesTools, type NotesPlan } from '../core/plan-notes.js';
import { makeNotesPrompt } from '../core/prompt/notes-prompt.js';
import type { NotesPrompt } from '../core/prompt/system.js';
import { sanitize } from '../core/sanitize/sanitize.js';
import { dateOf } from '../core/text/dates.js';
import type { Warning } from '../core/warning.js';

/** The notes of a run, opened. */
export interface RunNotes {
  readonly session: NotesSession;
  /** The tools over them that the agent was granted. */
  readonly tools: readonly NotesTool[];
  /** What of them was found when the run started. */
  readonly found: { readonly files: number; readonly location: string };
  readonly prompt: NotesPrompt;
  /** To be told before the run. */
  readonly warnings: readonly Warning[];
  /** What has to be saved of them in a lane, as the store takes it; of a tainted run nothing stays in the trusted one. */
  changes(lane: Lane): readonly NoteChange[];
  /** Keeps that in the journal. */
  keep(lane: Lane): Promise<void>;
}

/** What notes are opened with. */
interface NotesParts {
  readonly agent: LoadedAgent;
  readonly memory: MemoryPlan;
  readonly plan: NotesPlan;
  readonly store: MemoryStore;
  /** The run log as it was read before. */
  readonly restored: RestoreResult;
  /** What the agent of the run has written and nobody has saved: sub-agents see it. */
  readonly unsaved: readonly NoteChange[];
}

/** Opens the notes of an agent and reads what goes into its prompt. Never throws: trouble is a warning. */
export async function openNotes(parts: NotesParts, deps: Dependencies): Promise<RunNotes> {
  const { agent, plan, store } = parts;
  const { folder, places, isLive } = plan;
  const { clock, saveSignal, secrets, reporter } = deps;
  const runLogs = runLogsOf(parts);
  const first = asSeen(parts, await readFirst(parts, deps));
  const reported = new Set(
    parts.restored.kind === 'failed' ? [] : parts.restored.warnings.map(({ message }) => message),
  );
  const early: Warning[] = [];
  let isOpen = false;
  let isFirst = true;
  const session = createNotesSession({
    places,
    runLogs,
    // In a workflow a place of its own would differ from run to run, and may be nobody's to know (D14).
    root: isLive && first.kind === 'tree' ? first.location : '',
    caps: agent.config.memory,
    async load(under) {
      if (!isFirst) return await load(parts, under, deps);
      isFirst = false;
      return first;
    },
    redact: (text) => sanitize(text, 'memory', secrets),
    now: () => clock.now(),
    newId: () => clock.newId(),
    warn(warning) {
      if (reported.has(warning.message)) return;
      reported.add(warning.message);
      if (isOpen) reporter.warn(warning);
      else early.push(warning);
    },
    noteWrite: ({ action, path, bytes }) => reporter.event({ kind: 'note-written', action, path, bytes }),
    ...(isLive
      ? { writeThrough: (changes) => store.write(changesInFolder(changes, folder), saveSignal) }
      : {}),
  });
  const loaded = await session.tree();
  const grant = grantNotesTools(plan, store.kind !== 'none');
  const files = loaded.kind === 'tree' ? loaded.tree : new Map<string, string>();
  const today = dateOf(clock.now());
  const made = makeNotesPrompt({ files, places, today, memory: agent.config.memory, tools: grant.tools });
  const inLane = (lane: NotesLane) => changesInFolder(session.changes(lane), folder);
  isOpen = true;
  return {
    session,
    tools: grant.tools,
    found: { files: listNotes(files, places).length, location: loaded.location },
    prompt: made.prompt,
    warnings: [
      ...notLoaded(agent, loaded),
      ...early,
      ...damaged(loaded, places),
      ...made.warnings,
      ...grant.warnings,
    ],
    changes(lane) {
      const saved = notesLane(lane);
      return saved === undefined ? [] : inLane(saved);
    },
    keep: createNotesKeeper(inLane, deps.journal),
  };
}

function runLogsOf({ memory, plan: { folder } }: Pick<NotesParts, 'memory' | 'plan'>): readonly string[] {
  return [outOfNotesFolder(memory.path, folder) ?? memory.path];
}

/** The places in the store that a run may ask for; undefined for all of it. */
export function placesToRestore(
  parts: Pick<NotesParts, 'memory' | 'plan'>,
  now: Date,
): readonly string[] | undefined {
  const { places, folder } = parts.plan;
  const under = everythingUnder({ places, runLogs: runLogsOf(parts), now });
  return under?.map((place) => inNotesFolder(place, folder));
}

/** Many a store has read the notes with the run log; what there was to warn of was told with that. */
async function readFirst(parts: NotesParts, { clock, deadline }: Dependencies): Promise<TreeResult> {
  const { restored, store } = parts;
  if (restored.kind !== 'failed' && restored.alongside !== undefined) {
    const location = locationOfStore(restored);
    const { alongside: tree, warnings, blocked = [] } = restored;
    return { kind: 'tree', tree, location, warnings, blocked };
  }
  return await store.readTree(deadline.signal, placesToRestore(parts, clock.now()));
}

/** Where the store is that holds a run log. */
function locationOfStore(place: Place): string {
  const { places = [place] } = place;
  return places.map(({ location, within }) => within?.root ?? location).join(' and ');
}

async function load(
  parts: NotesParts,
  under: readonly string[] | undefined,
  { deadline }: Dependencies,
): Promise<TreeResult> {
  const { store, plan } = parts;
  const requested = under?.map((place) => inNotesFolder(place, plan.folder));
  return asSeen(parts, await store.readTree(deadline.signal, requested), requested);
}

/** What the store holds, with what the run has not saved yet, by the paths that the notes know. */
function asSeen(
  { plan: { folder }, unsaved }: NotesParts,
  found: TreeResult,
  requested?: readonly string[],
): TreeResult {
  if (found.kind === 'failed') return found;
  const seen = unsaved.filter(({ path }) => isRequested(path, requested));
  const tree = seen.length === 0 ? found.tree : applyChanges(found.tree, seen);
  const location = folder === '' ? found.location : `${found.location}/${folder.slice(0, -1)}`;
  const blocked = (found.blocked ?? []).flatMap((place) => {
    const path = outOfNotesFolder(place.path, folder);
    return path === undefined ? [] : [{ ...place, path }];
  });
  return { ...found, tree: notesFolderOf(tree, folder), location, blocked };
}

function isRequested(path: string, requested: readonly string[] | undefined): boolean {
  if (requested === undefined || requested.includes(path)) return true;
  return requested.includes(path.slice(0, path.lastIndexOf('/') + 1));
}

function notLoaded({ name }: LoadedAgent, loaded: TreeResult): readonly Warning[] {
  if (loaded.kind === 'tree') return [];
  const { remedy } = loaded;
  const message = `failed to load the notes of "${name}": ${loaded.message}`;
  return [{ code: 'memory-load-failed', message, ...(remedy === undefined ? {} : { remedy }) }];
}

/** Of notes that go into the prompt or that the tools read. */
function damaged(loaded: TreeResult, places: NotesPlaces): readonly Warning[] {
  if (loaded.kind === 'failed') return [];
  const { within = { root: loaded.location, separator: '/' } } = loaded;
  const paths = [...listNotes(loaded.tree, places), pathOf({ kind: 'scratchpad' }, places)];
  return paths.flatMap((path) => {
    const damage = damageOf(loaded.tree.get(path) ?? '');
    return damage === undefined
      ? []
      : [damageWarning({ location: within.root + within.separator + path }, damage)];
  });
}

/** Which lane notes are saved in; undefined for none of them. */
function notesLane(lane: Lane): NotesLane | undefined {
  switch (lane) {
    case 'trusted':
      return 'trusted';
    case 'tainted':
    case 'untrusted':
      return 'untrusted';
    case 'none':
      return undefined;
  }
}

/** Where notes can be saved. */
type NotesLane = 'trusted' | 'untrusted';

/**
 * Keeps the unsaved notes of a run in the journal, all of them in the lane that the run has by then (D16, D19). Without
 * a journal nothing is kept.
 */
function createNotesKeeper(
  changes: (lane: NotesLane) => readonly NoteChange[],
  journal: Journal | undefined,
): (lane: Lane) => Promise<void> {
  let kept: NotesLane | undefined;
  return async (lane) => {
    const next = notesLane(lane);
    if (journal === undefined || next === undefined || changes(next).length === 0) return;
    if (kept !== undefined && kept !== next) await journal.done(changes(kept));
    kept = next;
    await journal.pending(changes(next));
  };
}
