import { withStates } from '../../../core/memory/change.js';
import type { Place, ReadRequest, RestoreResult, TreeResult } from '../../../core/memory/store.js';
import { type MemoryTree, mergeTierTrees } from '../../../core/memory/tree.js';
import type { Warning } from '../../../core/warning.js';
import type { Snapshot, Unreadable } from '../backend.js';
import { readLogs, shownTree, withOthersAlongside } from '../read-logs.js';
import { bothLanes } from './merge-tiers.js';
import { type FallbackMode, named, type Tier, withOthers, withRemedy } from './tier.js';

/** What is read of the rungs, and of which. */
export interface TiersReading {
  readonly request: ReadRequest;
  readonly mode: FallbackMode;
  readonly signal: AbortSignal;
}

/**
 * The run logs as all rungs together have them, or in mode `fixed` as the first has them: asking the others would cost
 * start-up (D34). Where there is more than one, a rung that cannot be read is a warning.
 */
export async function readTiers(
  tiers: readonly Tier[],
  { request, mode, signal }: TiersReading,
): Promise<RestoreResult> {
  const { paths, beside } = request;
  const wanted = [...paths, ...(beside ?? [])];
  const asked = mode === 'auto' ? tiers : tiers.slice(0, 1);
  const answers = await Promise.all(
    asked.map(async (tier) => ({ tier, answer: await ask(tier, wanted, signal) })),
  );
  const found = answers.flatMap(({ tier, answer }) => (answer.kind === 'snapshot' ? [{ tier, answer }] : []));
  const lost = answers.flatMap(({ tier, answer }) =>
    answer.kind === 'unreadable' ? [{ tier, answer }] : [],
  );
  const [top] = found;
  if (top === undefined) return notRead(lost, paths[0] ?? '');
  const holders = found.filter(({ answer }) => heldPath(answer.tree, paths) !== undefined);
  const places = (holders.length === 0 ? [top] : holders).map(({ tier: { store }, answer }) => ({
    ...store.placeOf(answer.version, heldPath(answer.tree, paths) ?? paths[0] ?? ''),
    ...(mode === 'auto' ? { store: store.kind } : {}),
  }));
  const tree = found
    .map(({ answer }) => only(answer.tree, withStates(paths)))
    .reduce((sum, other) => mergeTierTrees(sum, other));
  const warnings = [
    ...lost.flatMap(({ tier, answer }) => unreadWarning(tier, answer, top.tier)),
    ...found.flatMap(({ answer }) => answer.warnings),
  ];
  const all = found.map(({ answer }) => answer.tree).reduce((sum, other) => mergeTierTrees(sum, other));
  const log = await readLogs(tree, request, { ...joinPlaces(places), warnings });
  return withOthersAlongside(log, { tree: all, ...blockedOf(found.map(({ answer }) => answer)) }, beside);
}

