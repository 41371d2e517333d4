import { messageOf } from '../axe/errors.js';
import type { Change } from '../axe/memory/change.js';
import type { MemoryStore } from '../axe/memory/store.js';
import { readRunLog } from './read-run-log.js';
import { decode, openBytes } from './tail.js';
import { isTreePath, outsideTree } from './tree-path.js';

/** Where the trusted version of a committed memory file is read. */
export interface BaseFiles {
  /** The bytes of a file at the base ref; undefined if it is not there. */
  read(treePath: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** For people: `octocat/hello@main:.axe/memory/x.md`. */
  locate(treePath: string): string;
}

/**
 * A committed memory on a pull request: what a run may know is read at the base ref, since the checkout is the
 * head's and anybody's; what it adds goes into the working tree for the user's own step to commit (D13, D21). A file
 * that the checkout does not have is begun with the base version, so that committing it takes nothing away.
 */
export function createBaseStore(writer: MemoryStore, base: BaseFiles): MemoryStore {
  return {
    kind: writer.kind,
    async read(request, signal) {
      if (!isTreePath(request.path))
        return { kind: 'failed', location: writer.kind, ...outsideTree(request.path) };
      const location = base.locate(request.path);
      try {
        const bytes = await base.read(request.path, signal);
        if (bytes === undefined) return { kind: 'empty', location, warnings: [] };
        return await readRunLog(openBytes(bytes), request, { location, warnings: [] });
      } catch (thrown) {
        return { kind: 'failed', message: messageOf(thrown), location };
      }
    },
    async write(changes, signal) {
      const outside = pathsOf(changes).find((path) => !isTreePath(path));
      if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside) };
      try {
        const beginnings = await Promise.all(pathsOf(changes).map((path) => beginning(path, base, signal)));
        return await writer.write([...beginnings.flat(), ...changes], signal);
      } catch (thrown) {
        return { kind: 'failed', reason: signal.aborted ? 'timeout' : 'error', message: messageOf(thrown) };
      }
    },
  };
}

function pathsOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.map(({ path }) => path))];
}

async function beginning(path: string, base: BaseFiles, signal: AbortSignal): Promise<readonly Change[]> {
  const bytes = await base.read(path, signal);
  if (bytes === undefined || bytes.length === 0) return [];
  const committed = decode(bytes);
  return [{ kind: 'rewrite', path, rewrite: (text) => (text === '' ? committed : text) }];
}
