import { isRunLog, mergeRunLogs } from './merge.js';
import { mergeLines } from './merge-lines.js';
import { isStatePath, mergeStates, parseState } from './state.js';
import { parseLog, type Unit } from './units.js';

/** A file of memory as two sides have it, and as it was before either changed it. Empty texts stand for no file. */
export interface ThreeVersions {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** Ids that must not be in the result. */
  readonly forgotten: ReadonlySet<string>;
}

/**
 * The changes of both sides in one text: what either added is in it, and what either removed is not. Run logs are merged
 * by entry, states by fact, everything else by line. Bytes and order are those of `theirs`; merging twice changes nothing.
 */
export function mergeThree(path: string, versions: ThreeVersions): string {
  const { base, ours, theirs, forgotten } = versions;
  if (isStatePath(path)) return mergeThreeStates(versions);
  if (isRunLog(base) || isRunLog(ours) || isRunLog(theirs)) return mergeThreeLogs(versions, forgotten);
  return mergeLines(versions);
}

function mergeThreeLogs(
  { base, ours, theirs }: Omit<ThreeVersions, 'forgotten'>,
  forgotten: ReadonlySet<string>,
): string {
  const before = unitsById(base);
  const [our, their] = [unitsById(ours), unitsById(theirs)];
  const removed = [...before.keys()].filter((id) => !our.has(id) || !their.has(id));
  const edited = withEdits(theirs, { before, our, base, ours });
  return mergeRunLogs(edited, withoutOldPreamble(ours, base), new Set([...forgotten, ...removed]));
}

/** What stands before the first entry is news only if we wrote it. */
function withoutOldPreamble(ours: string, base: string): string {
  const { preamble } = parseLog(ours);
  return preamble === parseLog(base).preamble ? ours.slice(preamble.length) : ours;
}

interface OurEdits {
  readonly before: ReadonlyMap<string, Unit>;
  readonly our: ReadonlyMap<string, Unit>;
  readonly base: string;
  readonly ours: string;
}

/** Their log with what we changed of entries, and of the text before the first one, where they changed nothing. */
function withEdits(theirs: string, { before, our, base, ours }: OurEdits): string {
  const { preamble, units } = parseLog(theirs);
  const [preambleBefore, ourPreamble] = [parseLog(base).preamble, parseLog(ours).preamble];
  const texts = units.map(({ id, text }) => {
    const [was, edited] = [before.get(id)?.text, our.get(id)?.text];
    return was !== undefined && edited !== undefined && isSame(text, was) && !isSame(edited, was)
      ? withEndOf(text, edited)
      : text;
  });
  return (preamble === preambleBefore ? ourPreamble : preamble) + texts.join('');
}

/** The blank lines between two entries belong to no edit. */
function withEndOf(text: string, edited: string): string {
  return edited.trimEnd() + text.slice(text.trimEnd().length);
}

function isSame(one: string, other: string): boolean {
  return one.replaceAll('\r\n', '\n').trimEnd() === other.replaceAll('\r\n', '\n').trimEnd();
}

function unitsById(text: string): ReadonlyMap<string, Unit> {
  return new Map(parseLog(text).units.map((unit) => [unit.id, unit]));
}

/** A fact that one side dropped goes, unless the other side has written it anew. */
function mergeThreeStates({ base, ours, theirs }: ThreeVersions): string {
  const before = restByName(base);
  const [our, their] = [restByName(ours), restByName(theirs)];
  const isDropped = (name: string): boolean => {
    const rest = before.get(name);
    if (rest === undefined || (our.has(name) && their.has(name))) return false;
    return (our.get(name) ?? rest) === rest && (their.get(name) ?? rest) === rest;
  };
  const merged = mergeStates(theirs, ours);
  if (![...before.keys()].some(isDropped)) return merged;
  const kept = merged.split('\n').filter((line) => ![...restByName(line).keys()].some(isDropped));
  return kept.join('\n');
}

function restByName(state: string): ReadonlyMap<string, string> {
  return new Map(parseState(state).map(({ kind, key, rest }) => [`${kind} ${key}`, rest]));
}
