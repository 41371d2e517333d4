import * as v from 'valibot';
import type { AgentLibrary, AgentPlace, SourceText } from '../../agent/agent-source.js';
import { BUILT_IN_PREFIX, builtInText, findBuiltInAgent } from '../../agent/built-in.js';
import { decodeAgent } from '../../agent/decode.js';
import { checkAgentName } from '../../agent/name.js';
import { agentNotFound, skillNotFound } from '../../agent/not-found.js';
import { createAgentLibrary } from '../../agent/parse.js';
import { MAX_AGENT_BYTES } from '../../lib/defaults.js';
import { AxeError, ConfigError } from '../../lib/errors.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { selectPaths } from '../../lib/text/glob.js';
import type { Warning } from '../../lib/warning.js';
import { createMemoryFilter, type MemoryFilter } from '../../memory/log-path.js';
import { type ContextFile, createContextBudget, isBinary } from '../../prompt/context-files.js';
import { isSecretPath } from '../../tools/files/path-rules.js';
import {
  fetchBlob,
  listFolderAt,
  locationOf,
  type PathAtRef,
  type RefPlace,
  readFileAt,
  readPathAt,
  repositoryPath,
} from '../reading/contents.js';

/** What {@link createGitHubAgentLibrary} needs. */
interface GitHubAgentLibraryOptions extends RefPlace {
  /** Folders with agents, in the order they are searched (D4). */
  readonly agentsDirs: readonly string[];
  readonly signal: AbortSignal;
  /** The checkout's folder on the runner, which stands for the repository's root in a workdir. */
  readonly workspace?: string;
  /** Folders in which memory is kept, which no pattern matches; left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Is told the path of every agent and skill that is loaded, relative to the repository's root. */
  readonly onRead?: (path: string) => void;
}

/** The agent files of a commit or branch, through the API, and the built-in ones. */
export function createRefSource(options: GitHubAgentLibraryOptions): SourceText {
  const { signal, workspace, onRead } = options;
  const dirs = options.agentsDirs.map((dir) => repositoryPath(dir, workspace));
  const isMemory = createMemoryFilter(options.memoryRoots ?? []);
  let tree: ReturnType<typeof fetchTree> | undefined;
  let listed: Promise<readonly AgentPlace[]> | undefined;

  async function readSkill(path: string, roots: readonly string[]): Promise<string> {
    const paths = skillPaths(path, roots);
    for (const candidate of paths) {
      const text = await readFileAt(
        options,
        { path: candidate, maxBytes: MAX_SKILL_BYTES, isMemory },
        signal,
      );
      if (text === undefined) continue;
      onRead?.(candidate);
      return text;
    }
    const places = paths.map((candidate) => `\`${locationOf(options, candidate)}\``);
    throw skillNotFound(path, { places, known: [] });
  }

  return {
    where: locationOf(options, '').slice(0, -1),
    folders: dirs,
    list() {
      listed ??= listAgents(options, dirs);
      return listed;
    },
    async read(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) return builtInText(builtIn);
      if (name.startsWith(BUILT_IN_PREFIX)) throw await missingAtRef(name, dirs, options);
      refuseTwins(name, (await listed) ?? []);
      const paths = agentPaths(name, dirs, workspace);
      const found = await Promise.all(
        paths.map((path) => readPathAt(options, { path, maxBytes: MAX_AGENT_BYTES }, signal)),
      );
      const index = found.findIndex(({ kind }) => kind !== 'missing');
      const [content, file] = [found[index], paths[index]];
      if (content === undefined || file === undefined) throw await missingAtRef(name, dirs, options);
      onRead?.(file);
      const roots = [parentOf(parentOf(file)), ...dirs.map(parentOf)];
      return {
        name,
        file,
        source: locationOf(options, file),
        text: decodeAgent(bytesOf(content, { name, file }), { name, file }),
        loadSkill: (skill) => readSkill(skill, roots),
      };
    },
    loadSkill: (path) => readSkill(path, dirs.map(parentOf)),
    async countPaths(pattern, workdir) {
      const folder = repositoryPath(workdir, workspace);
      const prefix = folder === '' ? '' : `${folder}/`;
      // A malformed pattern is told even where nothing can be listed.
      selectPaths([pattern], []);
      tree ??= fetchTree(options, signal);
      const { tree: entries, truncated } = await tree;
      const paths = entries
        .filter(
          ({ path, ...entry }) => isFile(entry) && path.startsWith(prefix) && !isSecretPath(path.split('/')),
        )
        .map(({ path }) => path.slice(prefix.length));
      const { length } = selectPaths([pattern], paths);
      return length === 0 && truncated ? undefined : length;
    },
  };
}

