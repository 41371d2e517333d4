import type { StoreKind } from '../../core/memory/store.js';
import type { CommandSession, MemoryCommandResult, MemoryDone } from './command-session.js';

/** Drops what came before the newest version, where that can be done, and says what is left elsewhere. */
export async function dropOldVersions(
  done: MemoryDone,
  { store, signal }: CommandSession,
): Promise<MemoryCommandResult> {
  if (store.dropHistory === undefined) {
    return { ...done, text: `${done.text}\n\n${CANNOT[store.kind]}` };
  }
  const dropped = await store.dropHistory(signal);
  if (dropped.kind === 'failed') {
    const { message, remedy } = dropped;
    return {
      kind: 'failed',
      reason: 'not-saved',
      message: `${done.text}\n\nOlder versions could not be dropped: ${message}`,
      ...(remedy === undefined ? {} : { remedy }),
      changed: done.changed,
    };
  }
  return { ...done, changed: true, text: `${done.text}\n\n${LEFT[store.kind]}` };
}

/** Where an entry that was forgotten can still be read. */
export function oldVersions(kind: StoreKind): string {
  switch (kind) {
    case 'repo':
      return 'Older commits of the branch still hold it; `forget --purge`, on the command line or with `mode: memory`, rewrites the branch without them.';
    case 'cache':
      return `Older entries of the Actions cache still hold it. ${CACHE}`;
    case 'file':
      return 'The file as it was before this is beside it, with `.bak` at the end of its name; `forget --purge` removes that.';
    case 'none':
      return '';
  }
}

const CACHE =
  'They stay until GitHub evicts them, or until you delete them: `gh cache list --key axe-memory/v1/` and `gh cache delete <id>`, or Actions → Caches on the web.';

const REPO = `The branch was written anew without its history. What GitHub still keeps:

- The old commits: whoever knows a full commit id can read them until GitHub collects what no branch reaches.
- Clones, forks, and views that were cached keep theirs. GitHub Support removes cached views and collects at once if you ask.
- Older entries of the Actions cache, if memory was ever kept there. ${CACHE}

A secret that was in it has to be revoked all the same.`;

/** What is left after older versions were dropped. */
const LEFT: Readonly<Record<StoreKind, string>> = {
  repo: REPO,
  cache: `Older entries of the Actions cache still hold it. ${CACHE}`,
  file: 'The `.bak` files were removed. Backups of yours, and commits if the folder is in a git repository, keep theirs.',
  none: '',
};

/** What is told where older versions cannot be dropped from here. */
const CANNOT: Readonly<Record<StoreKind, string>> = {
  repo: 'The history was not rewritten: the branch holds more than memory. Its older commits keep the entry; `git filter-repo` takes it out of them.',
  cache: `The cache has no history to rewrite, but its older entries still hold it. ${CACHE}`,
  file: 'The files as they were before are beside them, with `.bak` at the end of their names; remove those. Commits of the folder keep theirs.',
  none: '',
};
