import type { Change } from '../../core/memory/change.js';
import type { MemoryEntry } from '../../core/memory/commands/entry.js';
import { findEntry } from '../../core/memory/commands/search.js';
import { checkSignature, isSignedFirst, type Sign, signEntry } from '../../core/memory/signature.js';
import { parseLog } from '../../core/memory/units.js';
import {
  type CommandSession,
  logsOf,
  type MemoryCommandResult,
  type MemoryLog,
  type MemoryView,
  noSuchEntry,
  refusal,
  saveChanges,
  severalEntries,
} from './command-session.js';
import type { MemoryCommand } from './parse-memory-command.js';

/**
 * Signs entries with the first key: those that an earlier key has signed, with `unsigned` those that have no signature,
 * and a single one by its id. What does not fit its signature may be forged, so a person names each.
 */
export async function signMemory(
  { id, unsigned }: Extract<MemoryCommand, { kind: 'sign' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const { sign } = hand;
  if (sign === undefined) {
    const remedy =
      'Give `memory-signing-key` in a workflow, or the environment variable AXE_MEMORY_SIGNING_KEY on the command line.';
    return refusal('refused', 'there is no key to sign with', remedy);
  }
  const sorted = logsOf(view).flatMap(({ entries, path }) =>
    entries.map((entry) => ({ entry, path, state: stateOf(entry, path, sign) })),
  );
  const chosen = id === '' ? sorted.filter(({ state }) => isInBulk(state, unsigned)) : pick(id, view, sorted);
  if ('kind' in chosen) return chosen;
  const signed = chosen.filter(({ state }) => state !== 'first');
  const blocked = signed.find(({ entry, path }) => signEntry(entry.unit, path, sign) === undefined);
  if (blocked !== undefined && id !== '') return cannotSign(blocked.entry);
  const signedTexts = new Map(signed.map(({ entry, path }) => [`${path} ${entry.id}`, entry.unit.text]));
  const changes = logsOf(view).flatMap((log) => signLog(log, { signedTexts, sign }));
  const failed = changes.length === 0 ? undefined : await saveChanges(changes, hand);
  if (failed !== undefined) return failed;
  const left = id === '' ? leftOut(sorted.filter((one) => !signed.includes(one))) : [];
  const headline = `Signed ${count(signed.length)} with the first key.`;
  return {
    kind: 'done',
    text: [headline, ...left].join('\n\n'),
    headline,
    changed: signed.length > 0,
    warnings: view.warnings,
  };
}

type State = 'first' | 'earlier' | 'bad' | 'none';

interface Sorted {
  readonly entry: MemoryEntry;
  readonly path: string;
  readonly state: State;
}

function stateOf({ unit }: MemoryEntry, path: string, sign: Sign): State {
  const state = checkSignature(unit.text, [path], sign);
  if (state !== 'good') return state;
  return isSignedFirst(unit.text, path, sign) ? 'first' : 'earlier';
}

function isInBulk(state: State, unsigned: boolean): boolean {
  return state === 'earlier' || (unsigned && state === 'none');
}

function pick(
  id: string,
  view: MemoryView,
  sorted: readonly Sorted[],
): readonly Sorted[] | MemoryCommandResult {
  const found = findEntry(
    sorted.map(({ entry }) => entry),
    id,
  );
  switch (found.kind) {
    case 'found':
      return sorted.filter(({ entry }) => found.entries.includes(entry));
    case 'missing':
      return noSuchEntry(id, view);
    case 'ambiguous':
      return severalEntries(id, found.candidates);
  }
}

function cannotSign({ id }: MemoryEntry): MemoryCommandResult {
  const remedy = 'Move that text above the line, or `edit` the entry with the key, which signs it too.';
  return refusal(
    'refused',
    `\`${id}\` has text below its provenance line, which a signature cannot cover`,
    remedy,
  );
}

/** Signs exactly what was looked at: an entry that somebody has changed since stays as it is. */
function signLog(
  { path, entries }: MemoryLog,
  { signedTexts, sign }: { readonly signedTexts: ReadonlyMap<string, string>; readonly sign: Sign },
): readonly Change[] {
  if (!entries.some(({ id }) => signedTexts.has(`${path} ${id}`))) return [];
  const rewrite = (text: string): string => {
    const { preamble, units } = parseLog(text);
    const parts = units.map((unit) => {
      const isSame = signedTexts.get(`${path} ${unit.id}`) === unit.text;
      return (isSame ? signEntry(unit, path, sign) : undefined) ?? unit.text;
    });
    return preamble + parts.join('');
  };
  return [{ kind: 'rewrite', path, rewrite }];
}

function leftOut(sorted: readonly Sorted[]): readonly string[] {
  const none = sorted.filter(({ state }) => state === 'none').length;
  const bad = sorted.filter(({ state }) => state === 'bad').map(({ entry }) => `\`${entry.id}\``);
  const parts = [
    ...(none === 0 ? [] : [`${none} without a signature (\`sign --unsigned\`)`]),
    ...(bad.length === 0
      ? []
      : [`${bad.length} whose signature does not fit (read it, then \`sign <id>\`): ${bad.join(', ')}`]),
  ];
  return parts.length === 0 ? [] : [`Not signed: ${parts.join(', ')}.`];
}

function count(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
}