/**
 * Agents, skills and context files of a ref that is trusted, through the API: the working tree, which may be a pull
 * request's, is never read (D21).
 */
export function createGitHubAgentLibrary(options: GitHubAgentLibraryOptions): AgentLibrary {
  const isMemory = createMemoryFilter(options.memoryRoots ?? []);
  return {
    ...createAgentLibrary(createRefSource(options)),
    async loadContextFiles(patterns, workdir) {
      if (patterns.length === 0) return { files: [], warnings: [] };
      const folder = repositoryPath(workdir, options.workspace);
      return await fetchContextFiles(options, { patterns, folder, isMemory }, options.signal);
    },
  };
}

/** Far more than a skill is; keeps a mistaken path from filling the prompt. */
const MAX_SKILL_BYTES = 1024 * 1024;

async function listAgents(
  { signal, ...place }: GitHubAgentLibraryOptions,
  dirs: readonly string[],
): Promise<readonly AgentPlace[]> {
  const listed = new Map<string, AgentPlace>();
  for (const dir of dirs) {
    const files = (await listFolderAt(place, dir, signal)).filter((file) => file.endsWith('.toml'));
    for (const file of files.toSorted(compareBytes)) {
      const name = file.slice(0, -'.toml'.length);
      if (!listed.has(name)) listed.set(name, { name, file: joinPath(dir, file) });
    }
  }
  return [...listed.values()];
}

/** Two files of one folder that differ only in case (D5), where they were listed. Throws a ConfigError. */
function refuseTwins(name: string, places: readonly AgentPlace[]): void {
  const own = places.find((place) => place.name === name);
  const twin = places.find(
    ({ file }) => file !== own?.file && file.toLowerCase() === own?.file.toLowerCase(),
  );
  if (own === undefined || twin === undefined) return;
  throw new ConfigError(`agents "${name}" and "${twin.name}" in ${parentOf(own.file)} differ only in case`, {
    at: { file: own.file },
    remedy: 'Rename one of the two: some file systems, and their memory, treat the two as one.',
  });
}

/** Where an agent's file may stand, in the order it is searched. Throws a ConfigError for a name that is none. */
export function agentPaths(
  name: string,
  agentsDirs: readonly string[],
  workspace?: string,
): readonly string[] {
  if (!name.endsWith('.toml')) {
    checkAgentName(name);
    return agentsDirs.map((dir) => joinPath(dir, `${name}.toml`));
  }
  const path = repositoryPath(name, workspace);
  checkAgentName(path.slice(path.lastIndexOf('/') + 1, -'.toml'.length));
  return [path];
}

function bytesOf(found: PathAtRef, { name, file }: { readonly name: string; readonly file: string }) {
  if (found.kind === 'file') return found.bytes;
  const reason = found.kind === 'refused' ? found.reason : 'it is a folder';
  throw new ConfigError(`failed to read agent config "${name}": ${reason}`, { at: { file } });
}

/** The error for an agent that is not there; it names every one there is, so that a typing mistake is seen at once. */
async function missingAtRef(
  name: string,
  agentsDirs: readonly string[],
  { signal, ...place }: GitHubAgentLibraryOptions,
): Promise<ConfigError> {
  const listed = await Promise.all(agentsDirs.map((dir) => listFolderAt(place, dir, signal)));
  const names = listed
    .flat()
    .filter((file) => file.endsWith('.toml'))
    .map((file) => file.slice(0, -'.toml'.length));
  const where = `${agentsDirs.map((dir) => `\`${dir}\``).join(' and ')} of ${locationOf(place, '').slice(0, -1)}`;
  return agentNotFound(name, { places: [where], known: names.sort(compareBytes) });
}

/** A bare name is a folder under `skills/`; anything else is a path below the agents folder's parent (D4). */
export function skillPaths(path: string, roots: readonly string[]): readonly string[] {
  const inside = repositoryPath(path);
  const relative = inside.includes('/') || inside.endsWith('.md') ? inside : `skills/${inside}/SKILL.md`;
  return [...new Set(roots.map((root) => joinPath(root, relative)))];
}

/** The folder a path is in; empty for the top. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

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
async function fetchContextFiles(
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
function isFile({ mode }: { readonly mode: string }): boolean {
  return FILE_MODES.has(mode);
}

const FOLDER_MODE = '040000';

const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

const TRUNCATED: Warning = {
  code: 'context-file-skipped',
  message: 'the repository has more files than GitHub lists at once; `files` may have missed some',
};

/** Everything a ref holds, as far as GitHub lists it at once. Throws an AxeError and a GitHubError. */
async function fetchTree(
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
