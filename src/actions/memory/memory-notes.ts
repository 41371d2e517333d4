import type { Trigger } from '../../core/event/trigger.js';
import type { RunReport } from '../../run/request.js';

/** What people should know of the store a run used, in whole sentences (D13, D15). */
export interface MemoryNotes {
  /** Worth an annotation: memory may go, or does not reach whom it is meant for. */
  readonly notices: readonly string[];
  /** For the summary alone. */
  readonly remarks: readonly string[];
}

/** What the notes are decided from. */
interface NotedRun {
  readonly report: Extract<RunReport, { readonly kind: 'ran' }>;
  /** Whether memory is in another repository. */
  readonly isElsewhere: boolean;
}

/** The limits of the store that took the entry, and what it told on the way. A failed save tells enough itself. */
export function memoryNotes({ report, isElsewhere }: NotedRun): MemoryNotes {
  const { plan, memory, remembered } = report;
  if (remembered.kind === 'nothing') return NONE;
  const { result } = remembered;
  if (result.kind === 'failed') return NONE;
  const notices = result.notices ?? [];
  switch (result.store ?? memory?.store.kind ?? 'none') {
    case 'cache':
      return cacheNotes(plan.trigger, { notices, isNew: memory?.restored.kind !== 'restored' });
    case 'repo':
      // A branch that was just created has said so.
      return {
        notices,
        remarks: isElsewhere || notices.length > 0 ? [] : publicRemark(plan.trigger),
      };
    case 'file':
    case 'none':
      return { notices, remarks: [] };
  }
}

const NONE: MemoryNotes = { notices: [], remarks: [] };

const IN_CACHE = 'Memory is in the Actions cache.';
const KEEP_IT =
  'With `permissions: contents: write`, `memory-store: repo` keeps it on a branch, for every run and for good.';

/** Events whose runs have the cache of their pull request (D15). */
const PULL_REQUEST_EVENTS = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/**
 * A limit, with how it is lifted: that is in what was told where another store refused. Once there is memory, whoever
 * looks after it has been told.
 */
function cacheNotes(
  trigger: Trigger,
  { notices, isNew }: { readonly notices: readonly string[]; readonly isNew: boolean },
): MemoryNotes {
  const limit = cacheLimit(trigger);
  if (limit === undefined) return { notices: [], remarks: notices };
  const sentences = notices.length > 0 ? [...notices, limit] : [IN_CACHE, limit, KEEP_IT];
  const note = sentences.join(' ');
  return isNew ? { notices: [note], remarks: [] } : { notices: [], remarks: [note] };
}

function cacheLimit(trigger: Trigger): string | undefined {
  if (trigger.kind === 'schedule') return EVICTED;
  const isOwn = trigger.kind !== 'local' && PULL_REQUEST_EVENTS.includes(trigger.event);
  return isOwn ? ONE_PULL_REQUEST : undefined;
}

const EVICTED =
  'GitHub removes cache entries that were not used for 7 days, so a schedule that runs less often loses its memory.';
const ONE_PULL_REQUEST = 'What a pull request keeps there, no other pull request can read.';

/** A payload without its repository, as a schedule's may be, does not say whether that is public. */
function publicRemark(trigger: Trigger): readonly string[] {
  if (trigger.kind === 'local' || trigger.repository.isPrivate || trigger.repository.defaultBranch === '')
    return [];
  return ['The repository is public, and so is the branch: everybody can read what is remembered.'];
}
