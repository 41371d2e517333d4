import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentPlace, SourceText } from '../../../core/agent/agent-source.js';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../../core/agent/built-in.js';
import { checkAgentName } from '../../../core/agent/name.js';
import { ConfigError, NotFoundError } from '../../../core/errors.js';
import { compileGlob } from '../../../core/text/glob.js';
import { isInside, leadsOut, shownPath } from '../confine.js';
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
  /** Whether an agent file may be a link that leads out of `cwd`: not in a checkout, which may be anybody's. */
  readonly followsLinks: boolean;
}

/** The agent files on this machine, as a run from here would find them, and the built-in ones. */
export function createDiskSource(options: DiskSourceOptions): SourceText {
  const { where, dirs, cwd, followsLinks } = options;
  const configDir = options.configDir === undefined ? undefined : resolve(cwd, options.configDir);
  const own = dirs.map((dir) => resolve(cwd, dir));
  const folders = [...new Set(configDir === undefined ? own : [...own, join(configDir, 'agents')])];
  const places: AgentFolders = { folders, cwd };
  return {
    where,
    folders: folders.map((folder) => shownPath(cwd, folder)),
    async list() {
      if (!followsLinks) await refuseLinkedFolders(places);
      return await listAgents(places);
    },
    async read(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) return { name, file: name, text: builtIn.toml, loadSkill: noSkill };
      if (!followsLinks && name.endsWith('.toml')) await refuseOutside(resolve(cwd, name), cwd);
      const path = await findFile(name, places);
      if (!followsLinks) await refuseOutside(path, cwd);
      const file = shownPath(cwd, path);
      return {
        name,
        file,
        text: await readAgentFile(name, path, file),
        async loadSkill(skill) {
          const parent = dirname(dirname(path));
          if (!followsLinks && !(await mayNameSkill(skill, parent, cwd))) return '';
          return await loadSkill(skill, { parents: [parent], configDir, cwd, memoryRoots: [] });
        },
      };
    },
    async countPaths(pattern, workdir) {
      const glob = compileGlob(pattern);
      const folder = resolve(cwd, workdir);
      if (!followsLinks && (await leadsOut(folder, cwd))) return undefined;
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

/** A folder outside that the workflow itself names is listed; one that a link in the checkout leads to is not. */
async function refuseLinkedFolders({ folders, cwd }: AgentFolders): Promise<void> {
  for (const folder of folders) {
    if (isInside(cwd, folder)) await refuseOutside(folder, cwd);
  }
}

/** Of what lies outside, not even the names of keys are told, nor whether it is there. */
async function refuseOutside(path: string, cwd: string): Promise<void> {
  if (!(await leadsOut(path, cwd))) return;
  const file = shownPath(cwd, path);
  throw new ConfigError(`${file} leads out of the checkout`, {
    at: { file },
    remedy: 'Name a folder of the repository, and put the file itself there.',
  });
}

/** Whether it may be told that a skill is there: one outside of the checkout is a run's to find. */
async function mayNameSkill(skill: string, parent: string, cwd: string): Promise<boolean> {
  if (isAbsolute(skill)) return !(await leadsOut(skill, cwd));
  for (const file of [resolve(parent, skill), join(parent, 'skills', skill, 'SKILL.md')]) {
    if (isInside(cwd, file) && (await leadsOut(file, cwd))) return false;
  }
  return true;
}

/** The built-in agents have none. */
async function noSkill(path: string): Promise<string> {
  throw new NotFoundError('skill', path);
}
