import {
  type FatedFinding,
  findingStats,
  formatStatsChart,
  formatStatsTables,
} from '../../core/findings/stats.js';
import { type LogLane, type MemoryEntry, readEntries, readEntry } from '../../core/memory/commands/entry.js';
import { indexEntries } from '../../core/memory/commands/entry-index.js';
import { formatEntries, formatLogFindings, formatWhole } from '../../core/memory/commands/format.js';
import { formatNoteList, searchNoteLines, verifyNote } from '../../core/memory/commands/notes.js';
import { findEntry, isMeant, type LogFinding, matcherOf } from '../../core/memory/commands/search.js';
import { LogVerifier } from '../../core/memory/commands/verify.js';
import { piecesOf, unitsOf } from '../../core/memory/log-pieces.js';
import { statePath } from '../../core/memory/state.js';
import type { MemoryStore } from '../../core/memory/store.js';
import { type FindingLife, livesOf } from '../../core/review/finding-facts.js';
import { parseReviewFacts } from '../../core/review/state-facts.js';
import { count } from '../../core/text/number.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  type MemoryDone,
  noSuchEntryOrNote,
  noSuchNote,
  severalEntries,
} from './command-session.js';
import { lanesOf, type MemoryLook } from './look.js';
import type { MemoryCommand } from './parse-memory-command.js';

/** The entries of a lane, or one with all it says. */
export async function showMemory(
  { id, lane, last }: Extract<MemoryCommand, { kind: 'show' }>,
  look: MemoryLook,
  session: CommandSession,
): Promise<MemoryCommandResult> {
  if (id !== '') return showNote(id, look) ?? (await showOne(id, look));
  const { file } = look[lane];
  const index = await indexEntries(file);
  const { all } = index;
  const shown = last > 0 && last < all ? `The newest ${last} of ${all}` : `${all}`;
  const above =
    all === 0
      ? noneYet(look, lane, session.store)
      : `${shown} ${all === 1 ? 'entry' : 'entries'} of ${placeOf(look, lane)}, newest first:`;
  const notes =
    look.notes.length === 0 ? [] : [`Notes in ${look.location}:\n\n${formatNoteList(look.notes)}`];
  const below = [...(await others(look, lane)), ...notes];
  return await list({ above, entries: index.newest(file, lane, last), below }, look, session);
}

/** All notes with their sizes, or one with all it says. */
export function showNotes(path: string, look: MemoryLook): MemoryCommandResult {
  if (path !== '') return showNote(path, look) ?? noSuchNote(path, look);
  const { notes, location } = look;
  const text =
    notes.length === 0
      ? `There are no notes in ${location}. An agent keeps some with \`notes = true\` in \`[memory]\`.`
      : `${count(notes.length, 'note')} in ${location}:\n\n${formatNoteList(notes)}`;
  return done(look, [text], { entries: [] });
}

/** A note with all it says; undefined where none has that path. */
function showNote(path: string, look: MemoryLook): MemoryDone | undefined {
  const note = look.notes.find((one) => one.path === path);
  if (note === undefined) return undefined;
  return done(look, [`${formatNoteList([note])}\n\n${note.text.trimEnd()}`], { entries: [] });
}

/** The entries that hold all the words. */
export async function searchMemory(
  { words, lane, last }: Extract<MemoryCommand, { kind: 'search' }>,
  look: MemoryLook,
  session: CommandSession,
): Promise<MemoryDone> {
  const { file } = look[lane];
  const holds = matcherOf(words);
  const index = await indexEntries(file, (placed) => holds(readEntry(placed, lane)));
  const quoted = words.map((word) => `"${word}"`).join(' and ');
  const place = placeOf(look, lane);
  const above =
    index.length === 0
      ? `No entry of ${place} contains ${quoted}.`
      : `${index.length} of ${index.all} entries of ${place} contain${index.length === 1 ? 's' : ''} ${quoted}:`;
  const lines = searchNoteLines(look.notes, words);
  const shown = last === 0 ? lines : lines.slice(0, last);
  const contain = lines.length === 1 ? '1 line of notes contains' : `${lines.length} lines of notes contain`;
  const inNotes = lines.length === 0 ? [] : [`${contain} ${quoted}:\n\n${shown.join('\n')}`];
  const below = [...inNotes, ...(await others(look, lane))];
  return await list({ above, entries: index.newest(file, lane, last), below }, look, session);
}

/** What is not as it should be in the logs and notes of both lanes. */
export async function verifyMemory(look: MemoryLook): Promise<MemoryDone> {
  const reports: (readonly LogFinding[])[] = [];
  for (const { file, ...log } of lanesOf(look)) {
    const verifier = new LogVerifier(log);
    for await (const piece of piecesOf(file)) verifier.push(piece);
    reports.push(verifier.end());
  }
  reports.push(look.notes.flatMap(verifyNote));
  const findings = reports.flat();
  const problems = findings.filter(({ severity }) => severity === 'problem').length;
  const verdict =
    problems === 0
      ? `No problems in ${look.location}.`
      : `${count(problems, 'problem')} in ${look.location}.`;
  const texts = reports.filter((report) => report.length > 0).map(formatLogFindings);
  return done(look, [...texts, verdict], { findings });
}

