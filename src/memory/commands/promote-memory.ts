import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  noSuchEntry,
  refusal,
  saveChanges,
  severalEntries,
} from './command-session.js';
import { composeEntry, fieldsOf, forgetEntry, placeEntry } from './compose.js';
import { findEntry } from './entry.js';
import { formatWhole } from './format.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { entryNotes } from './remember-memory.js';

const PREFIX = 'p-';

/**
 * Makes an entry of the untrusted lane a trusted one, by the word of the person who asks. Its id is made of the old one, so that
 * promoting twice adds one; the old one goes from both lanes, since a tainted run has it in both (D19).
 */
export async function promoteEntry(
  { id }: Extract<MemoryCommand, { kind: 'promote' }>,
  view: MemoryView,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  const found = findEntry(view.untrusted.entries, id);
  if (found.kind === 'ambiguous') return severalEntries(id, found.candidates);
  const old = found.kind === 'found' ? found.entries[0] : undefined;
  if (old === undefined) return notThere(id, view);
  const newId = PREFIX + old.id;
  const fields = fieldsOf(old);
  // Where it came from stays; that it is trusted is the word of the person who promotes it.
  const provenance = { ...old.provenance, id: newId, trust: 'trusted', actor: session.origin?.actor };
  const timestamp = new Date(old.timeMs);
  const entry = composeEntry({ timestamp, heading: old.heading, ...fields, provenance }, session.secrets);
  const saved = await saveChanges(
    [placeEntry(view.trusted.path, old.id, entry), forgetEntry(view.untrusted.path, old.id)],
    session,
  );
  if (saved.kind === 'failed') return saved;
  const promoted = `\`${old.id}\` is now \`${newId}\` in the trusted lane, and trusted runs load it.`;
  return {
    kind: 'done',
    text: [promoted, ...entryNotes(entry, fields, session), ...saved.notices].join('\n\n'),
    quoted: formatWhole(old),
    changed: true,
  };
}

function notThere(id: string, view: MemoryView): MemoryCommandResult {
  const promoted = findEntry(view.trusted.entries, PREFIX + id);
  if (promoted.kind === 'found') {
    const text = `\`${id}\` was promoted before: \`${promoted.id}\`.`;
    return { kind: 'done', text, changed: false };
  }
  const trusted = findEntry(view.trusted.entries, id);
  if (trusted.kind === 'found')
    return refusal('not-found', `\`${trusted.id}\` is in the trusted lane already`);
  return noSuchEntry(id, view.location, 'untrusted entry');
}
