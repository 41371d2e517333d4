import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { confine, shownPath } from '../lib/confine.js';
import { AxeError, ConfigError } from '../lib/errors.js';
import { compileGlob } from '../lib/text/glob.js';
import { walkFiles } from '../tools/files/walk-files.js';
import type { AgentLibrary, AgentPlace, SourceText } from './agent-source.js';
import { BUILT_IN_PREFIX, builtInText, findBuiltInAgent } from './built-in.js';
import { checkAgentName } from './name.js';
import { createAgentLibrary, parseAgent } from './parse.js';
import {
  type AgentFolders,
  agentNames,
  findAgentFile,
  missingAgent,
  readAgentFile,
  refuseTwins,
} from './read-agent-files.js';
import { loadContextFiles, resolveWorkdir } from './read-context-files.js';
import { loadSkill } from './read-skills.js';

export interface AgentsDirOptions {
  /** Folders of agents, in the order they are searched (D4); relative to `cwd`. */
  readonly dirs: readonly string[];
  /** axe's configuration folder, whose `agents` are searched last; only on the command line. */
  readonly configDir?: string | undefined;
  readonly cwd: string;
  /** Folders in which memory is kept, relative to `cwd`: no pattern of context files matches there. Left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Whether agents and what they name must lie in `cwd`, with every link followed, as in a workflow (D48); left out: no. */
  readonly isConfined?: boolean;
  /** Is told the path of every agent and skill that is loaded, absolute and without links. */
  readonly onRead?: (file: string) => void;
}

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
  /** Absolute path of an agent's file, which may be invalid. Throws a ConfigError if there is none. */
  agentFile(name: string): Promise<string>;
}

/** The agent files on this machine, as a run from here would find them, and the built-in ones; `where` is for people. */
export function createDiskSource(options: AgentsDirOptions, where = ''): SourceText {
  const { cwd, isConfined = false, onRead } = options;
  const places = placesOf(options);
  const { folders, configDir } = places;
  const skill = (path: string, parents: readonly string[]) =>
    loadSkill(path, {
      parents,
      configDir,
      cwd,
      isConfined,
      memoryRoots: hiddenOf(options),
      ...(onRead === undefined ? {} : { onRead }),
    });
  return {
    where,
    folders: folders.map((folder) => shownPath(cwd, folder)),
    async list() {
      const listed = new Map<string, AgentPlace>();
      for (const folder of folders) {
        for (const name of await agentNames(folder)) {
          const file = shownPath(cwd, join(folder, `${name}.toml`));
          if (!listed.has(name)) listed.set(name, { name, file });
        }
      }
      return [...listed.values()];
    },
    async read(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) return builtInText(builtIn);
      const path = await fileOf(name, places);
      if (isConfined) await confine(cwd, { path, what: `the file of the agent "${name}"` });
      onRead?.(await realpath(path).catch(() => path));
      const file = shownPath(cwd, path);
      const text = await readAgentFile(name, path, file);
      return { name, file, source: file, text, loadSkill: (named) => skill(named, [dirname(dirname(path))]) };
    },
    loadSkill: (path) => skill(path, places.parents),
    async countPaths(pattern, workdir) {
      const glob = compileGlob(pattern);
      const folder = isConfined
        ? await confine(cwd, { path: workdir, what: '`workdir` of the agent' })
        : resolve(cwd, workdir);
      return (await walkFiles(await resolveWorkdir(folder), [glob])).length;
    },
  };
}

/** An agent library over folders on disk, with the built-in agents behind them (D4). */
export function createAgentsDir(options: AgentsDirOptions): AgentsDir {
  const { cwd } = options;
  const places = placesOf(options);
  const source = createDiskSource(options);
  return {
    ...createAgentLibrary(source),
    folders: source.folders,
    async agentFile(name) {
      if (findBuiltInAgent(name) === undefined) return await fileOf(name, places);
      throw new ConfigError(`agent "${name}" is built in and has no file`, {
        remedy: 'Create an agent of your own with `agents init`.',
      });
    },
    loadContextFiles: (patterns, workdir) =>
      loadContextFiles(patterns, resolve(cwd, workdir), hiddenOf(options)),
    listAgents: () => listAgents(places),
  };
}

interface Places extends AgentFolders {
  readonly configDir: string | undefined;
  /** Parents of the folders, where skills are. */
  readonly parents: readonly string[];
}

function placesOf({ dirs, configDir: config, cwd }: AgentsDirOptions): Places {
  const own = dirs.map((dir) => resolve(cwd, dir));
  const configDir = config === undefined ? undefined : resolve(cwd, config);
  const folders = [...new Set(configDir === undefined ? own : [...own, join(configDir, 'agents')])];
  return { folders, cwd, configDir, parents: own.map((folder) => dirname(folder)) };
}

function hiddenOf({ cwd, memoryRoots = [] }: AgentsDirOptions): readonly string[] {
  return memoryRoots.map((root) => resolve(cwd, root));
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
