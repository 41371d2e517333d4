import type { LoadedAgent } from '../agent/agent-source.js';
import type { Trigger } from '../event/trigger.js';
import type { Trust } from '../event/trust.js';
import { dateOf } from '../lib/clock.js';
import { AxeError, type Warning } from '../lib/errors.js';
import { count } from '../lib/text/format.js';
import { applyChanges, type MemoryTree, type NoteChange } from '../memory/change.js';
import {
  type CheckedNotes,
  checkNotes,
  citationsIn,
  type StaleNoteLine,
} from '../memory/citations.js';
import { formatMemoryBlock } from '../memory/notes/context-block.js';
import { createNotesSession, listNotes, type Notes } from '../memory/notes/session.js';
import {
  ALL_NOTES_TOOLS,
  type NotesPlaces,
  type NotesTool,
  notePath,
  notesPlaces,
  notesToolsOf,
  placesToRead,
  READING_NOTES_TOOLS,
} from '../memory/paths.js';
import { damageOf } from '../memory/run-log.js';
import type { MemoryStore, RestoreResult, TreeResult } from '../memory/store.js';
import { damageWarnings } from '../memory/stores/read-log.js';
import { notesToolsPrompt } from '../prompt/prompt.js';
import { sanitize } from '../safety/sanitize.js';
import { createMemoryTools } from '../tools/memory/memory-tools.js';
import type { Tool } from '../tools/tool.js';
import type { Dependencies } from './dependencies.js';
import type { MemoryPlan, RunNotes } from './records.js';
import { NEVER_ABORTED } from './save.js';

