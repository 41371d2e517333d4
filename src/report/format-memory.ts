import { describeTaint, type TaintSource } from '../event/taint.js';
import type { Trigger } from '../event/trigger.js';
import { code, codeBlock, details, oneLine, paragraphs } from '../lib/text/markdown.js';
import { stripProvenance } from '../memory/run-log.js';
import type { FailedSave, MemoryStore, Place } from '../memory/store.js';
import type { EntryChange, Memory, Plan, Remembered } from '../run/records.js';
import { describeRestored } from '../runner/action-reporter.js';
import { formatLoadedNotes, formatNotes, formatUnsavedNotes, notesCount } from './format-notes.js';
import type { ReportOf } from './run-summary.js';

/**
 * What is shown of memory in the summary: exactly what this run loaded and added, and where that is; `isHidden` where it lies
 * in another repository, and what it says is to stay there (D14).
 */
export function formatMemory(
  {
    plan,
    memory,
    taints,
    remembered,
  }: {
    readonly plan: Plan;
    readonly memory: Memory | undefined;
    readonly taints: readonly TaintSource[];
    readonly remembered: Remembered | undefined;
  },
  isHidden: boolean,
  storeNotes: readonly string[],
): string {
  if (memory === undefined)
    return '**Memory:** off. To turn it on, set `enabled = true` in `[memory]` of the agent.';
  return paragraphs([
    headLine(memory),
    loadedText(memory, isHidden),
    formatLoadedNotes(memory, isHidden),
    addedText(memory, plan.agent.name, remembered, isHidden),
    apartNote(plan, taints, remembered),
    storeNotes.map((note) => `- ${oneLine(note)}`).join('\n'),
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

export function loadedEntries(memory: Memory | undefined): number {
  return memory?.restored.kind === 'restored' ? memory.restored.loaded : 0;
}

/** The place, as a link where it has an address. */
function link({ location, url }: Place): string {
  return url === undefined ? code(location) : `[${code(location)}](${url})`;
}

function loadedText({ text }: Memory, isHidden: boolean): string {
  if (text === '') return '';
  if (isHidden) return 'Its text is not shown here, because it belongs to another repository.';
  return details('What the model was given from memory', codeBlock(text.trimEnd()));
}

function addedText(
  memory: Memory,
  agent: string,
  remembered: Remembered | undefined,
  isHidden: boolean,
): string {
  if (remembered === undefined || isNowhere(remembered)) return '';
  if (isHidden) return hiddenLine(remembered);
  const { result, entries } = remembered;
  const [first] = result.kind === 'saved' ? entries : [];
  return paragraphs([
    addedLine(remembered),
    ...entries.map(entryBlock(entries.length, result.kind === 'saved')),
    formatNotes(memory, remembered),
    formatUnsavedNotes(remembered),
    first === undefined || result.kind !== 'saved'
      ? ''
      : undoLine(first.id, { agent, store: memory.store.kind, location: result.location }),
  ]);
}

/** What somebody who wants no memory adds to it. */
function isNowhere({ result }: Remembered): boolean {
  return result.kind === 'saved' && result.isNowhere === true;
}

/** Of a run that did not complete its notes are all there is. */
function addedLine({ result, entries }: Remembered): string {
  if (entries.length === 0)
    return result.kind === 'saved' ? `Notes saved to ${link(result)}.` : notSaved(result);
  if (result.kind === 'saved') {
    const others = entries.slice(1).map(({ path }) => code(path));
    return `Added to ${[link(result), ...others].join(' and ')}:`;
  }
  return `${notSaved(result)} The ${entries.length === 1 ? 'entry' : 'entries'}, so that nothing is lost:`;
}

/** Of an entry that is to stay in another repository nothing but its id is told (D14). */
function hiddenLine({ result, entries: [entry], notes }: Remembered): string {
  const parts = [
    ...(entry === undefined ? [] : [`entry ${code(entry.id)}`]),
    ...(notes.length === 0 ? [] : [notesCount(notes.length)]),
  ];
  const what = parts.join(' and ');
  if (result.kind === 'saved') return `Added to ${link(result)}: ${what}.`;
  const begun = what.slice(0, 1).toUpperCase() + what.slice(1);
  const [belongs, it, is] = notes.length === 0 ? ['belongs', 'it', 'is'] : ['belong', 'they', 'are'];
  return `${notSaved(result)} ${begun} ${belongs} only in that repository, so ${it} ${is} not shown here.`;
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
      return `It is kept only if a later step commits and pushes it. Undo: ${code(`axe-action memory forget ${agent} ${id} --dir .axe/memory`)} in a checkout.`;
    case 'cache':
      return `Undo, until the next run: delete ${code(location)} on the page “Caches” of “Actions”.`;
    default:
      return `Undo: ${code(`/axe forget ${id}`)} in a comment, if the workflow runs on comments.`;
  }
}

/** Why an entry stands where trusted runs do not read (D19). */
function apartNote(
  { trust, memory }: Plan,
  taints: readonly TaintSource[],
  remembered: Remembered | undefined,
): string {
  if (memory?.lane === 'none') return '`memory-readonly: true`: this run adds nothing to memory.';
  if (remembered === undefined || isNowhere(remembered)) return '';
  const [first, second] = remembered.entries;
  if (second !== undefined)
    return `The run's own words are kept apart because ${listOf(taints.map(describeTaint))}. Trusted runs load only the computed entry.`;
  if (first === undefined || first.path === memory?.path) return '';
  return `The entry is kept apart from what trusted runs load because ${trust.reason}.`;
}

function listOf(reasons: readonly string[]): string {
  return reasons.length < 2 ? reasons.join('') : `${reasons.slice(0, -1).join(', ')}, and ${reasons.at(-1)}`;
}

const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';

/**
 * What people should know of the store that took the entry, in whole sentences (D13): notices are worth an annotation, remarks
 * are for the summary alone. A failed save tells enough.
 */
export function memoryNotes(
  { plan: { trigger }, memory, remembered }: ReportOf<'ran'>,
  isElsewhere: boolean,
): Readonly<Record<'notices' | 'remarks', readonly string[]>> {
  if (remembered === undefined || remembered.result.kind === 'failed') return { notices: [], remarks: [] };
  const { notices = [] } = remembered.result;
  // A branch that was just created has said so.
  const isTold = memory?.store.kind !== 'branch' || isElsewhere || notices.length > 0;
  return { notices, remarks: !isTold && isPublic(trigger) ? [PUBLIC] : [] };
}

/** A payload without its repository, as a schedule's may be, does not say. */
function isPublic(trigger: Trigger): boolean {
  return trigger.kind !== 'local' && !trigger.repository.isPrivate && trigger.repository.defaultBranch !== '';
}
