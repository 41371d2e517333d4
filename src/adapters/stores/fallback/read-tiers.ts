import { withStates } from '../../../core/memory/change.js';
import type { Place, ReadRequest, RestoreResult, TreeResult } from '../../../core/memory/store.js';
import { type MemoryTree, mergeTrees } from '../../../core/memory/tree.js';
import type { Warning } from '../../../core/warning.js';
import type { Snapshot, Unreadable } from '../backend.js';
import { readLogs, shownTree, withOthersAlongside } from '../read-logs.js';
import { bothLanes, type FallbackMode, messageOfAll, named, type Tier } from './merge-tiers.js';

/** How the tiers are read. */
interface ReadOptions {
  readonly mode: FallbackMode;
  readonly signal: AbortSignal;
}

/** The run logs as all tiers together have them, with the files to read alongside. */
export async function readTierLogs(
  tiers: readonly Tier[],
  request: ReadRequest,
  options: ReadOptions,
): Promise<RestoreResult> {
  const { paths, alongside } = request;
  const answers = await askForPlaces(tiers, [...paths, ...(alongside ?? [])], options);
  const [first = ''] = paths;
  const joined = joinAnswers(answers, { mode: options.mode, first, pathIn: (tree) => heldPath(tree, paths) });
  if (joined.kind === 'failed') return joined;
  const { tree, blocked, left: _, kind: __, ...place } = joined;
  const log = await readLogs(only(tree, withStates(paths)), request, place);
  return withOthersAlongside(log, { tree, ...(blocked === undefined ? {} : { blocked }) }, alongside);
}

/** The files of some places as all tiers together have them, or everything that they hold. */
export async function readTierTree(
  tiers: readonly Tier[],
  under: readonly string[] | undefined,
  options: ReadOptions,
): Promise<TreeResult> {
  const { mode } = options;
  const holds = (tree: MemoryTree) => (shownTree(tree, under).size > 0 ? '' : undefined);
  if (under !== undefined) {
    const joined = joinAnswers(await askForPlaces(tiers, under, options), { mode, first: '', pathIn: holds });
    return joined.kind === 'failed' ? joined : { ...joined, tree: shownTree(joined.tree, under) };
  }
  const answers = await Promise.all(tiers.map((tier) => askForAll(tier, options)));
  const joined = joinAnswers(answers, { mode, first: '', pathIn: holds });
  if (joined.kind === 'failed') return joined;
  const parts = answers.flatMap(({ tier: { store }, answer }) =>
    answer.kind === 'read' ? [{ store: store.kind, tree: answer.tree }] : [],
  );
  return { ...joined, parts };
}

/** What one tier answered. */
interface TierAnswer {
  readonly tier: Tier;
  readonly answer: Read | Unread;
}

interface Read extends Pick<Snapshot, 'tree' | 'warnings' | 'left' | 'blocked'> {
  readonly kind: 'read';
  placeOf(path: string): Place;
}

interface Unread extends Pick<Unreadable, 'message' | 'remedy'> {
  readonly kind: 'unread';
  /** The tier is out of reach, and that is nobody's trouble while one before it was read. */
  readonly isOptional: boolean;
  /** What follows for whoever asked. */
  readonly effect: string;
}

/** In mode `fixed` the first tier alone is asked: asking the others would cost start-up (D34). */
function tiersToRead(tiers: readonly Tier[], mode: FallbackMode): readonly Tier[] {
  return mode === 'auto' ? tiers : tiers.slice(0, 1);
}

/** Of a store that may have to be folded in later, the other lane is read too. */
function placesIn(tier: Tier, places: readonly string[]): readonly string[] {
  return tier.index === 0 ? places : bothLanes(places);
}

async function askForPlaces(
  tiers: readonly Tier[],
  places: readonly string[],
  { mode, signal }: ReadOptions,
): Promise<readonly TierAnswer[]> {
  const some = tiersToRead(tiers, mode);
  return await Promise.all(some.map(async (tier) => ({ tier, answer: await ask(tier, places, signal) })));
}