/**
 * Opens the notes of an agent and reads what goes into its prompt. Never throws: trouble is a
 * warning.
 */
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
  const { clock, secrets, reporter, deadline, journal } = deps;
  const load = async (under: readonly string[] | undefined) =>
    withUnsaved(await store.readTree(deadline.signal, under), unsaved, under);
  const everything = placesToRead(places, memory.path, clock.now());
  let first: TreeResult | undefined = withUnsaved(
    readBefore(restored) ?? (await store.readTree(deadline.signal, everything)),
    unsaved,
    undefined,
  );
  const { location } = first;
  const reported = new Set(
    restored.kind === 'failed' ? [] : restored.warnings.map(({ message }) => message),
  );
  const early: Warning[] = [];
  let isOpen = false;
  let checked = checkNotes(new Map(), undefined);
  const session = createNotesSession({
    places,
    runLog: memory.path,
    // In a workflow a place of its own would differ from run to run, and may be nobody's to know
    // (D14).
    root: isLive && first.kind === 'tree' ? location : '',
    caps: agent.config.memory,
    async load(under) {
      const loaded = first ?? (await load(under));
      first = undefined;
      return loaded;
    },
    redact: (text) => sanitize(text, 'memory', secrets),
    checked: () => checked,
    now: () => clock.now(),
    newId: () => clock.newId(),
    warn(warning) {
      if (reported.has(warning.message)) return;
      reported.add(warning.message);
      if (isOpen) reporter.warn(warning);
      else early.push(warning);
    },
    noteWrite: (action, path, bytes) =>
      reporter.event({ kind: 'note-written', action, path, bytes }),
    ...(isLive ? { writeThrough: (changes) => store.write(changes, NEVER_ABORTED) } : {}),
  });
  const loaded = await session.tree();
  const { tools, warnings } = grantNotesTools(plan, store.kind !== 'none');
  const stored = loaded.kind === 'tree' ? loaded.tree : new Map<string, string>();
  const cited = await checkCitedCode(stored, places, deps);
  ({ checked } = cited);
  const files = checked.view(stored, memory.path);
  const today = dateOf(clock.now());
  const { daily, maxInjectBytes: maxBytes } = agent.config.memory;
  const block = formatMemoryBlock(files, { places, today, daily, maxBytes });
  isOpen = true;
  const notLoaded = ({
    message,
    remedy,
  }: Extract<TreeResult, { readonly kind: 'failed' }>): Warning => ({
    code: 'memory-load-failed',
    message: `failed to load the notes of "${agent.name}": ${message}`,
    remedy,
  });
  let kept: readonly NoteChange[] = [];
  return {
    session,
    tools,
    found: { files: listNotes(files, places).length, location: loaded.location },
    prompt: { block: block.text, toolsPrompt: notesToolsPrompt(tools) },
    checked,
    warnings: [
      ...(loaded.kind === 'failed' ? [notLoaded(loaded)] : damaged(loaded, places)),
      ...early,
      ...cited.warnings,
      ...(isLive && checked.gone.length > 0 ? [noLongerSo(checked.gone)] : []),
      ...block.warnings,
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

/** On the command line there is no summary that lists them. */
function noLongerSo([first, ...more]: readonly StaleNoteLine[]): Warning {
  const others = more.length === 0 ? '' : ` and ${count(more.length, 'other line')}`;
  const message = `the code that notes rest on is gone, so the model was not given ${first?.note}:${first?.line}${others}`;
  return {
    code: 'memory-outdated',
    message,
    remedy: 'Correct them, or remove them from the notes.',
  };
}

/**
 * Holds notes against the code that they rest on, once for an agent. Trouble leaves them unchecked,
 * with a warning.
 */
export async function checkCitedCode(
  tree: MemoryTree,
  places: NotesPlaces,
  { readBase, deadline }: Dependencies,
): Promise<{ readonly checked: CheckedNotes; readonly warnings: readonly Warning[] }> {
  const notes = new Map(shownNotes(tree, places).map((path) => [path, tree.get(path) ?? '']));
  const citations = [...notes.values()].flatMap(citationsIn);
  try {
    const base = citations.length === 0 ? undefined : await readBase?.(citations, deadline.signal);
    return { checked: checkNotes(notes, base), warnings: [] };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { checked: checkNotes(notes, undefined), warnings: [codeNotRead(thrown)] };
  }
}

export function codeNotRead({ message: why, remedy }: AxeError): Warning {
  const message = `the code that notes rest on could not be read, so they are used as they are: ${why}`;
  return { code: 'memory-outdated', message, remedy };
}

/**
 * Many a store has read the notes with the run log; what there was to warn of was told with that.
 */
function readBefore(restored: RestoreResult): TreeResult | undefined {
  if (restored.kind === 'failed' || restored.alongside === undefined) return undefined;
  const { alongside: tree, warnings, blocked = [], prefix } = restored;
  const location = prefix?.slice(0, -1) ?? restored.location;
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
  { tree, location, prefix = `${location}/` }: Extract<TreeResult, { readonly kind: 'tree' }>,
  places: NotesPlaces,
): readonly Warning[] {
  return shownNotes(tree, places).flatMap((path) =>
    damageWarnings({ location: prefix + path }, damageOf(tree.get(path) ?? '')),
  );
}

function shownNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  return [...listNotes(tree, places), notePath({ kind: 'scratchpad' }, places)];
}

/** Where the notes of a run are and what it may do with them. */
export interface NotesPlan {
  readonly places: NotesPlaces;
  /** Changes are saved at once: on the command line without an event. */
  readonly isLive: boolean;
  /** Tools that the agent asks for. */
  readonly requested: readonly NotesTool[];
  /** Why none of them may write, if so; empty where nobody expects them to. */
  readonly whyReadOnly: string | undefined;
}

/** The plan of an agent's notes, or undefined if they are off. */
export function planNotes({
  agent,
  memory,
  trigger,
  trust,
  workdir,
  isSubAgent,
}: {
  readonly agent: LoadedAgent;
  readonly memory: MemoryPlan | undefined;
  readonly trigger: Trigger;
  readonly trust: Trust;
  /** Absolute path of the folder the agent works in. */
  readonly workdir: string;
  /** Sub-agents only look (D10). */
  readonly isSubAgent: boolean;
}): NotesPlan | undefined {
  const { config } = agent;
  if (memory === undefined || !config.memory.notes) return undefined;
  const isLive = trigger.kind === 'local';
  const ofSubAgent = config.memory.tools.length > 0 ? SUB_AGENT : '';
  const ofRun =
    memory.lane === 'none' ? NEVER : isLive || trust.level === 'trusted' ? undefined : UNTRUSTED;
  return {
    places: placesOf(agent, memory.path, trigger, workdir),
    isLive,
    requested: [
      ...new Set([...notesToolsOf(config.memory.tools), ...namedNotesTools(config.tools)]),
    ],
    whyReadOnly: isSubAgent ? ofSubAgent : ofRun,
  };
}

/** The tools over notes among the names that an agent lists besides its other tools. */
export function namedNotesTools(tools: readonly string[]): readonly NotesTool[] {
  return ALL_NOTES_TOOLS.filter((name) => tools.includes(name));
}

/**
 * The tools over notes that an agent gets, and what is told of the others; `isKept` says whether
 * its store keeps anything.
 */
export function grantNotesTools(
  { requested, whyReadOnly }: NotesPlan,
  isKept: boolean,
): { readonly tools: readonly NotesTool[]; readonly warnings: readonly Warning[] } {
  const why = whyReadOnly ?? (isKept ? undefined : NOT_KEPT);
  if (why === undefined) return { tools: requested, warnings: [] };
  const tools = requested.filter((name) => READING_NOTES_TOOLS.includes(name));
  const withheld = why === '' ? [] : requested.filter((name) => !tools.includes(name));
  const warnings = withheld.map((name): Warning => {
    const message = `The tool \`${name}\` (memory) was withheld: ${why}`;
    return { code: 'tool-not-available', message };
  });
  return { tools, warnings };
}

/** What is told of tools over notes that an agent without notes lists. */
export function notesAreOff(agent: string, names: readonly string[]): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const message = `agent "${agent}" asks for ${listed}, and keeps no notes. Set \`enabled = true\` and \`notes = true\` in \`[memory]\` of the agent.`;
  return { code: 'tool-not-available', message };
}

