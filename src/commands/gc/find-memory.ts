import type { LoadedAgent } from '../../core/agent/agent-source.js';
import type { Dependencies } from '../../core/dependencies.js';
import { AxeError } from '../../core/errors.js';
import type { OpenFile } from '../../core/files.js';
import { expiredDailyLogs, planTrim, type TrimPlan } from '../../core/gc/trim.js';
import { firstUnread } from '../../core/memory/blocked.js';
import type { Change } from '../../core/memory/change.js';
import { untrustedPath } from '../../core/memory/log-path.js';
import { copiesOf, notesPlaces, pathOf } from '../../core/memory/notes/place.js';
import { statePath } from '../../core/memory/state.js';
import type { MemoryStore, TreeResult } from '../../core/memory/store.js';
import { countEntriesIn } from '../../core/memory/tail.js';
import { compareBytes } from '../../core/text/bytes.js';
import type { Warning } from '../../core/warning.js';
import { closeAll, openLogs, readable } from '../memory/look.js';

/** Whose memory is looked at, and where it lives. */
export interface FindRequest {
  readonly agent: LoadedAgent;
  readonly store: MemoryStore;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** What the project is known by, for the daily logs of its notes (see `projectSlug`). */
  readonly identity: string;
}

/** What garbage collection finds of an agent's memory. */
export interface GcTarget {
  /** What is analysed: the run log of the trusted lane, read in pieces and more than once. Reading throws an AxeError. */
  readonly log: OpenFile;
  readonly state: string;
  readonly expired: Expired;
  close(): Promise<void>;
}

/** What goes by its age alone, and is never shown to a model. */
export interface Expired {
  /** Daily logs of both lanes. */
  readonly days: readonly string[];
  /** Entries in the untrusted lane, which is not analysed: what strangers wrote is in it (D19). */
  readonly untrusted: Extract<TrimPlan, { readonly kind: 'trim' }> | undefined;
}

/** Reads what garbage collection looks at, and says what of it is too old. Throws an AxeError. */
export async function findMemory(request: FindRequest, deps: Dependencies): Promise<GcTarget> {
  const folders = dailyFolders(request);
  // Days that all share lie at the top of the tree, which can only be read whole, and of that too large a log is left out.
  const isFlat = folders.includes('');
  const logs = logPaths(request);
  const under = [...logs.map(statePath), ...(isFlat ? [] : folders)];
  const found = await openLogs(request.store, { logs, under }, deps.deadline.signal);
  if (found.kind === 'failed') return refuse(found, deps);
  try {
    const { rest } = found;
    const trouble = firstUnread(rest, [
      ...logs.filter((log) => !found.logs.has(log)),
      ...logs.map(statePath),
    ]);
    if (trouble !== undefined) return refuse(trouble, deps);
    const all = isFlat ? await readAll(request, deps) : rest;
    // That a log which was read by its name does not fit with all the others is nobody's trouble.
    const isRead = (path: string) => rest.tree.has(path) || found.logs.has(path);
    const isReported = all.left === undefined || all.left.some((left) => !isRead(left));
    warnOnce([...rest.warnings, ...(isReported ? all.warnings : [])], deps);
    // A day only has to be named to go, so those that did not fit are among them: they are the oldest.
    const days = [...new Set([...all.tree.keys(), ...(all.left ?? [])])].filter((day) =>
      folders.includes(folderOf(day)),
    );
    const { path, agent } = request;
    const now = deps.clock.now();
    return {
      log: readable(found.logs.get(path)),
      state: rest.tree.get(statePath(path)) ?? '',
      expired: {
        days: oldest(expiredDailyLogs(days, agent.config.memory.retentionDays, now), deps),
        untrusted: await planByAge(readable(found.logs.get(untrustedPath(path))), request, now),
      },
      close: async () => await closeAll(found),
    };
  } catch (thrown) {
    await closeAll(found);
    throw thrown;
  }
}

type Tree = Extract<TreeResult, { readonly kind: 'tree' }>;

async function readAll({ store, path }: FindRequest, deps: Dependencies): Promise<Tree> {
  const found = await store.readTree(deps.deadline.signal);
  if (found.kind === 'failed') return refuse(found, deps);
  const trouble = firstUnread(found, [statePath(path)]);
  return trouble === undefined ? found : refuse(trouble, deps);
}

function refuse(
  { message, remedy }: { readonly message: string; readonly remedy?: string },
  { deadline }: Dependencies,
): never {
  deadline.signal.throwIfAborted();
  throw new AxeError(message, remedy === undefined ? {} : { remedy });
}

async function planByAge(file: OpenFile, { agent }: FindRequest, now: Date): Promise<Expired['untrusted']> {
  const rule = { lastN: 0, maxEntries: 0, maxAgeDays: agent.config.memory.maxAgeDays };
  const plan = await planTrim(file, rule, { now, entries: await countEntriesIn(file) });
  return plan.kind === 'trim' ? plan : undefined;
}

function warnOnce(warnings: readonly Warning[], { reporter }: Dependencies): void {
  for (const warning of new Map(warnings.map((each) => [each.message, each])).values())
    reporter.warn(warning);
}

/** Each day is three files, and all files of a save may be fields of one query. */
const MAX_DAYS = 100;

function oldest(days: readonly string[], { reporter }: Dependencies): readonly string[] {
  if (days.length <= MAX_DAYS) return days;
  const message = `${days.length} daily logs are older than \`retention_days\`, and one gc removes at most ${MAX_DAYS}, the oldest; ${days.length - MAX_DAYS} are left for the next.`;
  reporter.warn({ code: 'memory-store-notice', message });
  const byDate = days.map((day) => [day.slice(folderOf(day).length), day] as const);
  byDate.sort(([one, path], [other, second]) => compareBytes(one, other) || compareBytes(path, second));
  return byDate.slice(0, MAX_DAYS).map(([, day]) => day);
}

/** The changes that take out what is too old. */
export function expiredChanges(
  { days, untrusted }: Expired,
  { path }: Pick<FindRequest, 'path'>,
  { clock }: Pick<Dependencies, 'clock'>,
): readonly Change[] {
  return [
    ...(untrusted === undefined ? [] : [trimChange(untrusted, untrustedPath(path), clock.now())]),
    ...days
      .flatMap((day) => [day, ...copiesOf(day)])
      .map((file): Change => {
        const edit = { kind: 'delete', isOver: true } as const;
        return { kind: 'note', path: file, edit, backup: false, id: clock.newId() };
      }),
  ];
}

/** The change that carries out a plan. */
export function trimChange(
  { ids, leaves }: Extract<TrimPlan, { readonly kind: 'trim' }>,
  path: string,
  at: Date,
): Change {
  return { kind: 'trim', path, ids, leaves, at };
}

/** Of the untrusted lane only what may be too old. */
function logPaths({ path, agent }: FindRequest): readonly string[] {
  return agent.config.memory.maxAgeDays > 0 ? [path, untrustedPath(path)] : [path];
}

/** Of both lanes; none where no daily log is to be removed. */
function dailyFolders({ agent: { config }, identity, path }: FindRequest): readonly string[] {
  const { notes, scope, project, retentionDays } = config.memory;
  if (!notes || retentionDays <= 0) return [];
  const day = pathOf({ kind: 'daily', date: '2026-01-01' }, notesPlaces(scope, project || identity));
  // What a trial without a model remembers lies apart (D32).
  const apart = path.startsWith('offline/') ? 'offline/' : '';
  const folder = apart + day.slice(0, -'2026-01-01.md'.length);
  return [folder, untrustedPath(folder)];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
