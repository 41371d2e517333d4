import { join, sep } from 'node:path';
import { createFiles } from '../../adapters/host/files.js';
import { guarded } from '../../adapters/stores/fallback/guard.js';
import { createFileStore } from '../../adapters/stores/file/file-store.js';
import { withIgnoreFile } from '../../adapters/stores/file/ignore-file.js';
import { createNoneStore } from '../../adapters/stores/none-store.js';
import { createBaseStore } from '../../adapters/stores/repo/read-base.js';
import { COMMITTED_FOLDER } from '../../core/defaults.js';
import { joinFolders } from '../../core/memory/scope.js';
import type { MemoryStore, Place, StoreRoot } from '../../core/memory/store.js';
import { baseFiles, trustedPlace } from './base-memory.js';
import type { ActionMemoryOptions } from './remote-memory.js';
import { openRemoteMemory } from './remote-memory.js';

/**
 * The store that the inputs ask for (D13, D14); what is not in the workspace is loaded only where it is used. Throws a
 * ConfigError for a cache name that cannot be part of a key.
 */
export async function openActionMemory(options: ActionMemoryOptions): Promise<MemoryStore> {
  const { inputs } = options;
  switch (inputs.store) {
    case 'none':
      return createNoneStore();
    case 'file':
      return guarded(openFileMemory(options));
    case 'cache':
    case 'repo':
    case 'auto': {
      return openRemoteMemory(options);
    }
  }
}

function openFileMemory({ inputs, workspace, clock, trigger, client }: ActionMemoryOptions): MemoryStore {
  const folder = joinFolders(inputs.path ?? COMMITTED_FOLDER, inputs.scope);
  const files = createFiles();
  const inFolder = createFileStore({ files, clock, root: workspace, folder, followLinks: false });
  // At the top of the workspace a `.gitignore` would be the whole repository's.
  const own = folder === '' ? inFolder : withIgnoreFile(inFolder, { files, folder: join(workspace, folder) });
  const store = inWorkspace(own, workspace);
  const trusted = trustedPlace(trigger);
  if (trusted === undefined || client === undefined) return store;
  return createBaseStore(store, baseFiles({ client, ...trusted }, folder));
}

/** The store with places as people know them: relative to the repository. */
function inWorkspace(store: MemoryStore, workspace: string): MemoryStore {
  const folder = `${workspace}${sep}`;
  const inside = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const rootInside = ({ root, separator }: StoreRoot): StoreRoot =>
    root === workspace ? { root: '', separator: '' } : { root: inside(root), separator };
  const shown = <T extends Place>(place: T): T => {
    const { location, within } = place;
    const root = within === undefined ? {} : { within: rootInside(within) };
    return { ...place, location: inside(location), ...root };
  };
  return {
    kind: store.kind,
    read: async (request, signal) => shown(await store.read(request, signal)),
    readTree: async (signal, under) => shown(await store.readTree(signal, under)),
    async write(changes, signal) {
      const result = await store.write(changes, signal);
      return result.kind === 'saved' ? shown(result) : result;
    },
  };
}
