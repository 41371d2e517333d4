import { withStates } from '../../axe/memory/change.js';
import type { Place, ReadRequest, RestoreResult, TreeResult } from '../../axe/memory/store.js';
import { foldTrees, type MemoryTree } from '../../axe/memory/tree.js';
import type { Warning } from '../../axe/warning.js';
import type { Snapshot, Unreadable } from '../backend.js';
import { readLogs, shownTree, withBeside } from '../read-logs.js';
import { bothLanes } from './fold.js';
import { type LadderMode, named, type Rung, withOthers, withRemedy } from './rung.js';

/** What is read of the rungs, and of which. */
export interface RungsReading {
  readonly request: ReadRequest;
  readonly mode: LadderMode;
  readonly signal: AbortSignal;
}

/**
 * The run logs as all rungs together have them, or in mode `fixed` as the first has them: asking the others would cost
 * start-up (D34). Where there is more than one, a rung that cannot be read is a warning.
 */
export async function readRungs(
  rungs: readonly Rung[],
  { request, mode, signal }: RungsReading,
): Promise<RestoreResult> {
  const { paths, beside } = request;
  const wanted = [...paths, ...(beside ?? [])];
  const asked = mode === 'auto' ? rungs : rungs.slice(0, 1);
  const answers = await Promise.all(
    asked.map(async (rung) => ({ rung, answer: await ask(rung, wanted, signal) })),
  );
  const found = answers.flatMap(({ rung, answer }) => (answer.kind === 'snapshot' ? [{ rung, answer }] : []));
  const lost = answers.flatMap(({ rung, answer }) =>
    answer.kind === 'unreadable' ? [{ rung, answer }] : [],
  );
  const [top] = found;
  if (top === undefined) return notRead(lost, paths[0] ?? '');
  const holders = found.filter(({ answer }) => heldPath(answer.tree, paths) !== undefined);
  const places = (holders.length === 0 ? [top] : holders).map(({ rung: { store }, answer }) => ({
    ...store.placeOf(answer.version, heldPath(answer.tree, paths) ?? paths[0] ?? ''),
    ...(mode === 'auto' ? { store: store.kind } : {}),
  }));
  const tree = found
    .map(({ answer }) => only(answer.tree, withStates(paths)))
    .reduce((sum, other) => foldTrees(sum, other));
  const warnings = [
    ...lost.flatMap(({ rung, answer }) => unreadWarning(rung, answer, top.rung)),
    ...found.flatMap(({ answer }) => answer.warnings),
  ];
  const all = found.map(({ answer }) => answer.tree).reduce((sum, other) => foldTrees(sum, other));
  const log = await readLogs(tree, request, { ...joinPlaces(places), warnings });
  return withBeside(log, { tree: all, ...blockedOf(found.map(({ answer }) => answer)) }, beside);
}

