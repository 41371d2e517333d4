import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BUILT_IN_PREFIX, findBuiltInAgent } from '../../axe/agent/built-in.js';
import { checkAgentName } from '../../axe/agent/name.js';
import type { AgentPlace, AgentShelf } from '../../axe/agent/shelf.js';
import { ConfigError, NotFoundError } from '../../axe/errors.js';
import { compileGlob } from '../../axe/prompt/glob.js';
import { isInside, shownPath } from '../inside.js';
import { walkFiles } from '../walk-files.js';
import { type AgentFolders, agentNames, findAgentFile, missingAgent, readAgentFile } from './agent-files.js';
import { resolveWorkdir } from './context-files.js';
import { loadSkill } from './skills.js';

/** Whose agent files on this machine are looked at. */
export interface AgentShelfOptions {
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
export function createAgentShelf(options: AgentShelfOptions): AgentShelf {
  const { where, dirs, cwd, followsLinks } = options;
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
      if (!followsLinks) await refuseLink(path, cwd);
      const file = shownPath(cwd, path);
      return {
        name,
        file,
        text: await readAgentFile(name, path, file),
        loadSkill: (skill) => loadSkill(skill, { parents: [dirname(dirname(path))], configDir, cwd }),
      };
    },
    async countPaths(pattern, workdir) {
      const glob = compileGlob(pattern);
      return (await walkFiles(await resolveWorkdir(resolve(cwd, workdir)), [glob])).length;
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

/** Of what a link outside leads to, not even the names of keys are told. */
async function refuseLink(path: string, cwd: string): Promise<void> {
  const [root, real] = await Promise.all([cwd, path].map((one) => realpath(one).catch(() => undefined)));
  if (root === undefined || real === undefined || isInside(root, real)) return;
  const file = shownPath(cwd, path);
  throw new ConfigError(`${file} leads out of the checkout`, {
    at: { file },
    remedy: 'Put the file itself there instead of a link.',
  });
}

/** The built-in agents have none. */
async function noSkill(path: string): Promise<string> {
  throw new NotFoundError('skill', path);
}
