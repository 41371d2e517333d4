import { MAX_RESULT_CODE_POINTS } from '../../lib/defaults.js';
import { cleanLine, count, formatInteger, inlineCode, paragraphs } from '../../lib/text/format.js';
import type { CheckedNotes } from '../../memory/citations.js';
import type { StoreKind } from '../../memory/store.js';
import type { GivenNotes, MemoryCommandResult, MemoryRefusal } from './command-session.js';

/** A log or a note in a memory, as the answers to commands name it. */
interface PlaceInMemory {
  readonly path: string;
  /** The branch, cache or folder of the memory. */
  readonly location: string;
}

/**
 * The answer to a command without any text from the memory, in markdown that is not sanitized yet.
 */
export function formatCommandResult(result: MemoryCommandResult): string {
  return result.kind === 'done' ? result.text : formatRefusal(result);
}

export function formatRefusal({ message, remedy, changed }: MemoryRefusal): string {
  const sentence = `${changed ? 'It was done, but ' : 'Nothing was done: '}${message}.`;
  return remedy === undefined ? sentence : `${sentence} ${remedy}`;
}

/** `id` is that of an entry; left out for a note. */
export function formatKnown({ path, location }: PlaceInMemory, id?: string): string {
  const name = id === undefined ? '' : `, as \`${id}\``;
  return `That is already remembered${name} in \`${path}\` in ${location}.`;
}

export function formatRemembered({ path, location }: PlaceInMemory, id: string): string {
  return `Remembered as \`${id}\` in \`${path}\` in ${location}.`;
}

export function formatRememberedNote({ path, location }: PlaceInMemory): string {
  return `Remembered in \`${path}\` in ${location}, for as long as the code says so.`;
}

export const CUT_TEXT = `It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`;
export const MASKED_TEXT = 'What looked like a secret was written as `***`.';

export function formatPromotedBefore(id: string, promotedId: string): string {
  return `\`${id}\` was promoted before: \`${promotedId}\`.`;
}

export function formatPromoted(oldId: string, newId: string): string {
  return `\`${oldId}\` is now \`${newId}\` in the log, and runs load it while it is among their newest entries.`;
}

export function formatDeletedNote({ path, location }: PlaceInMemory): string {
  return `Deleted the note \`${path}\` in ${location}.`;
}

export function formatForgotten(id: string, location: string): string {
  return `Forgot \`${id}\` in ${location}.`;
}

/** For an entry that is already gone, whose history is dropped all the same. */
export function formatGone(id: string, location: string): string {
  return `No entry in ${location} has the id \`${id}\` now.`;
}

/** Says which older versions still hold what was forgotten; empty for none. */
export const OLDER_VERSIONS: Readonly<Record<StoreKind, string>> = {
  branch:
    'Older commits of the branch still hold it. On `axe-memory`, `axe-action memory forget --purge` removes them; elsewhere use `git filter-repo`.',
  cache:
    'Older versions in the Actions cache hold it until GitHub evicts them. `gh cache list --key axe-memory/v1/` and `gh cache delete <id>` delete them.',
  file: 'The previous version next to it (`.bak`) still has it; `forget --purge` removes that.',
  none: '',
};

export const AFTER_PURGE_ON_GITHUB =
  'The branch was rewritten without its history. Anyone who knows a full commit id can read the old commits until GitHub deletes them; GitHub Support does so at once if you ask. Clones and forks keep theirs. Revoke any secret that was in it all the same.';
export const AFTER_PURGE_ON_DISK =
  'The `.bak` files were removed. Your own backups still have it, and so do commits if the folder is in a git repository.';

/** Above the entries of a log that are shown. */
export function formatShown(
  { path, location }: PlaceInMemory,
  { all, last, bytes }: Readonly<Record<'all' | 'last' | 'bytes', number>>,
): string {
  if (all === 0) return `No entries in \`${path}\` in ${location}.`;
  const shown = last > 0 && last < all ? `The newest ${last} of ${all}` : `${all}`;
  const noun = all === 1 ? 'entry' : 'entries';
  return `${shown} ${noun} (${count(bytes, 'byte')}) of \`${path}\` in ${location}, newest first:`;
}

/** Above the newest entries of a file of which only the end was read. */
export function formatShownEnd(
  { path, location }: PlaceInMemory,
  { entries, bytes }: Readonly<Record<'entries' | 'bytes', number>>,
): string {
  return `The newest ${entries} entries (of ${count(bytes, 'byte')}) of \`${path}\` in ${location}, newest first:`;
}

