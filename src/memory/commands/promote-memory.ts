import type { Provenance } from '../provenance.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryView,
  noSuchEntry,
  refusal,
  saveChanges,
  severalEntries,
} from './command-session.js';
import { bareProvenance, composeEntry } from './compose.js';
import type { MemoryEntry } from './entry.js';
import { formatWhole } from './format.js';
import type { MemoryCommand } from './parse-memory-command.js';
import { entryNotes } from './remember-memory.js';
import { fieldsOf, forgetEntry, placeEntry } from './replace.js';
import { findEntry } from './search.js';

const PREFIX = 'p-';

/**
 * Makes an entry of the untrusted lane a trusted one, by the word of the person who asks. Its id is made of the old one, so that
 * promoting twice adds one; the old one goes from both lanes, since a tainted run has it in both (D19).
 */
export async function promoteEntry(
  { id }: Extract<MemoryCommand, { kind: 'promote' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const found = findEntry(view.untrusted.entries, id);
  if (found.kind === 'ambiguous') return severalEntries(id, found.candidates);
  const old = found.kind === 'found' ? found.entries[0] : undefined;
  return old === undefined ? notThere(id, view) : await promote(old, view, hand);
}

async function promote(
  old: MemoryEntry,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const { trusted, untrusted } = view;
  const newId = PREFIX + old.id;
  const fields = fieldsOf(old);
  const { secrets } = hand;
  const entry = composeEntry(
    {
      timestamp: new Date(old.timeMs),
      heading: old.heading,
      ...fields,
      provenance: provenanceOf(old, newId, hand),
    },
    secrets,
  );
  const saved = await saveChanges(
    [placeEntry({ path: trusted.path, oldId: old.id, entry }), forgetEntry(untrusted.path, old.id)],
    hand,
  );
  if (saved.kind === 'failed') return saved;
  const promoted = `\`${old.id}\` is now \`${newId}\` in the trusted lane, and trusted runs load it.`;
  return {
    kind: 'done',
    text: [promoted, ...entryNotes(entry, fields, hand), ...saved.notices].join('\n\n'),
    quoted: formatWhole(old),
    changed: true,
    warnings: view.warnings,
  };
}

/** Where it came from stays; that it is trusted is the word of the person who promotes it. */
function provenanceOf({ provenance }: MemoryEntry, id: string, { origin }: CommandSession): Provenance {
  return { ...(provenance ?? bareProvenance(id)), id, trust: 'trusted', actor: origin?.actor };
}

function notThere(id: string, view: MemoryView): MemoryCommandResult {
  const promoted = findEntry(view.trusted.entries, PREFIX + id);
  if (promoted.kind === 'found') {
    const text = `\`${id}\` was promoted before: \`${promoted.id}\`.`;
    return { kind: 'done', text, changed: false, warnings: view.warnings };
  }
  const trusted = findEntry(view.trusted.entries, id);
  if (trusted.kind === 'found')
    return refusal('not-found', `\`${trusted.id}\` is in the trusted lane already`);
  return noSuchEntry(id, view, 'untrusted entry');
}
