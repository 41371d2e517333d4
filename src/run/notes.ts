import type { LoadedAgent } from '../agent/agent-source.js';
import { hasNotes } from '../agent/built-in.js';
import type { Trigger, TriggerPlace } from '../event/trigger.js';
import { type Reading, rightsOf } from '../event/trust.js';
import type { BaseCode } from '../github/reading/contents.js';
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
import { formatFacts, formatMemoryBlock } from '../memory/notes/context-block.js';
import { createNotesSession, listNotes, type Notes } from '../memory/notes/session.js';
import {
  ALL_NOTES_TOOLS,
  factsPath,
  isAmongPlaces,
  type NotesPlaces,
  type NotesTool,
  notePath,
  notesPlaces,
  notesToolsOf,
  placesToRead,
  READING_NOTES_TOOLS,
} from '../memory/paths.js';
import { damageOf, readableText } from '../memory/run-log.js';
import type { MemoryStore, RestoreResult, TreeResult } from '../memory/store.js';
import { damageWarnings } from '../memory/stores/read-log.js';
import { factsPrompt, notesToolsPrompt } from '../prompt/prompt.js';
import { sanitize } from '../safety/sanitize.js';
import type { ListedTools } from './conversation.js';
import type { Dependencies } from './dependencies.js';
import type { GivenNotes } from './memory-commands/command-session.js';
import type { MemoryPlan, RunNotes } from './records.js';

/**
 * Opens the notes of an agent and reads those for its prompt. Undefined for the built-in reviewer if
 * nobody has begun any. Never throws: errors are warnings.
 */
export async function openNotes(
  parts: {
    readonly agent: LoadedAgent;
    readonly memory: MemoryPlan;
    readonly plan: NotesPlan;
    readonly store: MemoryStore;
    /** The run log, read before. */
    readonly restored: RestoreResult;
    /** Unsaved changes of the top-level agent, which its sub-agents see. */
    readonly unsaved: readonly NoteChange[];
  },
  deps: Dependencies,
): Promise<RunNotes | undefined> {
  const { agent, memory, plan, store, restored, unsaved } = parts;
  const { places, isLive, isFactsOnly } = plan;
  const { clock, secrets, reporter, deadline, journal } = deps;

  const load = async (under: readonly string[] | undefined) =>
    withUnsaved(await store.readTree(deadline.signal, under), unsaved, under);
  const promptPlaces = placesInPrompt(plan, memory.path, clock.now());
  let firstTree: TreeResult | undefined = withUnsaved(
    treeOfRestored(restored) ?? (await store.readTree(deadline.signal, promptPlaces)),
    unsaved,
    undefined,
  );
  const root = isLive && firstTree.kind === 'tree' ? firstTree.location : '';

  const reported = new Set(
    restored.kind === 'failed' ? [] : restored.warnings.map(({ message }) => message),
  );
  const earlyWarnings: Warning[] = [];
  let isOpen = false;
  let checked = checkNotes(new Map(), undefined);
  const session = createNotesSession({
    places,
    runLog: memory.path,
    // Empty in a workflow: the location would differ in each run, and might be private.
    root,
    isPrivate: memory.isPrivate,
    caps: agent.config.memory,
    async load(under) {
      const tree = firstTree ?? (await load(under));
      firstTree = undefined;
      return tree;
    },
    redact: (text) => sanitize(text, 'memory', secrets.values),
    checked: () => checked,
    now: () => clock.now(),
    newId: () => clock.newId(),
    warn(warning) {
      if (reported.has(warning.message)) return;
      reported.add(warning.message);
      if (isOpen) reporter.warn(warning);
      else earlyWarnings.push(warning);
    },
    noteWrite: (action, path, bytes) =>
      reporter.event({ kind: 'note-written', action, path, bytes }),
    ...(isLive ? { writeThrough: (changes) => store.write(changes, deadline.closing) } : {}),
  });
  const loaded = await session.tree();
  const stored = loaded.kind === 'tree' ? loaded.tree : new Map<string, string>();
  const longTerm = stored.get(factsPath(places)) ?? '';
  if (isFactsOnly && loaded.kind === 'tree' && longTerm.trim() === '') return undefined;
  const cited = await checkCitedCode(stored, places, { ...deps, signal: deadline.signal });
  ({ checked } = cited);

  const granted = grantNotesTools(plan, store.kind !== 'none');
  const files = checked.view(stored, memory.path);
  const block = isFactsOnly
    ? { text: '', warnings: [] }
    : wholeBlock(files, { agent, places, now: clock.now() });
  // The facts of the reviewer are in the prompt once its change is known.
  const facts = isFactsOnly ? checked.lines(readableText(longTerm).trim()) : undefined;
  const tools = isFactsOnly && loaded.kind === 'failed' ? [] : granted.tools;
  const toolsPrompt = isFactsOnly ? factsPrompt(tools) : notesToolsPrompt(tools);
  isOpen = true;

  let pending: readonly NoteChange[] = [];
  return {
    session,
    tools,
    facts,
    found: { files: listNotes(files, places).length, location: loaded.location },
    prompt: { block: block.text, toolsPrompt },
    checked,
    warnings: [
      ...(loaded.kind === 'failed'
        ? [notesNotLoaded(agent.name, loaded)]
        : damageOfNotes(loaded, places, memory.isPrivate)),
      ...earlyWarnings,
      ...cited.warnings,
      ...(isLive && checked.gone.length > 0 ? [staleNotes(checked.gone)] : []),
      ...block.warnings,
      ...granted.warnings,
    ],
    async keep(isApart) {
      const changes = memory.isReadOnly ? [] : session.changes(isApart);
      if (journal === undefined || changes.length === 0) return;

      const previous = pending[0];
      if (previous !== undefined && previous.path !== changes[0]?.path) await journal.done(pending);
      pending = changes;
      await journal.pending(changes);
    },
  };
}

