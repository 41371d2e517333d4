import type { Trigger } from '../event/trigger.js';
import type { RunReport } from '../run/request.js';

/** What people should know of the store a run used, in whole sentences (D13, D15). */
export interface MemoryNotes {
  /** Worth an annotation: memory may go, or does not reach whom it is meant for. */
  readonly notices: readonly string[];
  /** For the summary alone. */
  readonly remarks: readonly string[];
}

const IN_CACHE = 'Memory is in the Actions cache.';
const KEEP_IT =
  'With `permissions: contents: write`, `memory-store: branch` keeps it on a branch, for every run and for good.';
const PUBLIC = 'The repository is public, and so is the branch: everybody can read what is remembered.';

/** Events whose runs have the cache of their pull request (D15). */
const PULL_REQUEST_EVENTS = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/** The limits of the store that took the entry, and what it told on the way. A failed save tells enough itself. */
export function memoryNotes(
  { plan: { trigger }, memory, remembered }: Extract<RunReport, { readonly kind: 'ran' }>,
  isElsewhere: boolean,
): MemoryNotes {
  if (remembered.kind === 'nothing' || remembered.result.kind === 'failed')
    return { notices: [], remarks: [] };
  const { notices = [] } = remembered.result;
  const store = memory?.store.kind;
  const limit = store === 'cache' ? cacheLimit(trigger) : undefined;
  if (limit !== undefined) {
    const note = [...notices, IN_CACHE, limit, KEEP_IT].join(' ');
    // Once there is memory, whoever looks after it has been told.
    const isNew = memory?.restored.kind !== 'restored';
    return isNew ? { notices: [note], remarks: [] } : { notices: [], remarks: [note] };
  }
  if (store === 'cache') return { notices: [], remarks: notices };
  // A branch that was just created has said so.
  const isTold = store !== 'branch' || isElsewhere || notices.length > 0;
  return { notices, remarks: !isTold && isPublic(trigger) ? [PUBLIC] : [] };
}

function cacheLimit(trigger: Trigger): string | undefined {
  if (trigger.kind === 'schedule')
    return 'GitHub removes cache entries that were not used for 7 days, so a schedule that runs less often loses its memory.';
  const isOwn = trigger.kind !== 'local' && PULL_REQUEST_EVENTS.includes(trigger.event);
  return isOwn ? 'What a pull request keeps there, no other pull request can read.' : undefined;
}

/** A payload without its repository, as a schedule's may be, does not say. */
function isPublic(trigger: Trigger): boolean {
  return trigger.kind !== 'local' && !trigger.repository.isPrivate && trigger.repository.defaultBranch !== '';
}
