import * as v from 'valibot';
import { AxeError } from '../../../core/errors.js';
import type { MemoryFilter } from '../../../core/memory/log-path.js';
import { type ContextFile, createContextBudget, isBinary } from '../../../core/prompt/context-files.js';
import { selectPaths } from '../../../core/text/glob.js';
import { isSecretPath } from '../../../core/tools/files/path-rules.js';
import type { Warning } from '../../../core/warning.js';
import { fetchBlob, type RefPlace } from '../reading/contents.js';

/** Context files with what was left out. */
interface ContextFiles {
  readonly files: readonly ContextFile[];
  readonly warnings: readonly Warning[];
}

const treeSchema = v.object({
  truncated: v.fallback(v.boolean(), false),
  tree: v.array(
    v.object({
      path: v.string(),
      mode: v.string(),
      sha: v.string(),
      size: v.fallback(v.number(), 0),
    }),
  ),
});

/** A file to fetch. */
interface RequestedFile {
  /** Relative to the folder. */
  readonly path: string;
  readonly sha: string;
}

/**
 * The files of a ref that match, read through the trees and blobs APIs. `folder` is a path inside the repository,
 * empty for its root; patterns and results are relative to it. Throws a ConfigError and a GitHubError.
 */
export async function fetchContextFiles(
  place: RefPlace,
  {
    patterns,
    folder,
    isMemory,
  }: { readonly patterns: readonly string[]; readonly folder: string; readonly isMemory: MemoryFilter },
  signal: AbortSignal,
): Promise<ContextFiles> {
  if (patterns.length === 0) return { files: [], warnings: [] };
  const { tree, truncated } = await fetchTree(place, signal);
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = new Map(
    tree
      .filter((entry) => entry.path.startsWith(prefix) && entry.mode !== FOLDER_MODE)
      .filter(({ path }) => !isMemory(path) && !isSecretPath(path.split('/')))
      .map((entry) => [entry.path.slice(prefix.length), entry]),
  );
  const selected = selectPaths(patterns, entries.keys());
  const budget = createContextBudget();
  const requested: RequestedFile[] = [];
  const links: string[] = [];
  for (const path of selected) {
    const entry = entries.get(path);
    if (entry === undefined) continue;
    if (!isFile(entry)) links.push(path);
    else if (budget.take(path, entry.size)) requested.push({ path, sha: entry.sha });
  }
  return {
    files: await fetchTexts(place, requested, signal),
    warnings: [...(truncated ? [TRUNCATED] : []), ...linkWarnings(links), ...budget.warnings()],
  };
}

/** Whether an entry of a tree can be a context file: links and submodules cannot. */
export function isFile({ mode }: { readonly mode: string }): boolean {
  return FILE_MODES.has(mode);
}

const FOLDER_MODE = '040000';

const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

const TRUNCATED: Warning = {
  code: 'context-file-skipped',
  message: 'the repository has more files than GitHub lists at once; `files` may have missed some',
};

/** Everything a ref holds, as far as GitHub lists it at once. Throws an AxeError and a GitHubError. */
export async function fetchTree(
  { client, repository, ref }: RefPlace,
  signal: AbortSignal,
): Promise<v.InferOutput<typeof treeSchema>> {
  const { body } = await client.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    params: { owner: repository.owner, repo: repository.name, tree_sha: ref, recursive: '1' },
    signal,
  });
  const tree = v.safeParse(treeSchema, body);
  if (tree.success) return tree.output;
  throw new AxeError(`the files of ${repository.owner}/${repository.name}@${ref} cannot be listed`);
}

/** Requests under way at once, well below GitHub's limit of 100. */
const PARALLEL = 8;

/** Binary files are left out without a word, as in axe. */
async function fetchTexts(
  place: RefPlace,
  requested: readonly RequestedFile[],
  signal: AbortSignal,
): Promise<readonly ContextFile[]> {
  const files: ContextFile[] = [];
  for (let start = 0; start < requested.length; start += PARALLEL) {
    const batch = requested.slice(start, start + PARALLEL);
    const contents = await Promise.all(batch.map(({ sha }) => fetchBlob(place, sha, signal)));
    for (const [index, { path }] of batch.entries()) {
      const bytes = contents[index];
      if (bytes === undefined || isBinary(bytes)) continue;
      files.push({ path, content: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) });
    }
  }
  return files;
}

const MAX_NAMED = 5;

/** Where a link leads cannot be seen from here; a submodule is another repository. */
function linkWarnings(paths: readonly string[]): readonly Warning[] {
  if (paths.length === 0) return [];
  const named = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return [
    {
      code: 'context-file-skipped',
      message: `links and submodules are not read as context files: ${named.join(', ')}${more}`,
    },
  ];
}
