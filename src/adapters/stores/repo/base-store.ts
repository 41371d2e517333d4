import { messageOf } from '../../../core/errors.js';
import { type Change, pathsOf, withStates } from '../../../core/memory/change.js';
import type { MemoryStore } from '../../../core/memory/store.js';
import { decodeBytes } from '../../../core/text/bytes.js';
import { readLogs } from '../read-logs.js';
import { isTreePath, isTreePlace, outsideTree } from '../tree-path.js';
import { type BaseFiles, readBase } from './read-base.js';

/**
 * A committed memory on a pull request: what a run may know is read at the base ref, since the checkout is the
 * head's and anybody's; what it adds goes into the working tree for the user's own step to commit (D13, D21). A file
 * that the checkout does not have is begun with the base version, so that committing it takes nothing away.
 */
export function createBaseStore(writer: MemoryStore, base: BaseFiles): MemoryStore {
  /** Notes that this run deleted: they do not begin with the base version again. */
  const deleted = new Set<string>();
  return {
    kind: writer.kind,
    async read(request, signal) {
      const [first = ''] = request.paths;
      const outside = request.paths.find((path) => !isTreePath(path));
      if (outside !== undefined) return { kind: 'failed', location: writer.kind, ...outsideTree(outside) };
      const location = base.locate(first);
      try {
        const requested = withStates(request.paths);
        const files = await Promise.all(requested.map((path) => base.read(path, signal)));
        const found = requested.flatMap((path, at) => {
          const bytes = files[at];
          return bytes === undefined ? [] : [[path, decodeBytes(bytes)] as const];
        });
        return await readLogs(new Map(found), request, { location, warnings: [] });
      } catch (thrown) {
        return { kind: 'failed', message: messageOf(thrown), location };
      }
    },
    async readTree(signal, under) {
      const location = base.locate('');
      const outside = under?.find((place) => !isTreePlace(place));
      if (under === undefined) return { kind: 'failed', location, ...ONE_AGENT };
      if (outside !== undefined) return { kind: 'failed', location, ...outsideTree(outside) };
      try {
        return { kind: 'tree', location, ...(await readBase(base, under, signal)) };
      } catch (thrown) {
        return { kind: 'failed', message: messageOf(thrown), location };
      }
    },
    async write(changes, signal) {
      const outside = changes.find(({ path }) => !isTreePath(path));
      if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside.path) };
      try {
        const begun = pathsOf(changes).filter((path) => !deleted.has(path));
        const beginnings = await Promise.all(begun.map((path) => beginning(path, base, signal)));
        const result = await writer.write([...beginnings.flat(), ...changes], signal);
        if (result.kind === 'saved') for (const path of deletedBy(changes)) deleted.add(path);
        return result;
      } catch (thrown) {
        return { kind: 'failed', reason: signal.aborted ? 'timeout' : 'error', message: messageOf(thrown) };
      }
    },
  };
}

const ONE_AGENT = {
  message: 'on a pull request only the memory of one agent can be read at the base branch',
  remedy: 'Do it on the command line, in a checkout of the base branch.',
};

function deletedBy(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) =>
    change.kind === 'note' && change.edit.kind === 'delete' ? [change.path] : [],
  );
}

async function beginning(path: string, base: BaseFiles, signal: AbortSignal): Promise<readonly Change[]> {
  const bytes = await base.read(path, signal);
  if (bytes === undefined || bytes.length === 0) return [];
  const committed = decodeBytes(bytes);
  return [{ kind: 'rewrite', path, rewrite: (text) => (text === '' ? committed : text) }];
}
