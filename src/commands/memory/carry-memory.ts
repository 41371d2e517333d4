import { compareImport, type Incoming } from '../../core/memory/commands/import.js';
import { parseLog } from '../../core/memory/units.js';
import {
  ask,
  type CommandSession,
  type Exported,
  type MemoryCommandResult,
  type MemoryView,
  refusal,
  saveChanges,
} from './command-session.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** Writes a run log, or everything, to where a person wants it; no byte of it is changed. */
export async function exportMemory(
  { out, all, lane }: Extract<MemoryCommand, { kind: 'export' }>,
  view: MemoryView,
  { writeExport }: CommandSession,
): Promise<MemoryCommandResult> {
  if (writeExport === undefined) return refusal('refused', 'memory cannot be exported from here');
  if (all && out === '-') {
    return refusal('refused', 'everything does not fit into one file', 'Name a folder with `--out`.');
  }
  const { text, path, entries } = view[lane];
  const exported: Exported = all ? { kind: 'folder', tree: view.tree } : { kind: 'file', text };
  const count = all ? view.tree.size : entries.length;
  if (all ? count === 0 : text === '') {
    return refusal(
      'not-found',
      `there is nothing in ${all ? view.location : `\`${path}\` in ${view.location}`}`,
    );
  }
  const written = await ask(writeExport(out, exported));
  if (written.kind === 'failed') return written;
  const { warnings } = view;
  if (written.answer !== undefined)
    return { kind: 'done', text: written.answer, isExport: true, changed: false, warnings };
  const what = all ? counted(count, 'file', 'files') : counted(count, 'entry', 'entries');
  const where = out === '-' ? 'standard output' : out;
  return { kind: 'done', text: `Exported ${what} to ${where}.`, changed: false, warnings };
}

/** Merges the entries of a file into a lane, by their ids; what was forgotten stays so. */
export async function importMemory(
  { from, lane: requestedLane }: Extract<MemoryCommand, { kind: 'import' }>,
  view: MemoryView,
  hand: CommandSession,
): Promise<MemoryCommandResult> {
  const lane = hand.isQuarantined === true ? 'untrusted' : requestedLane;
  if (hand.readImport === undefined) return refusal('refused', 'memory cannot be imported from here');
  const imported = await ask(hand.readImport(from));
  if (imported.kind === 'failed') return imported;
  if (parseLog(imported.answer).units.length === 0) {
    const remedy = 'An entry begins with a line such as `## 2026-02-03T04:05:06Z`.';
    return refusal('refused', `${from === '-' ? 'standard input' : from} holds no entries`, remedy);
  }
  const { text: log, path, forgotten } = view[lane];
  const incoming = compareImport(log, imported.answer, { forgotten, secrets: hand.secrets });
  const changed = incoming.added > 0;
  const failed = changed
    ? await saveChanges([{ kind: 'merge', path, text: incoming.text }], hand)
    : undefined;
  if (failed !== undefined) return failed;
  const text = `${formatImported(incoming)} Memory: \`${path}\` in ${view.location}.`;
  return { kind: 'done', text, headline: text, changed, warnings: view.warnings };
}

function formatImported({ added, known, forgotten }: Incoming): string {
  const parts = [
    `Imported ${counted(added, 'entry', 'entries')}`,
    ...(known > 0 ? [`${known} ${known === 1 ? 'was' : 'were'} there already`] : []),
    ...(forgotten > 0
      ? [
          `${forgotten} ${forgotten === 1 ? 'was' : 'were'} forgotten and ${forgotten === 1 ? 'stays' : 'stay'} so`,
        ]
      : []),
  ];
  return `${parts.join('; ')}.`;
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
