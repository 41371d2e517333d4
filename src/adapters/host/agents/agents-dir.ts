import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { LoadedAgent } from '../../../core/agent/agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../../core/agent/built-in.js';
import { checkAgentName } from '../../../core/agent/name.js';
import { parseAgent } from '../../../core/agent/parse.js';
import type { AgentLibrary } from '../../../core/dependencies.js';
import { AxeError, ConfigError } from '../../../core/errors.js';
import { confine, shownPath } from '../confine.js';
import {
  type AgentFolders,
  agentNames,
  findAgentFile,
  missingAgent,
  readAgentFile,
  refuseTwins,
} from './agent-files.js';
import { loadContextFiles } from './context-files.js';
import { loadSkill } from './skills.js';

/** Where agents and skills are found on this machine. */
interface AgentsDirOptions {
  /** Folders of agents, in the order they are searched (D4); relative to `cwd`. */
  readonly dirs: readonly string[];
  /** axe's configuration folder, whose `agents` are searched last; only on the command line. */
  readonly configDir?: string | undefined;
  readonly cwd: string;
  /** Folders in which memory is kept, relative to `cwd`: no pattern of context files matches there. Left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Whether agents and skills must lie in `cwd`, with every link followed, as in a workflow; left out: no. */
  readonly isConfined?: boolean;
  /** Is told the path of every agent and skill that is loaded, absolute and without links. */
  readonly onRead?: (file: string) => void;
}

/** An agent file, read as far as a list needs it. */
export interface ListedAgent {
  /** What it is asked for by: the name of its file. */
  readonly id: string;
  readonly description: string;
  /** Relative to the current folder if it lies below it. */
  readonly file: string;
  /** Why it cannot be used; undefined if it can. */
  readonly error: AxeError | undefined;
}

/** Agents, skills and context files on this machine. */
export interface AgentsDir extends AgentLibrary {
  /** Where agent files are looked for, in that order; relative to the current folder if they lie below it. */
  readonly folders: readonly string[];
  /** The agents of all folders; of agents with one id the first, which is the one that is loaded. No built-in ones. */
  listAgents(): Promise<readonly ListedAgent[]>;
  /** Whether a folder holds agent files. */
  hasAgents(dir: string): Promise<boolean>;
  /** Absolute path of an agent's file, which may be invalid. Throws a ConfigError if there is none. */
  agentFile(name: string): Promise<string>;
}

/** An agent library over folders on disk, with the built-in agents behind them (D4). */
export function createAgentsDir(options: AgentsDirOptions): AgentsDir {
  const { cwd, isConfined = false, onRead } = options;
  const folders = options.dirs.map((dir) => resolve(cwd, dir));
  const configDir = options.configDir === undefined ? undefined : resolve(cwd, options.configDir);
  const hidden = (options.memoryRoots ?? []).map((root) => resolve(cwd, root));
  const all = configDir === undefined ? folders : [...folders, join(configDir, 'agents')];
  const places: AgentFolders = { folders: [...new Set(all)], cwd };
  const parents = folders.map((folder) => dirname(folder));
  const parentOfAgent = new Map<string, string>();
  /**
   * Next to the agent alone, so that a repository cannot put its own skill under an agent of the user's; a skill that
   * the agent does not name itself (`--skill`) next to all folders.
   */
  function skillParents(path: string, agent: LoadedAgent | undefined): readonly string[] {
    const own = agent?.config.skill === path ? parentOfAgent.get(agent.source) : undefined;
    return own === undefined ? parents : [own];
  }
  return {
    folders: places.folders.map((folder) => shownPath(cwd, folder)),
    async loadAgent(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) {
        return { name, ...parseAgent(builtIn.toml, { name, file: name }), source: 'built-in' };
      }
      const file = await fileOf(name, places);
      if (isConfined) await confine(cwd, { path: file, what: `the file of the agent "${name}"` });
      onRead?.(await realpath(file).catch(() => file));
      const source = shownPath(cwd, file);
      const parsed = parseAgent(await readAgentFile(name, file, source), { name, file: source });
      parentOfAgent.set(source, dirname(dirname(file)));
      return { name, ...parsed, source };
    },
    hasAgents: async (dir) => (await agentNames(resolve(cwd, dir))).length > 0,
    async agentFile(name) {
      if (findBuiltInAgent(name) === undefined) return await fileOf(name, places);
      throw new ConfigError(`agent "${name}" is built in and has no file`, {
        remedy: 'Create an agent of your own with `agents init`.',
      });
    },
    loadSkill: (path, agent) =>
      loadSkill(path, {
        parents: skillParents(path, agent),
        configDir,
        cwd,
        isConfined,
        memoryRoots: hidden,
        ...(onRead === undefined ? {} : { onRead }),
      }),
    loadContextFiles: (patterns, workdir) => loadContextFiles(patterns, resolve(cwd, workdir), hidden),
    listAgents: () => listAgents(places),
  };
}

async function fileOf(name: string, places: AgentFolders): Promise<string> {
  if (name.startsWith(BUILT_IN_PREFIX) && !name.endsWith('.toml')) throw await missingAgent(name, places);
  return await findAgentFile(name, places);
}

async function listAgents({ folders, cwd }: AgentFolders): Promise<readonly ListedAgent[]> {
  const listed = new Map<string, ListedAgent>();
  for (const folder of folders) {
    const names = await agentNames(folder);
    for (const id of names) {
      if (!listed.has(id)) listed.set(id, await describeAgent(id, { folder, names, cwd }));
    }
  }
  return [...listed.values()];
}

async function describeAgent(
  id: string,
  { folder, names, cwd }: { folder: string; names: readonly string[]; cwd: string },
): Promise<ListedAgent> {
  const path = join(folder, `${id}.toml`);
  const file = shownPath(cwd, path);
  try {
    checkAgentName(id);
    refuseTwins(id, names, shownPath(cwd, folder));
    const { config } = parseAgent(await readAgentFile(id, path, file), { name: id, file });
    return { id, description: config.description, file, error: undefined };
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    return { id, description: '', file, error: thrown };
  }
}