function notesNotLoaded(
  agent: string,
  { message, remedy }: Extract<TreeResult, { readonly kind: 'failed' }>,
): Warning {
  return {
    code: 'memory-load-failed',
    message: `failed to load the notes of "${agent}": ${message}`,
    remedy,
  };
}

/** For the command line, which has no job summary that lists these lines. */
function staleNotes([first, ...more]: readonly StaleNoteLine[]): Warning {
  const others = more.length === 0 ? '' : ` and ${count(more.length, 'other line')}`;
  const message = `the code that notes rest on is gone, so the model was not given ${first?.note}:${first?.line}${others}`;
  return {
    code: 'memory-outdated',
    message,
    remedy: 'Correct them, or remove them from the notes.',
  };
}

interface CitedCode {
  /** Texts of the notes that were checked, by path. */
  readonly notes: ReadonlyMap<string, string>;
  readonly base: BaseCode | undefined;
  readonly checked: CheckedNotes;
  readonly warnings: readonly Warning[];
}

type CodeReader = Pick<Dependencies, 'readBase'> & { readonly signal: AbortSignal };

/**
 * Checks notes against the code that they cite, once for an agent. If that code cannot be read they
 * stay unchecked, with a warning.
 */
export async function checkCitedCode(
  tree: MemoryTree,
  places: NotesPlaces,
  { readBase, signal }: CodeReader,
): Promise<CitedCode> {
  const notes = new Map(shownNotes(tree, places).map((path) => [path, tree.get(path) ?? '']));
  const citations = [...notes.values()].flatMap(citationsIn);
  try {
    const base = citations.length === 0 ? undefined : await readBase?.(citations, signal);
    return { notes, base, checked: checkNotes(notes, base), warnings: [] };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const checked = checkNotes(notes, undefined);
    return { notes, base: undefined, checked, warnings: [codeNotRead(thrown)] };
  }
}

export function codeNotRead({ message: reason, remedy }: AxeError): Warning {
  const message = `the code that notes rest on could not be read, so they are used as they are: ${reason}`;
  return { code: 'memory-outdated', message, remedy };
}

/** A store that read the notes together with the run log has reported these warnings already. */
function treeOfRestored(restored: RestoreResult): TreeResult | undefined {
  if (restored.kind === 'failed' || restored.alongside === undefined) return undefined;
  const { alongside: tree, warnings, blocked = [], prefix } = restored;
  const location = prefix?.slice(0, -1) ?? restored.location;
  return { kind: 'tree', tree, location, warnings, blocked };
}

/** Adds the run's unsaved changes in the requested places (all if undefined) to the stored tree. */
function withUnsaved(
  stored: TreeResult,
  unsaved: readonly NoteChange[],
  places: readonly string[] | undefined,
): TreeResult {
  if (stored.kind === 'failed' || unsaved.length === 0) return stored;

  const isRequested = ({ path }: NoteChange) =>
    places === undefined ||
    places.includes(path) ||
    places.includes(path.slice(0, path.lastIndexOf('/') + 1));
  return { ...stored, tree: applyChanges(stored.tree, unsaved.filter(isRequested)) };
}

/** Damage in notes that the prompt shows or that the tools read. `isPrivate` names no note. */
function damageOfNotes(
  { tree, location, prefix = `${location}/` }: Extract<TreeResult, { readonly kind: 'tree' }>,
  places: NotesPlaces,
  isPrivate: boolean,
): readonly Warning[] {
  return shownNotes(tree, places).flatMap((path) =>
    damageWarnings(
      { location: isPrivate ? location : prefix + path },
      damageOf(tree.get(path) ?? ''),
    ),
  );
}

function shownNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  return [...listNotes(tree, places), notePath({ kind: 'scratchpad' }, places)];
}

function wholeBlock(
  files: ReadonlyMap<string, string>,
  {
    agent: { config },
    places,
    now,
  }: { readonly agent: LoadedAgent; readonly places: NotesPlaces; readonly now: Date },
) {
  const { maxInjectBytes: maxBytes } = config.memory;
  return formatMemoryBlock(files, { places, today: dateOf(now), maxBytes });
}

/**
 * The notes of a memory that a run about these paths is given, without a run. Undefined for the
 * built-in reviewer if nobody has begun any.
 */
export async function notesGiven(
  { tree, agent, path, place, workdir, now }: MemoryToShow,
  paths: readonly string[],
  reader: CodeReader,
): Promise<GivenNotes | undefined> {
  const places = placesOf(agent, path, place, workdir);
  const isFactsOnly = !agent.config.memory.notes;
  const longTerm = tree.get(factsPath(places)) ?? '';
  if (isFactsOnly && longTerm.trim() === '') return undefined;

  const wanted = placesInPrompt({ places, isFactsOnly }, path, now);
  const read = new Map([...tree].filter(([file]) => !wanted || isAmongPlaces(file, wanted)));
  const { checked, warnings } = await checkCitedCode(read, places, reader);
  const files = checked.view(read, path);
  const block = isFactsOnly
    ? formatFacts(checked.lines(readableText(longTerm).trim()), paths)
    : wholeBlock(files, { agent, places, now }).text;
  const { counts, gone } = checked;
  return { files: listNotes(files, places).length, block: block.trim(), counts, gone, warnings };
}

/** A memory whose notes are shown to a person. */
interface MemoryToShow {
  readonly tree: MemoryTree;
  readonly agent: LoadedAgent;
  /** The agent's run log in the tree. */
  readonly path: string;
  readonly place: TriggerPlace;
  /** Absolute path of the folder the agent works in. */
  readonly workdir: string;
  readonly now: Date;
}

/** The facts that a run with these changed paths is given. */
export function withChosenFacts(notes: RunNotes, paths: readonly string[]): RunNotes {
  const { facts, prompt } = notes;
  if (facts === undefined) return notes;
  return { ...notes, prompt: { ...prompt, block: formatFacts(facts, paths) } };
}

/** The facts without the tool that adds to them. */
export function readOnlyFacts(notes: RunNotes | undefined): RunNotes | undefined {
  if (notes?.facts === undefined) return undefined;
  return { ...notes, tools: [], prompt: { ...notes.prompt, toolsPrompt: '' } };
}

/** The places of a run's notes, and the tools that may work on them. */
export interface NotesPlan {
  readonly places: NotesPlaces;
  /** The built-in reviewer: its facts are chosen by its change, and it adds a few at most. */
  readonly isFactsOnly: boolean;
  /** Changes are saved at once: on the command line without an event. */
  readonly isLive: boolean;
  /** Tools that the agent's file lists. */
  readonly requested: readonly NotesTool[];
  /** The reason if no tool can write; empty if that needs no warning. */
  readonly whyReadOnly: string | undefined;
}

/** The plan of an agent's notes, or undefined if they are off. */
export function planNotes({
  agent,
  memory,
  trigger,
  reading,
  workdir,
  isSubAgent,
}: {
  readonly agent: LoadedAgent;
  readonly memory: MemoryPlan | undefined;
  readonly trigger: Trigger;
  readonly reading: Reading;
  /** Absolute path of the folder the agent works in. */
  readonly workdir: string;
  /** Sub-agents can only read notes. */
  readonly isSubAgent: boolean;
}): NotesPlan | undefined {
  const { config } = agent;
  if (memory === undefined || !hasNotes(agent)) return undefined;

  const isLive = trigger.kind === 'local';
  const subAgentReason = config.memory.tools.length > 0 ? WHY_SUB_AGENT : '';
  const topLevelReason = whyTopLevelReadOnly(memory, rightsOf(reading.begun).remembers === 'log');
  const places = placesOf(agent, memory.path, trigger, workdir);
  const whyReadOnly = isSubAgent ? subAgentReason : topLevelReason;
  const isFactsOnly = !config.memory.notes;
  if (isFactsOnly) return { places, isFactsOnly, isLive, requested: ['memory_write'], whyReadOnly };
  const requested = [...notesToolsOf(config.memory.tools), ...namedNotesTools(config.tools)];
  return { places, isFactsOnly, isLive, requested: [...new Set(requested)], whyReadOnly };
}

/** The places that a prompt needs, as `MemoryStore.readTree` takes them. */
export function placesInPrompt(
  { places, isFactsOnly }: Pick<NotesPlan, 'places' | 'isFactsOnly'>,
  runLog: string,
  now: Date,
): readonly string[] | undefined {
  return isFactsOnly ? [factsPath(places)] : placesToRead(places, runLog, now);
}

