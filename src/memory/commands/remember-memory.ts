import { MAX_RESULT_CODE_POINTS } from '../../lib/defaults.js';
import { sanitize } from '../../safety/sanitize.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  saveChanges,
} from './command-session.js';
import { type ComposedEntry, composeEntry, type Fields } from './compose.js';
import { readEntries } from './entry.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** Adds an entry of a person's own to the trusted lane. */
export async function rememberText(
  { text: result }: Extract<MemoryCommand, { kind: 'remember' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const { secrets, clock, origin } = session;
  const { path } = view.trusted;
  const task = `Remembered by ${origin?.actor ?? 'hand'}`;
  const provenance = origin === undefined ? undefined : { ...origin, id: clock.newId(), trust: 'trusted' };
  const entry = composeEntry({ timestamp: clock.now(), task, result, provenance }, secrets);
  const where = `in \`${path}\` in ${view.location}`;
  const known = sameEntry(entry, view);
  if (known !== undefined) {
    const text = `That is remembered already, as \`${known}\` ${where}.`;
    return { kind: 'done', text, changed: false };
  }
  const saved = await saveChanges([{ kind: 'append', path, id: entry.id, text: entry.text }], session);
  if (saved.kind === 'failed') return saved;
  const told = [`Remembered as \`${entry.id}\` ${where}.`, ...entryNotes(entry, { task, result }, session)];
  return { kind: 'done', text: [...told, ...saved.notices].join('\n\n'), changed: true };
}

/** Id of what the same person remembered in the same words: a job that is run again must not say it twice. */
function sameEntry({ text }: ComposedEntry, { trusted }: MemoryView): string | undefined {
  const [written] = readEntries(text, 'trusted');
  return trusted.entries.find(({ task, result }) => task === written?.task && result === written?.result)?.id;
}

/** What a person should know of how an entry was written. */
export function entryNotes(
  { isCut }: ComposedEntry,
  { task, result }: Fields,
  { secrets }: CommandSession,
): readonly string[] {
  const text = `${task}\n${result}`;
  const isRedacted = sanitize(text, 'memory', secrets) !== text;
  return [
    ...(isCut ? [`It was cut after ${MAX_RESULT_CODE_POINTS} characters, as every entry is.`] : []),
    ...(isRedacted ? ['What looked like a secret was written as `***`.'] : []),
  ];
}