async function showOne(id: string, look: MemoryLook): Promise<MemoryCommandResult> {
  const candidates: MemoryEntry[] = [];
  for (const { file, lane } of lanesOf(look))
    for await (const units of unitsOf(file))
      for (const placed of units) if (isMeant(placed.unit.id, id)) candidates.push(readEntry(placed, lane));
  const found = findEntry(candidates, id);
  switch (found.kind) {
    case 'found':
      return done(look, [found.entries.map(formatWhole).join('\n')], { entries: found.entries });
    case 'missing':
      return noSuchEntryOrNote(id, look);
    case 'ambiguous':
      return severalEntries(id, found.candidates);
  }
}

/** What a trial without a model left lies apart (D32), where nobody would look for it. */
function noneYet(look: MemoryLook, lane: LogLane, { kind }: MemoryStore): string {
  const none = `No entries in ${placeOf(look, lane)}.`;
  const apart = `offline/${look.trusted.path}`;
  const count = readEntries(look.tree.get(apart) ?? '', 'trusted').length;
  if (count === 0) return none;
  const entries = count === 1 ? '1 entry' : `${count} entries`;
  const how = kind === 'file' ? ` (\`--dir ${look.location}/offline\`)` : '';
  return `${none} The offline rules have ${entries} in \`${apart}\`${how}.`;
}

/** The lane that was not asked for, so that nobody takes one for all. */
async function others(look: MemoryLook, lane: LogLane): Promise<readonly string[]> {
  const other = lane === 'trusted' ? look.untrusted : look.trusted;
  const { all } = await indexEntries(other.file, () => false);
  if (all === 0) return [];
  const entries = all === 1 ? '1 entry' : `${all} entries`;
  return [`The ${other.lane} lane has ${entries} (\`--lane ${other.lane}\`).`];
}

function placeOf(look: MemoryLook, lane: LogLane): string {
  return `\`${look[lane].path}\` in ${look.location}`;
}

interface ListParts {
  readonly above: string;
  readonly entries: AsyncIterable<readonly MemoryEntry[]>;
  readonly below: readonly string[];
}

/** A list for whoever takes one as it is read, or else as a text. */
async function list(
  { above, entries, below }: ListParts,
  look: MemoryLook,
  session: CommandSession,
): Promise<MemoryDone> {
  if (session.list !== undefined) {
    await session.list({ above, entries, below: below.join('\n\n'), warnings: look.warnings });
    return { ...done(look, [], {}), isListed: true };
  }
  const all: MemoryEntry[] = [];
  for await (const group of entries) all.push(...group);
  return done(look, [above, ...(all.length === 0 ? [] : [formatEntries(all)]), ...below], { entries: all });
}

function done(
  { warnings }: MemoryLook,
  parts: readonly string[],
  more: Pick<MemoryDone, 'entries' | 'findings'>,
): MemoryDone {
  return { kind: 'done', text: parts.join('\n\n'), changed: false, warnings, ...more };
}

/** A finding that nobody has answered for so long has no answer, in milliseconds. */
const UNANSWERED_MS = 14 * 24 * 60 * 60 * 1000;

/** What of a memory says what became of findings. */
interface StatsView extends Pick<MemoryLook, 'tree' | 'location' | 'warnings'> {
  readonly trusted: Pick<MemoryLook['trusted'], 'path'>;
}

/** What people made of an agent's findings, by category and by month, from its state file; no model is asked. */
export function memoryStats(view: StatsView, { clock }: Pick<CommandSession, 'clock'>): MemoryDone {
  const facts = parseReviewFacts(view.tree.get(statePath(view.trusted.path)) ?? '');
  const now = clock.now();
  const fated = [...livesOf(facts).values()].flatMap((life) => fateOf(life, now) ?? []);
  const stats = findingStats(fated);
  const text =
    fated.length === 0
      ? `No finding in ${view.location} has an answer yet.`
      : [
          `What people made of ${stats.all.total} findings, by the state in ${view.location}:`,
          formatStatsTables(stats),
          formatStatsChart(stats),
          NOTE,
        ].join('\n\n');
  return { kind: 'done', text, changed: false, warnings: view.warnings };
}

const NOTE =
  '*Acted on*: fixed, or the line was changed. *Unanswered*: no answer for 14 days. A finding that was only resolved counts for neither.';

/** Undefined for one whose story goes on, or that says nothing. */
function fateOf({ raised, ended }: FindingLife, now: Date): FatedFinding | undefined {
  if (ended === undefined) {
    const isOld = raised !== undefined && now.getTime() - raised.at.getTime() > UNANSWERED_MS;
    return isOld ? { category: raised.category, fate: 'unanswered', at: raised.at } : undefined;
  }
  const { category, how, why } = ended;
  const at = raised?.at ?? ended.at;
  switch (how) {
    case 'dismissed':
      return { category, fate: 'dismissed', at };
    case 'settled':
      return why === 'closed' || why === 'command' ? undefined : { category, fate: 'acted-on', at };
    case 'outdated':
      return { category, fate: 'acted-on', at };
    case 'withdrawn':
      return undefined;
  }
}
