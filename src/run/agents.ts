import { isAbsolute, resolve } from 'node:path';
import type { AgentLibrary, LoadedAgent } from '../agent/agent-source.js';
import { bothNotFound } from '../agent/not-found.js';
import { type AgentsDir, createAgentsDir } from '../agent/read-agents-dir.js';
import type { Repository, Trigger } from '../event/trigger.js';
import { createGitHubAgentLibrary } from '../github/agents/agent-library.js';
import type { GitHubClient } from '../github/client/client.js';
import { isNotFound, type NotFoundError } from '../lib/errors.js';
import { createSharedAgents, type SharedAgents } from './shared-agents.js';

/** Folders of a repository that hold agents, nearest first; `axe/agents` is axe's own (D4). */
export const AGENTS_DIRS: readonly string[] = ['axe/agents', '.axe/agents'];

/** Where agents may come from. */
export interface AgentSources {
  readonly trigger: Trigger;
  /** The workspace, or the folder a command runs in. */
  readonly cwd: string;
  /** Input `agents-dir` or `--agents-dir`; empty for none. */
  readonly agentsDir: string;
  /** axe's configuration folder; only on the command line. */
  readonly configDir: string | undefined;
  readonly client: GitHubClient | undefined;
  /** Another repository's agents, in place of all others but the built-in ones. */
  readonly shared?: SharedAgents | undefined;
  /** Folders of the repository in which memory is kept, which are no context; left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Is told the absolute path, in the checkout, of every agent and skill of this repository that is loaded. */
  readonly onRead?: (file: string) => void;
  readonly signal: AbortSignal;
}

/** The agents a run may use, and those of the pull request, which are only looked at. */
interface Agents {
  readonly agents: AgentLibrary;
  readonly headAgents?: AgentLibrary;
}

/**
 * Where a run's agents come from (D4, D21). For events that other people cause the working tree may be theirs, so
 * agents, skills and context files come from the base ref by API; otherwise from disk, then from the default branch.
 * With `agents-repo` agents and skills come from there instead, context files never do.
 */
export function findAgents(sources: AgentSources): Agents {
  const { shared, agentsDir, signal } = sources;
  const { own, headAgents } = ownAgents(sources);
  const head = headAgents === undefined ? {} : { headAgents };
  const first = firstWith(own);
  if (shared === undefined) return { agents: first, ...head };
  const others = createSharedAgents(shared, { agentsDirs: dirsAtRef(agentsDir), signal });
  return { agents: { ...others, loadContextFiles: contextFilesOf(own) } };
}

/** One after the other; at least one. */
type Libraries = readonly [AgentLibrary, ...AgentLibrary[]];

interface OwnAgents {
  readonly own: Libraries;
  readonly headAgents?: AgentLibrary;
}

/** The agents of the run's repository and of this machine. */
function ownAgents(sources: AgentSources): OwnAgents {
  const { trigger, client } = sources;
  if (trigger.kind === 'local' || client === undefined) return { own: [localAgents(sources)] };
  const atRef = (ref: string) => githubAgents({ ...sources, client, repository: trigger.repository, ref });
  const onDisk = sources.configDir === undefined ? [] : [localAgents(sources)];
  switch (trigger.kind) {
    case 'pull_request': {
      const head = trigger.isFork ? undefined : atRef(trigger.head.sha);
      const own: Libraries = [atRef(trigger.base.ref), ...onDisk];
      return head === undefined ? { own } : { own, headAgents: head };
    }
    case 'issue':
    case 'comment':
    case 'workflow_run':
    case 'merge_group':
    case 'unknown':
      return { own: [atRef(trigger.repository.defaultBranch), ...onDisk] };
    case 'push':
    case 'release':
    case 'schedule':
    case 'dispatch':
      return { own: [localAgents(sources), atRef(trigger.repository.defaultBranch)] };
  }
}

/** Folders in which agents are looked for, nearest first; `agentsDir` is empty for none of the caller's own. */
export function agentsDirsOf(agentsDir: string): readonly string[] {
  return agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
}

/** The agents on disk: of the given folder, the repository, and this machine (D4). */
export function localAgents({
  cwd,
  agentsDir,
  configDir,
  memoryRoots = [],
  onRead,
}: Pick<AgentSources, 'cwd' | 'agentsDir' | 'configDir' | 'memoryRoots' | 'onRead'>): AgentsDir {
  const dirs = agentsDirsOf(agentsDir);
  // Only the action is without a configuration folder: there nothing may lead out of the workspace.
  const place = configDir === undefined ? { isConfined: true } : { configDir };
  return createAgentsDir({ dirs, cwd, memoryRoots, ...(onRead === undefined ? {} : { onRead }), ...place });
}

interface GitHubSources extends AgentSources {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly ref: string;
}

function githubAgents({
  client,
  repository,
  ref,
  agentsDir,
  signal,
  cwd: workspace,
  memoryRoots = [],
  onRead,
}: GitHubSources): AgentLibrary {
  const agentsDirs = dirsAtRef(agentsDir);
  const readListener =
    onRead === undefined ? {} : { onRead: (path: string) => onRead(resolve(workspace, path)) };
  const places = { agentsDirs, workspace, memoryRoots, ...readListener };
  return createGitHubAgentLibrary({ client, repository, ref, signal, ...places });
}

function dirsAtRef(agentsDir: string): readonly string[] {
  return agentsDirsOf(isAbsolute(agentsDir) ? '' : agentsDir);
}

/** The context files of the first library that has any. */
function contextFilesOf([first, ...others]: Libraries): AgentLibrary['loadContextFiles'] {
  return async (patterns, workdir) => {
    let found = await first.loadContextFiles(patterns, workdir);
    for (const library of others) {
      if (found.files.length > 0 || patterns.length === 0) break;
      found = await library.loadContextFiles(patterns, workdir);
    }
    return found;
  };
}

/** The libraries one after the other; skills and context files come from the one that has the agent. */
function firstWith([first, ...others]: Libraries): AgentLibrary {
  /** By the source of the agent, since several may be loaded at once. */
  const homes = new Map<string, AgentLibrary>();
  const homeOf = (agent: LoadedAgent | undefined) => homes.get(agent?.source ?? '') ?? first;
  return {
    async loadAgent(name) {
      let missing: NotFoundError | undefined;
      for (const library of [first, ...others]) {
        try {
          const agent = await library.loadAgent(name);
          homes.set(agent.source, library);
          return agent;
        } catch (thrown) {
          if (!isNotFound(thrown, 'agent')) throw thrown;
          missing = missing === undefined ? thrown : bothNotFound(missing, thrown);
        }
      }
      throw missing;
    },
    loadSkill: (path, agent) => homeOf(agent).loadSkill(path, agent),
    loadContextFiles: (patterns, workdir, agent) => homeOf(agent).loadContextFiles(patterns, workdir, agent),
  };
}
