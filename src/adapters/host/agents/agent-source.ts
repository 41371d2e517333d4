import { dirname, join, resolve } from 'node:path';
import type { AgentPlace, SourceText } from '../../../core/agent/agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../../core/agent/built-in.js';
import { checkAgentName } from '../../../core/agent/name.js';
import { NotFoundError } from '../../../core/errors.js';
import { compileGlob } from '../../../core/text/glob.js';
import { confine, shownPath } from '../confine.js';
import { walkFiles } from '../walk-files.js';
import { type AgentFolders, agentNames, findAgentFile, missingAgent, readAgentFile } from './agent-files.js';
import { resolveWorkdir } from './context-files.js';
import { loadSkill } from './skills.js';

/** Whose agent files on this machine are looked at. */
export interface DiskSourceOptions {
  /** Half a sentence for people. */
  readonly where: string;
  /** Folders of agents, in the order they are searched (D4); relative to `cwd`. */
  readonly dirs: readonly string[];
  /** axe's configuration folder; only on the command line. */
  readonly configDir?: string | undefined;
  readonly cwd: string;
  /** Whether agents and what they name must lie in `cwd`, with every link followed, as in a workflow (D48). */
  readonly isConfined: boolean;
}

/** The agent files on this machine, as a run from here would find them, and the built-in ones. */
export function createDiskSource(options: DiskSourceOptions): SourceText {
  const { where, dirs, cwd, isConfined } = options;
  const configDir = options.configDir === undefined ? undefined : resolve(cwd, options.configDir);
  const own = dirs.map((dir) => resolve(cwd, dir));
  const folders = [...new Set(configDir === undefined ? own : [...own, join(configDir, 'agents')])];
  const places: AgentFolders = { folders, cwd };
  return {
    where,
    folders: folders.map((folder) => shownPath(cwd, folder)),
    list: () => listAgents(places),
    async read(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) return { name, file: name, text: builtIn.toml, loadSkill: noSkill };
      const path = await findFile(name, places);
      if (isConfined) await confine(cwd, { path, what: `the file of the agent "${name}"` });
      const file = shownPath(cwd, path);
      return {
        name,
        file,
        text: await readAgentFile(name, path, file),
        loadSkill: (skill) =>
          loadSkill(skill, {
            parents: [dirname(dirname(path))],
            configDir,
            cwd,
            isConfined,
            memoryRoots: [],
          }),
      };
    },
    async countPaths(pattern, workdir) {
      const glob = compileGlob(pattern);
      const folder = isConfined
        ? await confine(cwd, { path: workdir, what: '`workdir` of the agent' })
        : resolve(cwd, workdir);
      return (await walkFiles(await resolveWorkdir(folder), [glob])).length;
    },
  };
}

async function listAgents({ folders, cwd }: AgentFolders): Promise<readonly AgentPlace[]> {
  const listed = new Map<string, AgentPlace>();
  for (const folder of folders) {
    for (const name of await agentNames(folder)) {
      if (!listed.has(name)) listed.set(name, { name, file: shownPath(cwd, join(folder, `${name}.toml`)) });
    }
  }
  return [...listed.values()];
}

async function findFile(name: string, places: AgentFolders): Promise<string> {
  if (name.startsWith(BUILT_IN_PREFIX) && !name.endsWith('.toml')) throw await missingAgent(name, places);
  if (!name.endsWith('.toml')) checkAgentName(name);
  return await findAgentFile(name, places);
}

/** The built-in agents have none. */
async function noSkill(path: string): Promise<string> {
  throw new NotFoundError('skill', path);
}
