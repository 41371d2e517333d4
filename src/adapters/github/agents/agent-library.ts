import type { LoadedAgent } from '../../../core/agent/agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../../core/agent/built-in.js';
import { decodeAgent } from '../../../core/agent/decode.js';
import { checkAgentName } from '../../../core/agent/name.js';
import { agentNotFound, skillNotFound } from '../../../core/agent/not-found.js';
import { parseAgent } from '../../../core/agent/parse.js';
import { MAX_AGENT_BYTES } from '../../../core/defaults.js';
import type { AgentLibrary } from '../../../core/dependencies.js';
import { ConfigError } from '../../../core/errors.js';
import { createMemoryFilter } from '../../../core/memory/log-path.js';
import { compareBytes } from '../../../core/text/bytes.js';
import {
  listFolderAt,
  locationOf,
  type PathAtRef,
  type RefPlace,
  readFileAt,
  readPathAt,
  repositoryPath,
} from '../reading/contents.js';
import { fetchContextFiles } from './context-files.js';

/** What {@link createGitHubAgentLibrary} needs. */
export interface GitHubAgentLibraryOptions extends RefPlace {
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

/** Agents of a ref, and whether a folder of it holds any. */
export interface GitHubAgentLibrary extends AgentLibrary {
  hasAgents(dir: string): Promise<boolean>;
}

/**
 * Agents, skills and context files of a ref that is trusted, through the API: the working tree, which may be a pull
 * request's, is never read (D21).
 */
export function createGitHubAgentLibrary(options: GitHubAgentLibraryOptions): GitHubAgentLibrary {
  const agentsDirs = options.agentsDirs.map((dir) => repositoryPath(dir, options.workspace));
  const { signal } = options;
  const parents = agentsDirs.map(parentOf);
  const isMemory = createMemoryFilter(options.memoryRoots ?? []);
  /** Of each agent, by its source: one that was named by path lies in none of the folders. */
  const parentOfAgent = new Map<string, string>();
  return {
    async hasAgents(dir) {
      const files = await listFolderAt(options, repositoryPath(dir, options.workspace), signal);
      return files.some((file) => file.endsWith('.toml'));
    },
    async loadAgent(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) {
        return { name, ...parseAgent(builtIn.toml, { name, file: name }), source: 'built-in' };
      }
      if (name.startsWith(BUILT_IN_PREFIX)) throw await missingAtRef(name, agentsDirs, options);
      const paths = agentPaths(name, agentsDirs, options.workspace);
      const found = await Promise.all(
        paths.map((path) => readPathAt(options, { path, maxBytes: MAX_AGENT_BYTES }, signal)),
      );
      for (const [index, path] of paths.entries()) {
        const content = found[index];
        if (content === undefined || content.kind === 'missing') continue;
        const source = locationOf(options, path);
        options.onRead?.(path);
        parentOfAgent.set(source, parentOf(parentOf(path)));
        return { name, ...parseFound(content, { name, file: path }), source };
      }
      throw await missingAtRef(name, agentsDirs, options);
    },
    async loadSkill(path, agent) {
      const own = agent === undefined ? undefined : parentOfAgent.get(agent.source);
      const paths = skillPaths(path, own === undefined ? parents : [own, ...parents]);
      for (const candidate of paths) {
        const file = { path: candidate, maxBytes: MAX_SKILL_BYTES, isMemory };
        const text = await readFileAt(options, file, signal);
        if (text === undefined) continue;
        options.onRead?.(candidate);
        return text;
      }
      throw missingSkill(path, paths, options);
    },
    async loadContextFiles(patterns, workdir) {
      if (patterns.length === 0) return { files: [], warnings: [] };
      const folder = repositoryPath(workdir, options.workspace);
      return await fetchContextFiles(options, { patterns, folder, isMemory }, signal);
    },
  };
}

/** Far more than a skill is; keeps a mistaken path from filling the prompt. */
const MAX_SKILL_BYTES = 1024 * 1024;

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

function parseFound(
  found: Exclude<PathAtRef, { kind: 'missing' }>,
  source: { readonly name: string; readonly file: string },
): Pick<LoadedAgent, 'config' | 'warnings' | 'workflowWarnings'> {
  const { name, file } = source;
  switch (found.kind) {
    case 'file':
      return parseAgent(decodeAgent(found.bytes, source), source);
    case 'folder':
      throw new ConfigError(`failed to read agent config "${name}": it is a folder`, { at: { file } });
    case 'refused':
      throw new ConfigError(`failed to read agent config "${name}": ${found.reason}`, { at: { file } });
  }
}

/** The error for an agent that is not there; it names every one there is, so that a typing mistake is seen at once. */
export async function missingAtRef(
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

/** The error for a skill that stands at none of these paths. */
export function missingSkill(path: string, paths: readonly string[], place: RefPlace): ConfigError {
  const places = paths.map((candidate) => `\`${locationOf(place, candidate)}\``);
  return skillNotFound(path, { places, known: [] });
}

/** The folder a path is in; empty for the top. */
export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