async function ask(tier: Tier, places: readonly string[], signal: AbortSignal): Promise<Read | Unread> {
  const paths = placesIn(tier, places);
  const answer = await tier.store.snapshot(paths, signal);
  if (answer.kind === 'unreadable') {
    tier.broken ??= answer;
    const { reason, ...failure } = answer;
    const effect = 'could not be read, so this run does without it and adds nothing to it';
    return { ...failure, kind: 'unread', isOptional: reason === 'unavailable', effect };
  }
  for (const path of [...withStates(paths), ...answer.tree.keys()])
    tier.held.set(path, answer.tree.get(path) ?? '');
  return { ...answer, kind: 'read', placeOf: (path) => tier.store.placeOf(answer.version, path) };
}

/** Everything that a tier holds, which nothing is written after. */
async function askForAll(tier: Tier, { signal }: ReadOptions): Promise<TierAnswer> {
  const result = await tier.store.readTree(signal);
  if (result.kind === 'failed') {
    const effect = 'could not be read and is missing here';
    return { tier, answer: { ...result, kind: 'unread', isOptional: false, effect } };
  }
  const { location, url } = result;
  const place = { location, ...(url === undefined ? {} : { url }) };
  return { tier, answer: { ...result, kind: 'read', placeOf: () => place } };
}

interface JoinOptions {
  readonly mode: FallbackMode;
  /** The path that is named where none of the tiers holds anything. */
  readonly first: string;
  /** The path by which a tier that holds something of it is named. */
  readonly pathIn: (tree: MemoryTree) => string | undefined;
}

/** All tiers as one. A tier that could not be read is a warning, unless none could. */
function joinAnswers(tierAnswers: readonly TierAnswer[], { mode, first, pathIn }: JoinOptions): TreeResult {
  const found = tierAnswers.flatMap(({ tier, answer }) => (answer.kind === 'read' ? [{ tier, answer }] : []));
  const lost = tierAnswers.flatMap(({ tier, answer }) =>
    answer.kind === 'unread' ? [{ tier, answer }] : [],
  );
  const [top] = found;
  if (top === undefined) return noneRead(lost, first);
  const holders = found.filter(({ answer }) => pathIn(answer.tree) !== undefined);
  const places = (holders.length === 0 ? [top] : holders).map(({ tier: { store, index }, answer }) => ({
    ...answer.placeOf(pathIn(answer.tree) ?? first),
    ...(mode === 'auto' || index > 0 ? { store: store.kind } : {}),
  }));
  const answers = found.map(({ answer }) => answer);
  return {
    kind: 'tree',
    ...joinPlaces(places),
    tree: answers.map(({ tree }) => tree).reduce((sum, other) => mergeTrees(sum, other)),
    warnings: [
      ...lost.flatMap(({ tier, answer }) => unreadWarning(tier, answer, top.tier)),
      ...answers.flatMap(({ warnings }) => warnings),
    ],
    ...leftOf(answers),
    ...blockedOf(answers),
  };
}

/** The first one's trouble, with what the others' add to it. */
function noneRead(
  lost: readonly { readonly tier: Tier; readonly answer: Unread }[],
  path: string,
): Extract<TreeResult, { readonly kind: 'failed' }> {
  const [first] = lost;
  if (first === undefined) throw new Error('no store was asked');
  const { remedy } = first.answer;
  const failures = lost.map(({ tier, answer }) => ({ kind: tier.store.kind, message: answer.message }));
  return {
    kind: 'failed',
    ...first.tier.store.placeOf('', path),
    message: messageOfAll(failures, 'could not be read either'),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** One place for people; address and kind are those of the first. */
function joinPlaces(places: readonly Place[]): Place {
  const [first] = places;
  if (first !== undefined && places.length === 1) return first;
  const { within: _, ...shared } = first ?? {};
  return { ...shared, location: places.map(({ location }) => location).join(' and '), places };
}

function unreadWarning(tier: Tier, answer: Unread, top: Tier): readonly Warning[] {
  const { isOptional, effect, message, remedy } = answer;
  if (isOptional && tier.index > top.index) return [];
  const text = `${named(tier.store.kind)} ${effect}: ${message}.`;
  return [{ code: 'memory-store-notice', message: text, ...(remedy === undefined ? {} : { remedy }) }];
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

function heldPath(tree: MemoryTree, paths: readonly string[]): string | undefined {
  return paths.find((path) => (tree.get(path) ?? '') !== '');
}

function only(tree: MemoryTree, paths: readonly string[]): MemoryTree {
  return new Map([...tree].filter(([path]) => paths.includes(path)));
}