/** Of a store that may have to be folded in later, the other lane is read too. */
async function ask(
  rung: Rung,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<Snapshot | Unreadable> {
  const paths = rung.index === 0 ? wanted : bothLanes(wanted);
  const answer = await rung.store.snapshot(paths, signal);
  if (answer.kind === 'unreadable') rung.broken ??= answer;
  else
    for (const path of [...withStates(paths), ...answer.tree.keys()])
      rung.held.set(path, answer.tree.get(path) ?? '');
  return answer;
}

function heldPath(tree: MemoryTree, paths: readonly string[]): string | undefined {
  return paths.find((path) => (tree.get(path) ?? '') !== '');
}

function only(tree: MemoryTree, paths: readonly string[]): MemoryTree {
  return new Map([...tree].filter(([path]) => paths.includes(path)));
}

/** One place for people; address and kind are those of the first. */
function joinPlaces(places: readonly Place[]): Place {
  return { ...places[0], location: places.map(({ location }) => location).join(' and ') };
}

/** That a runner offers no second place is nobody's trouble while there is the first one. */
function unreadWarning(rung: Rung, { reason, message, remedy }: Unreadable, top: Rung): readonly Warning[] {
  if (reason === 'unavailable' && rung.index > top.index) return [];
  const text = `${named(rung.store.kind)} could not be read, so this run does without it and adds nothing to it: ${message}`;
  return [{ code: 'memory-store-notice', message: withRemedy(text, remedy) }];
}

function notRead(
  lost: readonly { readonly rung: Rung; readonly answer: Unreadable }[],
  path: string,
): Extract<RestoreResult & TreeResult, { readonly kind: 'failed' }> {
  const [first, ...others] = lost;
  if (first === undefined) throw new Error('no store was asked');
  const { message, remedy } = first.answer;
  const told = others.map(({ rung, answer }) => ({ kind: rung.store.kind, message: answer.message }));
  return {
    kind: 'failed',
    ...first.rung.store.placeOf('', path),
    message: withOthers(message, told, UNREAD),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const UNREAD = 'could not be read either';

/** The files of some places as the rungs have them, which is all that a run may write notes after. */
export async function readRungPlaces(
  rungs: readonly Rung[],
  { under, mode, signal }: PlacesReading,
): Promise<TreeResult> {
  const asked = mode === 'auto' ? rungs : rungs.slice(0, 1);
  const answers = await Promise.all(
    asked.map(async (rung) => ({ rung, answer: await ask(rung, under, signal) })),
  );
  const found = answers.flatMap(({ rung, answer }) => (answer.kind === 'snapshot' ? [{ rung, answer }] : []));
  const lost = answers.flatMap(({ rung, answer }) =>
    answer.kind === 'unreadable' ? [{ rung, answer }] : [],
  );
  const [top] = found;
  if (top === undefined) return notRead(lost, '');
  const tree = found.map(({ answer }) => answer.tree).reduce((sum, other) => foldTrees(sum, other));
  const shown = shownTree(tree, under);
  const holders = found.filter(({ answer }) => shownTree(answer.tree, under).size > 0);
  const places = (holders.length === 0 ? [top] : holders).map(({ rung: { store }, answer }) => ({
    ...store.placeOf(answer.version, ''),
    ...(mode === 'auto' ? { store: store.kind } : {}),
  }));
  const warnings = [
    ...lost.flatMap(({ rung, answer }) => unreadWarning(rung, answer, top.rung)),
    ...found.flatMap(({ answer }) => answer.warnings),
  ];
  const asides = found.map(({ answer }) => answer);
  const where = joinPlaces(places);
  return { kind: 'tree', ...where, tree: shown, warnings, ...leftOf(asides), ...blockedOf(asides) };
}

/** Places that are read of the rungs. */
export interface PlacesReading {
  readonly under: readonly string[];
  readonly mode: LadderMode;
  readonly signal: AbortSignal;
}

/** Everything that the rungs hold together; those that cannot be read are warnings unless none can. */
export async function readRungTrees(
  rungs: readonly Rung[],
  mode: LadderMode,
  signal: AbortSignal,
): Promise<TreeResult> {
  const results = await Promise.all(
    rungs.map(async (rung) => ({ rung, result: await rung.store.readTree(signal) })),
  );
  const found = results.flatMap(({ rung, result }) => (result.kind === 'tree' ? [{ rung, result }] : []));
  const lost = results.flatMap(({ rung, result }) => (result.kind === 'failed' ? [{ rung, result }] : []));
  const [failed] = lost;
  if (found.length === 0 && failed !== undefined) {
    const told = lost
      .slice(1)
      .map(({ rung, result }) => ({ kind: rung.store.kind, message: result.message }));
    return { ...failed.result, message: withOthers(failed.result.message, told, UNREAD) };
  }
  const holders = found.filter(({ result }) => result.tree.size > 0);
  const places = (holders.length === 0 ? found.slice(0, 1) : holders).map(
    ({ rung: { store, index }, result: { location, url } }): Place => ({
      location,
      ...(url === undefined ? {} : { url }),
      ...(mode === 'auto' || index > 0 ? { store: store.kind } : {}),
    }),
  );
  const warnings = lost.map(({ rung, result: { message, remedy } }): Warning => {
    const text = `${named(rung.store.kind)} could not be read and is missing here: ${message}`;
    return { code: 'memory-store-notice', message: withRemedy(text, remedy) };
  });
  return {
    kind: 'tree',
    ...joinPlaces(places),
    tree: found.map(({ result }) => result.tree).reduce((sum, other) => foldTrees(sum, other)),
    parts: found.map(({ rung, result }) => ({ store: rung.store.kind, tree: result.tree })),
    warnings: [...warnings, ...found.flatMap(({ result }) => result.warnings)],
    ...leftOf(found.map(({ result }) => result)),
    ...blockedOf(found.map(({ result }) => result)),
  };
}

type Blocked = Pick<Snapshot, 'blocked'>;

/** What one of the places cannot write is written to none, since nobody knows which will take the save. */
function blockedOf(found: readonly Blocked[]): Blocked {
  const blocked = found.flatMap((one) => one.blocked ?? []);
  return blocked.length === 0 ? {} : { blocked };
}

type Left = Pick<Snapshot, 'left'>;

function leftOf(found: readonly Left[]): Left {
  const left = [...new Set(found.flatMap((one) => one.left ?? []))];
  return left.length === 0 ? {} : { left };
}
