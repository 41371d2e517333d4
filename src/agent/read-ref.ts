import {
  fetchBlob,
  fetchTexts,
  fetchTree,
  locationOf,
  type RefPlace,
  readPathAt,
  repositoryPath,
} from '../github/reading/contents.js';
import type { Warning } from '../lib/errors.js';
import { compareBytes, isBinary } from '../lib/text/bytes.js';
import { quoteLine } from '../lib/text/format.js';
import { selectPaths } from '../lib/text/glob.js';
import { createMemoryFilter, isSecretPath } from '../safety/path-rules.js';
import type { AgentPlace, AgentReader } from './agent-source.js';
import { type ContextFile, createContextBudget } from './context-files.js';

interface RefOptions extends RefPlace {
  /** Folders with agents, in the order in which they are searched. */
  readonly dirs: readonly string[];
  readonly signal: AbortSignal;
  /** The checkout's folder on the runner, which corresponds to the repository's root. */
  readonly workspace?: string;
  /** Folders of memory, which is never a skill or a context file. */
  readonly memoryRoots?: readonly string[];
  /** Receives the path of every agent and skill that is read, relative to the repository's root. */
  readonly onRead?: (path: string) => void;
}

/**
 * Reads agents, skills and context files of a commit or branch through the API. The working tree is
 * never read, since it can be a pull request's.
 */
export function refPlace(options: RefOptions): AgentPlace {
  const { signal, workspace, memoryRoots = [], onRead } = options;
  const isMemory = createMemoryFilter(memoryRoots);
  let tree: ReturnType<typeof fetchTree> | undefined;

  /** The files of a folder, by path from there, as far as GitHub lists them at once. */
  async function filesIn(workdir: string) {
    const folder = repositoryPath(workdir, workspace);
    tree ??= fetchTree(options, signal);
    const { tree: entries, truncated } = await tree;

    const prefix = folder === '' ? '' : `${folder}/`;
    const inside = entries.filter(
      ({ path, type }) =>
        path.startsWith(prefix) &&
        type !== 'tree' &&
        !isMemory(path) &&
        !isSecretPath(path.split('/')),
    );
    return {
      entries: new Map(inside.map((entry) => [entry.path.slice(prefix.length), entry])),
      truncated,
    };
  }

  const reader: AgentReader = {
    isLocal: false,
    resolve(path, folder) {
      if (folder === undefined) return repositoryPath(path, workspace);
      return folder === '' || folder === '.'
        ? repositoryPath(path)
        : `${folder}/${repositoryPath(path)}`;
    },
    show: (path) => locationOf(options, path),
    file: (path) => path,
    describeFolders: (folders) =>
      `${folders.map((folder) => `\`${folder}\``).join(' and ')} of ${locationOf(options, '').slice(0, -1)}`,
    async read(path, { maxBytes }) {
      const content = await readPathAt(options, { path, maxBytes }, signal);
      if (content.kind === 'folder') return { kind: 'refused', reason: 'it is a folder' };
      if (content.kind !== 'file') return content;
      onRead?.(path);
      return { ...content, isMemory: isMemory(path) || isMemory(content.path) };
    },
    async list(folder) {
      const content = await readPathAt(options, { path: folder, maxBytes: 0 }, signal);
      return content.kind === 'folder' ? content.names.toSorted(compareBytes) : [];
    },
    async find(patterns, workdir) {
      const { entries, truncated } = await filesIn(workdir);
      const budget = createContextBudget();
      const wanted: { readonly path: string; readonly sha: string }[] = [];
      const links: string[] = [];
      for (const path of selectPaths(patterns, entries.keys())) {
        const entry = entries.get(path);
        if (entry === undefined) continue;
        if (!FILE_MODES.has(entry.mode)) links.push(path);
        else if (budget.take(path, entry.size)) wanted.push({ path, sha: entry.sha });
      }

      const files: ContextFile[] = [];
      for (let start = 0; start < wanted.length; start += PARALLEL) {
        const batch = wanted.slice(start, start + PARALLEL);
        const blobs = await Promise.all(batch.map(({ sha }) => fetchBlob(options, sha, signal)));
        for (const [index, bytes] of blobs.entries()) {
          // Binary files are left out without a warning, as in axe.
          if (isBinary(bytes)) continue;
          const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
          files.push({ path: batch[index]?.path ?? '', content });
        }
      }

      return {
        files,
        warnings: [...(truncated ? [TRUNCATED] : []), ...linkWarnings(links), ...budget.warnings()],
      };
    },
    async texts(paths) {
      const wanted = paths.filter((path) => !isMemory(path));
      const { client, repository, ref } = options;
      const names = wanted.map((path) => `${ref}:${path}`);
      const texts = await fetchTexts(client, repository, names, signal);
      return [...texts].flatMap(([name, { text }]) => {
        const path = name.slice(ref.length + 1);
        return typeof text === 'string' && !isMemory(path) ? [{ path, content: text }] : [];
      });
    },
    async count(pattern, workdir) {
      // Throws for a malformed pattern even if no files can be listed.
      selectPaths([pattern], []);
      const { entries, truncated } = await filesIn(workdir);
      const paths = [...entries]
        .filter(([, { mode }]) => FILE_MODES.has(mode))
        .map(([path]) => path);
      const { length } = selectPaths([pattern], paths);
      return length === 0 && truncated ? undefined : length;
    },
  };
  return { reader, folders: options.dirs.map((dir) => repositoryPath(dir, workspace)) };
}

/** Links and submodules cannot be context files. */
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

/** Concurrent requests, well below GitHub's limit of 100. */
const PARALLEL = 8;

const TRUNCATED: Warning = {
  code: 'context-file-skipped',
  message: 'the repository has more files than GitHub lists at once; `files` may have missed some',
};

/** The API's tree does not show the target of a link; a submodule is another repository. */
function linkWarnings([path]: readonly string[]): readonly Warning[] {
  if (path === undefined) return [];
  const message = `links and submodules, such as ${quoteLine(path)}, are not read as context files`;
  return [{ code: 'context-file-skipped', message }];
}
