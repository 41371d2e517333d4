import {
  listFolderAt,
  locationOf,
  type RefPlace,
  readPathAt,
} from '../../adapters/github/reading/contents.js';
import type { Repository, Trigger } from '../../core/event/trigger.js';
import type { BaseFiles } from '../../memory/stores/branch/read-base.js';

/** Largest memory file that is read through the API, in bytes. */
const MAX_BASE_BYTES = 100 * 1024 * 1024;

/**
 * Where the committed memory is what people with write access made it: on a pull request the checkout may be the
 * head's, so the base branch counts, and after a comment on one, which does not name it, the default branch.
 */
export function trustedPlace(
  trigger: Trigger,
): { readonly repository: Repository; readonly ref: string } | undefined {
  if (trigger.kind === 'pull_request') return { repository: trigger.repository, ref: trigger.base.ref };
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  return { repository: trigger.repository, ref: trigger.repository.defaultBranch };
}

/** The committed memory in a folder of a ref. */
export function baseFiles(place: RefPlace, folder: string): BaseFiles {
  const repositoryPath = (treePath: string) => [folder, treePath].filter((part) => part !== '').join('/');
  return {
    async read(treePath, signal) {
      const path = repositoryPath(treePath);
      const found = await readPathAt(place, { path, maxBytes: MAX_BASE_BYTES }, signal);
      switch (found.kind) {
        case 'file':
          return found.bytes;
        case 'missing':
          return undefined;
        case 'folder':
          throw new Error(`read ${locationOf(place, path)}: is a directory`);
        case 'refused':
          throw new Error(`read ${locationOf(place, path)}: ${found.reason}`);
      }
    },
    list: (folder, signal) => listFolderAt(place, repositoryPath(folder), signal),
    locate: (treePath) => locationOf(place, repositoryPath(treePath)),
  };
}
