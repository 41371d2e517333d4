import { AxeError, messageOf } from '../../../core/errors.js';
import { withStates } from '../../../core/memory/change.js';
import { compareFiles } from '../../../core/memory/file-order.js';
import type { BlockedPlace } from '../../../core/memory/store.js';
import type { MemoryTree } from '../../../core/memory/tree.js';
import { decodeBytes } from '../../../core/text/bytes.js';
import type { Warning } from '../../../core/warning.js';
import { shownTree } from '../read-logs.js';
import { isTreePath, isUnder, outsideTree } from '../tree-path.js';

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

/** What was read at the base. */
export interface BaseTree {
  readonly tree: MemoryTree;
  /** One, if anything was left out (D17). */
  readonly warnings: readonly Warning[];
  /** What is no file of memory. */
  readonly blocked: readonly BlockedPlace[];
}

/** The files of some places at the base ref, one after the other. Throws what reading throws, but for what is no file. */
export async function readBase(
  base: BaseFiles,
  under: readonly string[],
  signal: AbortSignal,
): Promise<BaseTree> {
  const exact = withStates(under).filter((place) => !place.endsWith('/'));
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
    if (found.kind === 'refused') {
      left.push(path);
      blocked.push({ path, reason: 'refused', message: found.message });
    } else if (found.text !== undefined) tree.set(path, found.text);
  }
  return { tree: shownTree(tree, under), warnings: leftOut(left, base.locate('')), blocked };
}

type ReadText =
  | { readonly kind: 'read'; readonly text: string | undefined }
  | { readonly kind: 'refused'; readonly message: string };

/** What stands there and is no file of memory is left out; that GitHub does not answer is another matter. */
async function readText(base: BaseFiles, path: string, signal: AbortSignal): Promise<ReadText> {
  if (!isTreePath(path)) return { kind: 'refused', ...outsideTree(path) };
  try {
    const bytes = await base.read(path, signal);
    return { kind: 'read', text: bytes === undefined ? undefined : decodeBytes(bytes) };
  } catch (thrown) {
    if (thrown instanceof AxeError || signal.aborted) throw thrown;
    return { kind: 'refused', message: messageOf(thrown) };
  }
}

function leftOut([first, ...others]: readonly string[], location: string): readonly Warning[] {
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const message = `${location} contains other files than memory, or more than ${MAX_FILES} notes; left out: ${JSON.stringify(first)}${more}.`;
  return [{ code: 'memory-store-notice', message }];
}