const SUB_AGENT =
  'a sub-agent can only read notes; it reports what matters to the agent that called it. Remove the tool from its `tools`.';
const NEVER =
  'with `memory-readonly: true` nothing would be kept. Leave that input out, or remove the tool from `tools`.';
const UNTRUSTED =
  'the run is untrusted, and untrusted runs only read and answer. Remove it from `tools` of an agent for such runs.';
const NOT_KEPT =
  'this run keeps no memory. Choose another `memory-store`, or remove the tool from `tools`.';

/**
 * Of the repository of the event, on somebody's own machine of the folder; `path` is that of the
 * run log.
 */
export function placesOf(
  { config }: LoadedAgent,
  path: string,
  trigger: Trigger,
  workdir: string,
): NotesPlaces {
  const { scope, project } = config.memory;
  const own =
    trigger.kind === 'local' ? workdir : `${trigger.repository.owner}/${trigger.repository.name}`;
  return notesPlaces(scope, project || own, path.startsWith('offline/') ? 'offline/' : '');
}

/**
 * Makes the tools over notes that an agent was granted, and gives the agent as its other tools are
 * opened for; `written` is called after each change, and waited for, and `cite` gives a note with
 * the lines of code that it names.
 */
export function notesTools(
  agent: LoadedAgent,
  notes: RunNotes | undefined,
  written: () => Promise<void>,
  cite: (content: string) => Promise<string>,
): {
  readonly agent: LoadedAgent;
  readonly tools: readonly Tool[];
  readonly warnings: readonly Warning[];
} {
  const { config } = agent;
  const named: readonly string[] = namedNotesTools(config.tools);
  const tools = config.tools.filter((name) => !named.includes(name));
  const others = { ...agent, config: { ...config, tools } };
  if (notes === undefined) {
    // Notes that are on and yet not there were warned of with the reason.
    const isOff = named.length > 0 && !config.memory.notes;
    return { agent: others, tools: [], warnings: isOff ? [notesAreOff(agent.name, named)] : [] };
  }
  const heard: Notes = {
    ...notes.session,
    async change(target, wish) {
      const answer = await notes.session.change(target, wish);
      if (answer.kind === 'written') await written();
      return answer;
    },
  };
  return { agent: others, tools: createMemoryTools(heard, notes.tools, cite), warnings: [] };
}
