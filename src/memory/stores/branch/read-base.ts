import type { Clock } from '../../../lib/clock.js';
import { AxeError, messageOf } from '../../../lib/errors.js';
import { decodeBytes } from '../../../lib/text/bytes.js';
import type { Warning } from '../../../lib/warning.js';
import { type Change, type MemoryTree, pathsOf } from '../../change.js';
import { statePath } from '../../state.js';
import type { BlockedPlace, MemoryStore } from '../../store.js';
import { readLogIn, shownTree } from '../read-log.js';
import { inReadTime } from '../store.js';
import { compareFiles, isTreePath, isTreePlace, isUnder, outsideTree } from '../tree-path.js';

/** Where the trusted version of a committed memory file is read. */
export interface BaseFiles {
  /** The bytes of a file at the base ref; undefined if it is not there. */
  read(treePath: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Names of what stands in a folder of the tree at the base ref; none if there is no such folder. */
  list(folder: string, signal: AbortSignal): Promise<readonly string[]>;
  /** For people: `octocat/hello@main:.axe/memory/x.md`. */
  locate(treePath: string): string;
}

/** Most files that are read of folders: each is a request. */
const MAX_FILES = 200;

/** The files of some places at the base ref, one after the other. Throws what reading throws, but for what is no file. */
async function readBase(
  base: BaseFiles,
  under: readonly string[],
  signal: AbortSignal,
): Promise<{
  readonly tree: MemoryTree;
  readonly warnings: readonly Warning[];
  readonly blocked: readonly BlockedPlace[];
}> {
  const exact = under.filter((place) => !place.endsWith('/'));
  const listed: string[] = [];
  for (const folder of under.filter((place) => place.endsWith('/'))) {
    const names = await base.list(folder.slice(0, -1), signal);
    listed.push(...names.map((name) => folder + name).filter((path) => isUnder(path, under)));
  }
  listed.sort(compareFiles);
  const left = listed.slice(MAX_FILES);
  const blocked: BlockedPlace[] = [];
  const tree = new Map<string, string>();
  for (const path of new Set([...exact, ...listed.slice(0, MAX_FILES)])) {
    const found = await readText(base, path, signal);
    if (typeof found === 'string') tree.set(path, found);
    else if (found !== undefined) {
      left.push(path);
      blocked.push(found);
    }
  }
  return { tree: shownTree(tree, under), warnings: leftOut(left, base.locate('')), blocked };
}

/** What stands there and is no file of memory is left out; that GitHub does not answer is another matter. */
async function readText(
  base: BaseFiles,
  path: string,
  signal: AbortSignal,
): Promise<string | undefined | BlockedPlace> {
  if (!isTreePath(path)) return { path, reason: 'refused', message: outsideTree(path).message };
  try {
    const bytes = await base.read(path, signal);
    return bytes && decodeBytes(bytes);
  } catch (thrown) {
    if (thrown instanceof AxeError || signal.aborted) throw thrown;
    return { path, reason: 'refused', message: messageOf(thrown) };
  }
}

function leftOut([first, ...others]: readonly string[], location: string): readonly Warning[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const message = `${location} contains other files than memory, or more than ${MAX_FILES} notes; left out: ${JSON.stringify(first)}${more}.`;
  return [{ code: 'memory-store-notice', message }];
}

/**
 * A committed memory on a pull request: what a run may know is read at the base ref, since the checkout is the
 * head's and anybody's; what it adds goes into the working tree for the user's own step to commit (D13, D21). A file
 * that the checkout does not have is begun with the base version, so that committing it takes nothing away.
 */
export function createBaseStore(writer: MemoryStore, base: BaseFiles, clock: Clock): MemoryStore {
  const timely: BaseFiles = {
    ...base,
    read: (path, signal) => inReadTime(clock, signal, (limited) => base.read(path, limited)),
    list: (folder, signal) => inReadTime(clock, signal, (limited) => base.list(folder, limited)),
  };
  return {
    kind: writer.kind,
    async read(request, signal) {
      const { path } = request;
      if (!isTreePath(path)) return { kind: 'failed', location: writer.kind, ...outsideTree(path) };
      const location = base.locate(path);
      try {
        const requested = [path, statePath(path)];
        const files = await Promise.all(requested.map((one) => timely.read(one, signal)));
        const found = requested.flatMap((one, at) => {
          const bytes = files[at];
          return bytes === undefined ? [] : [[one, decodeBytes(bytes)] as const];
        });
        return await readLogIn(new Map(found), request, { location, warnings: [] });
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
        return { kind: 'tree', location, ...(await readBase(timely, under, signal)) };
      } catch (thrown) {
        return { kind: 'failed', message: messageOf(thrown), location };
      }
    },
    async write(changes, signal) {
      const outside = changes.find(({ path }) => !isTreePath(path));
      if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside.path) };
      try {
        const beginnings = await Promise.all(pathsOf(changes).map((path) => beginning(path, base, signal)));
        return await writer.write([...beginnings.flat(), ...changes], signal);
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

async function beginning(path: string, base: BaseFiles, signal: AbortSignal): Promise<readonly Change[]> {
  const bytes = await base.read(path, signal);
  if (bytes === undefined || bytes.length === 0) return [];
  const committed = decodeBytes(bytes);
  return [{ kind: 'rewrite', path, rewrite: (text) => (text === '' ? committed : text) }];
}
