import { describeTaint, type TaintSource } from '../event/taint.js';
import type { Trust } from '../event/trust.js';
import { stripProvenance } from '../memory/run-log.js';
import type { FailedSave, MemoryStore, Place, SaveResult } from '../memory/store.js';
import type { EntryChange, Memory, Remembered } from '../run/request.js';
import type { Plan } from '../run/run-plan.js';
import { describeRestored } from '../runner/action-reporter.js';
import { formatLoadedNotes, formatNotes, formatUnsavedNotes, notesCount, notesIn } from './format-notes.js';
import { code, codeBlock, details, oneLine, sections } from './markdown.js';

/** How memory is shown. */
export interface LoadedMemoryView {
  /** It lies in another repository, and what it says is to stay there (D14). */
  readonly isHidden: boolean;
  /** What should be known of the store, in whole sentences. */
  readonly notes: readonly string[];
}

/** What is shown of memory in the summary: exactly what this run loaded and added, and where that is. */
export function formatMemory(
  {
    plan,
    memory,
    taints = [],
    remembered,
  }: {
    readonly plan: Plan;
    readonly memory: Memory | undefined;
    readonly taints?: readonly TaintSource[];
    readonly remembered: Remembered;
  },
  view: LoadedMemoryView,
): string {
  if (memory === undefined)
    return '**Memory:** off. Set `enabled = true` in `[memory]` of the agent to have it remember.';
  return sections([
    headLine(memory),
    loadedText(memory, view),
    formatLoadedNotes(memory, view.isHidden),
    addedText({ memory, agent: plan.agent.name }, remembered, view),
    apartNote(plan, taints, remembered),
    view.notes.map((note) => `- ${oneLine(note)}`).join('\n'),
  ]);
}

function headLine({ restored, store }: Memory): string {
  const loaded = describeRestored(restored, () => link(restored));
  return `**Memory${store.kind === 'none' ? ':**' : `** (${STORES[store.kind]}):`} ${loaded}.`;
}

/** The stores in the words of people who never chose one. */
const STORES: Readonly<Record<Exclude<MemoryStore['kind'], 'none'>, string>> = {
  branch: 'memory branch',
  cache: 'Actions cache',
  file: 'file',
};

/** How many entries a run was given. */
export function loadedEntries(memory: Memory | undefined): number {
  return memory?.restored.kind === 'restored' ? memory.restored.loaded : 0;
}

/** The place, as a link where it has an address. */
function link({ location, url }: Place): string {
  return url === undefined ? code(location) : `[${code(location)}](${url})`;
}

function loadedText({ text }: Memory, { isHidden }: LoadedMemoryView): string {
  if (text === '') return '';
  return isHidden ? HIDDEN : details('What the model was given from memory', codeBlock(text.trimEnd()));
}

const HIDDEN = 'What it says is not shown here, since it is kept in another repository.';

function addedText(
  { memory, agent }: { readonly memory: Memory; readonly agent: string },
  remembered: Remembered,
  { isHidden }: LoadedMemoryView,
): string {
  if (remembered.kind === 'nothing') return '';
  const { result, entries } = remembered;
  if (isNowhere(remembered)) return '';
  if (isHidden) return hiddenLine(remembered);
  const added = remembered.kind === 'notes' ? notesLine(result) : addedLine(result, entries);
  const [first] = result.kind === 'saved' ? entries : [];
  return sections([
    added,
    ...entries.map(entryBlock(entries.length, result.kind === 'saved')),
    formatNotes(memory, remembered),
    formatUnsavedNotes(remembered),
    first === undefined || result.kind !== 'saved'
      ? ''
      : undoLine(first.id, { agent, store: memory.store.kind, location: result.location }),
  ]);
}

/** What somebody who wants no memory adds to it. */
function isNowhere({ result }: Added): boolean {
  return result.kind === 'saved' && result.isNowhere === true;
}

type Added = Exclude<Remembered, { readonly kind: 'nothing' }>;

/** Of a run that did not complete its notes are all there is. */
function notesLine(result: SaveResult): string {
  if (result.kind === 'saved') return `Notes saved to ${link(result)}.`;
  return notSaved(result);
}

function addedLine(result: SaveResult, entries: readonly EntryChange[]): string {
  if (result.kind === 'saved') {
    const others = entries.slice(1).map(({ path }) => code(path));
    return `Added to ${[link(result), ...others].join(' and ')}:`;
  }
  return `${notSaved(result)} The ${entries.length === 1 ? 'entry' : 'entries'}, so that nothing is lost:`;
}

/** Of an entry that is to stay in another repository nothing but its id is told (D14). */
function hiddenLine(added: Added): string {
  const { result } = added;
  const notes = notesIn(added).length;
  const entry = added.kind === 'entry' ? [`entry ${code(added.id)}`] : [];
  const what = [...entry, ...(notes === 0 ? [] : [notesCount(notes)])].join(' and ');
  if (result.kind === 'saved') return `Added to ${link(result)}: ${what}.`;
  const begun = what.slice(0, 1).toUpperCase() + what.slice(1);
  const [belongs, it, is] =
    added.kind === 'entry' && notes === 0 ? ['belongs', 'it', 'is'] : ['belong', 'they', 'are'];
  return `${notSaved(result)} ${begun} ${belongs} in that repository alone, so ${it} ${is} not shown here.`;
}

function notSaved({ message, remedy }: FailedSave): string {
  return `**Not saved:** ${message}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** Of two entries each is shown with its place. */
function entryBlock(entries: number, isSaved: boolean): (entry: EntryChange) => string {
  return ({ path, text }) => {
    const plain = stripProvenance(text).trimEnd();
    const block = isSaved ? codeBlock(plain.replaceAll(/^/gm, '+'), 'diff') : codeBlock(plain);
    return entries === 1 ? block : `${code(path)}:\n\n${block}`;
  };
}

/** How people take back what a run has added. A run on a comment can save to no cache. */
function undoLine(
  id: string,
  { agent, store, location }: { agent: string; store: MemoryStore['kind']; location: string },
): string {
  switch (store) {
    case 'file':
      return `Undo: ${code(`axe-action memory forget ${agent} ${id} --dir .axe/memory`)} in a checkout.`;
    case 'cache':
      return `Undo, until the next run: delete ${code(location)} on the page “Caches” of “Actions”.`;
    default:
      return `Undo: ${code(`/axe forget ${id}`)} in a comment, if the workflow runs on comments.`;
  }
}

/** Why an entry stands where trusted runs do not read (D19). */
function apartNote({ trust, memory }: Plan, taints: readonly TaintSource[], remembered: Remembered): string {
  if (memory?.lane === 'none') return '`memory-readonly: true`: this run adds nothing to memory.';
  if (remembered.kind === 'nothing' || isNowhere(remembered)) return '';
  const { entries } = remembered;
  if (entries.length === 0) return '';
  if (entries.length === 2) return computedNote(taints);
  if (entries[0]?.path === memory?.path) return '';
  return untrustedNote(trust);
}

function computedNote(taints: readonly TaintSource[]): string {
  return `The run's own words are kept apart because ${listOf(taints.map(describeTaint))}. Trusted runs load only the computed entry.`;
}

function untrustedNote({ reason }: Trust): string {
  return `The entry is kept apart from what trusted runs load because ${reason}.`;
}

function listOf(reasons: readonly string[]): string {
  return reasons.length < 2 ? reasons.join('') : `${reasons.slice(0, -1).join(', ')}, and ${reasons.at(-1)}`;
}
