import type { LoadedAgent } from '../agent/agent-source.js';
import type { Lane } from '../event/trust.js';
import { dateOf } from '../lib/text/dates.js';
import type { Warning } from '../lib/warning.js';
import { applyChanges, type NoteChange } from '../memory/change.js';
import { type NotesPlaces, notesUnder, pathOf } from '../memory/notes/place.js';
import { createNotesSession, listNotes, type NotesSession } from '../memory/notes/session.js';
import type { NotesTool } from '../memory/notes/tool-names.js';
import type { MemoryStore, RestoreResult, TreeResult } from '../memory/store.js';
import { damageOf, damageWarning } from '../memory/stores/read-log.js';
import { makeNotesPrompt, type NotesPrompt } from '../prompt/system.js';
import { sanitize } from '../safety/sanitize.js';
import type { Dependencies } from './dependencies.js';
import { grantNotesTools, type NotesPlan } from './plan-notes.js';
import type { MemoryPlan } from './run-plan.js';

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
  /** Keeps in the journal what has to be saved of them, in the lane that the run has by now (D16, D19). */
  keep(lane: Lane): Promise<void>;
}

/** Opens the notes of an agent and reads what goes into its prompt. Never throws: trouble is a warning. */
export async function openNotes(
  parts: {
    readonly agent: LoadedAgent;
    readonly memory: MemoryPlan;
    readonly plan: NotesPlan;
    readonly store: MemoryStore;
    /** The run log as it was read before. */
    readonly restored: RestoreResult;
    /** What the agent of the run has written and nobody has saved: sub-agents see it. */
    readonly unsaved: readonly NoteChange[];
  },
  deps: Dependencies,
): Promise<RunNotes> {
  const { agent, memory, plan, store, restored, unsaved } = parts;
  const { places, isLive } = plan;
  const { clock, saveSignal, secrets, reporter, deadline, journal } = deps;
  const load = async (under: readonly string[] | undefined) =>
    withUnsaved(await store.readTree(deadline.signal, under), unsaved, under);
  const everything = notesUnder(places, memory.path, clock.now());
  let first: TreeResult | undefined = withUnsaved(
    readBefore(restored) ?? (await store.readTree(deadline.signal, everything)),
    unsaved,
    undefined,
  );
  const { location } = first;
  const reported = new Set(restored.kind === 'failed' ? [] : restored.warnings.map(({ message }) => message));
  const early: Warning[] = [];
  let isOpen = false;
  const session = createNotesSession({
    places,
    runLog: memory.path,
    // In a workflow a place of its own would differ from run to run, and may be nobody's to know (D14).
    root: isLive && first.kind === 'tree' ? location : '',
    caps: agent.config.memory,
    async load(under) {
      const loaded = first ?? (await load(under));
      first = undefined;
      return loaded;
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
    ...(isLive ? { writeThrough: (changes) => store.write(changes, saveSignal) } : {}),
  });
  const loaded = await session.tree();
  const { tools, warnings } = grantNotesTools(plan, store.kind !== 'none');
  const files = loaded.kind === 'tree' ? loaded.tree : new Map<string, string>();
  const today = dateOf(clock.now());
  const made = makeNotesPrompt({ files, places, today, memory: agent.config.memory, tools });
  isOpen = true;
  const notLoaded = ({ message, remedy }: Extract<TreeResult, { readonly kind: 'failed' }>): Warning => ({
    code: 'memory-load-failed',
    message: `failed to load the notes of "${agent.name}": ${message}`,
    remedy,
  });
  let kept: readonly NoteChange[] = [];
  return {
    session,
    tools,
    found: { files: listNotes(files, places).length, location: loaded.location },
    prompt: made.prompt,
    warnings: [
      ...(loaded.kind === 'failed' ? [notLoaded(loaded)] : damaged(loaded, places)),
      ...early,
      ...made.warnings,
      ...warnings,
    ],
    async keep(lane) {
      const changes = session.changes(lane);
      if (journal === undefined || changes.length === 0) return;
      if (kept[0] !== undefined && kept[0].path !== changes[0]?.path) await journal.done(kept);
      kept = changes;
      await journal.pending(changes);
    },
  };
}

/** Many a store has read the notes with the run log; what there was to warn of was told with that. */
function readBefore(restored: RestoreResult): TreeResult | undefined {
  if (restored.kind === 'failed' || restored.alongside === undefined) return undefined;
  const { alongside: tree, warnings, blocked = [], within } = restored;
  const location = within?.root ?? restored.location;
  return { kind: 'tree', tree, location, warnings, blocked };
}

/** What the store holds of the wanted places, with what the run has not saved yet. */
function withUnsaved(
  found: TreeResult,
  unsaved: readonly NoteChange[],
  wanted: readonly string[] | undefined,
): TreeResult {
  if (found.kind === 'failed' || unsaved.length === 0) return found;
  const isWanted = ({ path }: NoteChange) =>
    wanted === undefined ||
    wanted.includes(path) ||
    wanted.includes(path.slice(0, path.lastIndexOf('/') + 1));
  return { ...found, tree: applyChanges(found.tree, unsaved.filter(isWanted)) };
}

/** Of notes that go into the prompt or that the tools read. */
function damaged(
  {
    tree,
    location,
    within = { root: location, separator: '/' },
  }: Extract<TreeResult, { readonly kind: 'tree' }>,
  places: NotesPlaces,
): readonly Warning[] {
  const paths = [...listNotes(tree, places), pathOf({ kind: 'scratchpad' }, places)];
  return paths.flatMap((path) => {
    const damage = damageOf(tree.get(path) ?? '');
    if (damage === undefined) return [];
    return [damageWarning({ location: within.root + within.separator + path }, damage)];
  });
}