function whyTopLevelReadOnly({ isReadOnly }: MemoryPlan, canWrite: boolean): string | undefined {
  if (isReadOnly) return WHY_NOT_SAVED;
  return canWrite ? undefined : WHY_UNTRUSTED;
}

/** The tools for notes among the names in an agent's `tools`. */
export function namedNotesTools(tools: readonly string[]): readonly NotesTool[] {
  return ALL_NOTES_TOOLS.filter((name) => tools.includes(name));
}

/** The tools for notes that an agent gets, with a warning for each of the others. @internal */
export function grantNotesTools(
  { requested, whyReadOnly, isFactsOnly }: NotesPlan,
  hasStore: boolean,
): { readonly tools: readonly NotesTool[]; readonly warnings: readonly Warning[] } {
  const reason = whyReadOnly ?? (hasStore ? undefined : WHY_NOT_KEPT);
  if (reason === undefined) return { tools: requested, warnings: [] };

  const tools = requested.filter((name) => READING_NOTES_TOOLS.includes(name));
  // Nobody has asked for the tool of the built-in reviewer.
  const isSilent = reason === '' || isFactsOnly;
  const withheld = isSilent ? [] : requested.filter((name) => !tools.includes(name));
  const warnings = withheld.map((name): Warning => {
    const message = `The tool \`${name}\` (memory) was withheld: ${reason}`;
    return { code: 'tool-not-available', message };
  });
  return { tools, warnings };
}

/** For an agent that lists tools for notes, but keeps no notes. */
export function notesAreOff(agent: string, names: readonly string[]): Warning {
  const listed = names.map((name) => `\`${name}\``).join(', ');
  const message = `agent "${agent}" asks for ${listed}, and keeps no notes. Set \`enabled = true\` and \`notes = true\` in \`[memory]\` of the agent.`;
  return { code: 'tool-not-available', message };
}

const WHY_SUB_AGENT =
  'a sub-agent can only read notes; it reports what matters to the agent that called it. Remove the tool from its `tools`.';
const WHY_NOT_SAVED =
  'with `memory-readonly: true` nothing would be kept. Leave that input out, or remove the tool from `tools`.';
const WHY_UNTRUSTED =
  'people without write access have a part in this run, and such runs only read and answer. Remove it from `tools` of an agent for them.';
const WHY_NOT_KEPT =
  'this run keeps no memory. Choose another `memory-store`, or remove the tool from `tools`.';

/**
 * The project is the repository of the event, or on a developer's machine the folder. `path` is
 * that of the run log.
 */
export function placesOf(
  { config }: LoadedAgent,
  path: string,
  trigger: TriggerPlace,
  workdir: string,
): NotesPlaces {
  const project =
    trigger.kind === 'local' ? workdir : `${trigger.repository.owner}/${trigger.repository.name}`;
  return notesPlaces(config.memory.scope, project, path.startsWith('offline/') ? 'offline/' : '');
}

/** The parts of a conversation that the tools for notes need. */
interface NotesAccess {
  /** Awaited after each change. */
  onWritten(): Promise<void>;
  /** Completes the citations of a note. */
  cite(content: string): Promise<string>;
  /** The conversation was shown a text with the number of this issue or pull request. */
  hasRead(issue: number): boolean;
}

/**
 * Creates the tools for notes that an agent was granted; `listed` are the names that it lists for
 * them.
 */
export async function notesTools(
  agent: LoadedAgent,
  notes: RunNotes | undefined,
  { onWritten, cite, hasRead }: NotesAccess,
): Promise<ListedTools> {
  const { config } = agent;
  const listed = namedNotesTools(config.tools);
  if (notes === undefined) {
    // If notes are on but could not be opened, there is a warning with the reason already.
    const isOff = listed.length > 0 && !config.memory.notes;
    return { tools: [], listed, warnings: isOff ? [notesAreOff(agent.name, listed)] : [] };
  }

  const reportingNotes: Notes = {
    ...notes.session,
    async change(target, wish) {
      const answer = await notes.session.change(target, wish);
      if (answer.kind === 'written') await onWritten();
      return answer;
    },
  };
  if (notes.facts !== undefined) {
    const { createFactsTool } = await import('../tools/memory/facts-tool.js');
    const tools =
      notes.tools.length === 0 ? [] : [createFactsTool(reportingNotes, { cite, hasRead })];
    return { tools, listed, warnings: [] };
  }
  const { createMemoryTools } = await import('../tools/memory/memory-tools.js');
  const tools = createMemoryTools(reportingNotes, notes.tools, cite);
  return { tools, listed, warnings: [] };
}