/** Of a store that may have to be folded in later, the other lane is read too. */
async function ask(
  tier: Tier,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<Snapshot | Unreadable> {
  const paths = tier.index === 0 ? wanted : bothLanes(wanted);
  const answer = await tier.store.snapshot(paths, signal);
  if (answer.kind === 'unreadable') tier.broken ??= answer;
  else
    for (const path of [...withStates(paths), ...answer.tree.keys()])
      tier.held.set(path, answer.tree.get(path) ?? '');
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
  const locations = places.map(({ location }) => location);
  return {
    ...places[0],
    location: locations.join(' and '),
    ...(locations.length > 1 ? { locations } : {}),
  };
}

/** That a runner offers no second place is nobody's trouble while there is the first one. */
function unreadWarning(tier: Tier, { reason, message, remedy }: Unreadable, top: Tier): readonly Warning[] {
  if (reason === 'unavailable' && tier.index > top.index) return [];
  const text = `${named(tier.store.kind)} could not be read, so this run does without it and adds nothing to it: ${message}`;
  return [{ code: 'memory-store-notice', message: withRemedy(text, remedy) }];
}

function notRead(
  lost: readonly { readonly tier: Tier; readonly answer: Unreadable }[],
  path: string,
): Extract<RestoreResult & TreeResult, { readonly kind: 'failed' }> {
  const [first, ...others] = lost;
  if (first === undefined) throw new Error('no store was asked');
  const { message, remedy } = first.answer;
  const told = others.map(({ tier, answer }) => ({ kind: tier.store.kind, message: answer.message }));
  return {
    kind: 'failed',
    ...first.tier.store.placeOf('', path),
    message: withOthers(message, told, UNREAD),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const UNREAD = 'could not be read either';

/** The files of some places as the rungs have them, which is all that a run may write notes after. */
export async function readTierPlaces(
  tiers: readonly Tier[],
  { under, mode, signal }: PlacesReading,
): Promise<TreeResult> {
  const asked = mode === 'auto' ? tiers : tiers.slice(0, 1);
  const answers = await Promise.all(
    asked.map(async (tier) => ({ tier, answer: await ask(tier, under, signal) })),
  );
  const found = answers.flatMap(({ tier, answer }) => (answer.kind === 'snapshot' ? [{ tier, answer }] : []));
  const lost = answers.flatMap(({ tier, answer }) =>
    answer.kind === 'unreadable' ? [{ tier, answer }] : [],
  );
  const [top] = found;
  if (top === undefined) return notRead(lost, '');
  const tree = found.map(({ answer }) => answer.tree).reduce((sum, other) => mergeTierTrees(sum, other));
  const shown = shownTree(tree, under);
  const holders = found.filter(({ answer }) => shownTree(answer.tree, under).size > 0);
  const places = (holders.length === 0 ? [top] : holders).map(({ tier: { store }, answer }) => ({
    ...store.placeOf(answer.version, ''),
    ...(mode === 'auto' ? { store: store.kind } : {}),
  }));
  const warnings = [
    ...lost.flatMap(({ tier, answer }) => unreadWarning(tier, answer, top.tier)),
    ...found.flatMap(({ answer }) => answer.warnings),
  ];
  const asides = found.map(({ answer }) => answer);
  const where = joinPlaces(places);
  return { kind: 'tree', ...where, tree: shown, warnings, ...leftOf(asides), ...blockedOf(asides) };
}

/** Places that are read of the rungs. */
export interface PlacesReading {
  readonly under: readonly string[];
  readonly mode: FallbackMode;
  readonly signal: AbortSignal;
}

/** Everything that the rungs hold together; those that cannot be read are warnings unless none can. */
export async function readTierTrees(
  tiers: readonly Tier[],
  mode: FallbackMode,
  signal: AbortSignal,
): Promise<TreeResult> {
  const results = await Promise.all(
    tiers.map(async (tier) => ({ tier, result: await tier.store.readTree(signal) })),
  );
  const found = results.flatMap(({ tier, result }) => (result.kind === 'tree' ? [{ tier, result }] : []));
  const lost = results.flatMap(({ tier, result }) => (result.kind === 'failed' ? [{ tier, result }] : []));
  const [failed] = lost;
  if (found.length === 0 && failed !== undefined) {
    const told = lost
      .slice(1)
      .map(({ tier, result }) => ({ kind: tier.store.kind, message: result.message }));
    return { ...failed.result, message: withOthers(failed.result.message, told, UNREAD) };
  }
  const holders = found.filter(({ result }) => result.tree.size > 0);
  const places = (holders.length === 0 ? found.slice(0, 1) : holders).map(
    ({ tier: { store, index }, result: { location, url } }): Place => ({
      location,
      ...(url === undefined ? {} : { url }),
      ...(mode === 'auto' || index > 0 ? { store: store.kind } : {}),
    }),
  );
  const warnings = lost.map(({ tier, result: { message, remedy } }): Warning => {
    const text = `${named(tier.store.kind)} could not be read and is missing here: ${message}`;
    return { code: 'memory-store-notice', message: withRemedy(text, remedy) };
  });
  return {
    kind: 'tree',
    ...joinPlaces(places),
    tree: found.map(({ result }) => result.tree).reduce((sum, other) => mergeTierTrees(sum, other)),
    parts: found.map(({ tier, result }) => ({ store: tier.store.kind, tree: result.tree })),
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