/** Above the entries of an agent whose file says how many it loads. */
export function formatLoadedByNumber({ path, location }: PlaceInMemory, lastN: number): string {
  return `The agent has \`last_n = ${lastN}\`, so its runs load the newest entries of \`${path}\` in ${location}, whatever they are about:`;
}

/** Above the entries that a run about the file `subject` loads. */
export function formatLoadedFor(
  { path, location }: PlaceInMemory,
  subject: string,
  { shown, all, related }: Readonly<Record<'shown' | 'all' | 'related', number>>,
): string {
  const place = `\`${path}\` in ${location}`;
  if (shown === 0) return `No entries in ${place}.`;
  const newestOnly = shown < all ? ', the newest, since none is about it' : '';
  const reason = related === 0 ? newestOnly : `, ${related} of them about ${inlineCode(subject)}`;
  return `A run about ${inlineCode(subject)} loads ${shown} of ${count(all, 'entry')} of ${place}${reason}:`;
}

/** The notes that a run is given, in the words of the job summary. */
export function formatGivenNotes(
  { files, block, counts, gone }: GivenNotes,
  location: string,
): string {
  const cited = describeCitations(counts);
  const stale = gone.map(
    ({ note, line, text }) => `- ${note}, line ${line}: ${cleanLine(text, MAX_STALE_TEXT)}`,
  );
  return paragraphs([
    `Notes: ${describeNotes({ files, isGiven: block !== '' }, location)}.`,
    block === '' ? '' : `What the model is given from notes:\n\n${block}`,
    cited === '' ? '' : `Lines that notes rest on: ${cited}.`,
    gone.length === 0 ? '' : `No longer true:\n\n${stale.join('\n')}`,
  ]);
}

/** Code points of a line. */
const MAX_STALE_TEXT = 300;

/** The amount and place of the notes that a run was given: `2 files in bot/`. */
export function describeNotes(
  { files, isGiven }: { readonly files: number; readonly isGiven: boolean },
  location: string,
): string {
  // The scratchpad is not listed as a note, but the model is given it.
  const withoutFiles = isGiven ? 'a scratchpad in' : 'none loaded from';
  return `${files > 0 ? `${count(files, 'file')} in` : withoutFiles} ${location}`;
}

/** The lines of code that notes cite: `2 as noted, 1 gone`; empty for none. */
export function describeCitations(counts: CheckedNotes['counts']): string {
  const { same, moved, gone, elsewhere, unchecked } = counts;
  const numbers = [
    [same, 'as noted'],
    [moved, 'moved'],
    [gone, 'gone'],
    [elsewhere, 'not on this branch'],
    [unchecked, 'not checked'],
  ] as const;
  const some = numbers.filter(([number]) => number > 0);
  return some.map(([number, word]) => `${formatInteger(number)} ${word}`).join(', ');
}

/** Above the entries that a search has found. */
export function formatFoundEntries(
  { path, location }: PlaceInMemory,
  words: readonly string[],
  { found, all }: Readonly<Record<'found' | 'all', number>>,
): string {
  const place = `\`${path}\` in ${location}`;
  if (found === 0) return `No entry of ${place} contains ${quoteWords(words)}.`;
  const verb = found === 1 ? 'contains' : 'contain';
  return `${found} of ${all} entries of ${place} ${verb} ${quoteWords(words)}:`;
}

/** Above the lines of notes that a search has found. */
export function formatMatchesInNotes(lines: number, words: readonly string[]): string {
  const contain = lines === 1 ? '1 line of notes contains' : `${lines} lines of notes contain`;
  return `${contain} ${quoteWords(words)}:`;
}

function quoteWords(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' and ');
}

/**
 * Mentions the log that is not shown, so that nobody takes the shown one for the whole memory. Its
 * number of entries is undefined if nobody counted them.
 */
export function formatOtherLog(entries: number | undefined, isApart: boolean): string {
  if (entries === undefined)
    return isApart
      ? 'The log has entries too (without `--apart`).'
      : 'Entries are kept apart too (`--apart`).';
  if (isApart) return `The log has ${count(entries, 'entry')} (without \`--apart\`).`;
  return `${count(entries, 'entry')} ${entries === 1 ? 'is' : 'are'} kept apart (\`--apart\`).`;
}
