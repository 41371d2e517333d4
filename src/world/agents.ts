import { isAbsolute } from 'node:path';
import { ConfigError } from '../axe/errors.js';
import type { AgentLibrary } from '../axe/ports.js';
import type { Repository, Trigger } from '../axe/trigger.js';
import { createGitHubAgentLibrary } from '../github/agent-library.js';
import type { GitHubClient } from '../github/client.js';
import { type AgentsDir, createAgentsDir } from '../host/agents-dir.js';

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
  readonly signal: AbortSignal;
}

/** The agents a run may use, and those of the pull request, which are only looked at. */
export interface Agents {
  readonly agents: AgentLibrary;
  readonly headAgents?: AgentLibrary;
}

/**
 * Where a run's agents come from (D4, D21). For events that other people cause the working tree may be theirs, so
 * agents, skills and context files come from the base ref by API; otherwise from disk, then from the default branch.
 */
export function findAgents(sources: AgentSources): Agents {
  const { trigger, client } = sources;
  if (trigger.kind === 'local' || client === undefined) return { agents: localAgents(sources) };
  const atRef = (ref: string) => githubAgents({ ...sources, client, repository: trigger.repository, ref });
  const ownAgents = sources.configDir === undefined ? [] : [localAgents(sources)];
  switch (trigger.kind) {
    case 'pull_request': {
      const agents = firstWith([atRef(trigger.base.ref), ...ownAgents]);
      return trigger.isFork ? { agents } : { agents, headAgents: atRef(trigger.head.sha) };
    }
    case 'issue':
    case 'comment':
    case 'workflow_run':
    case 'merge_group':
    case 'unknown':
      return { agents: firstWith([atRef(trigger.repository.defaultBranch), ...ownAgents]) };
    case 'push':
    case 'schedule':
    case 'dispatch':
      return { agents: firstWith([localAgents(sources), atRef(trigger.repository.defaultBranch)]) };
  }
}

/** The agents on disk: of the given folder, the repository, and this machine (D4). */
export function localAgents({
  cwd,
  agentsDir,
  configDir,
}: Pick<AgentSources, 'cwd' | 'agentsDir' | 'configDir'>): AgentsDir {
  const dirs = agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
  return createAgentsDir({ dirs, cwd, ...(configDir === undefined ? {} : { configDir }) });
}

interface GitHubSources extends AgentSources {
  readonly client: GitHubClient;
  readonly repository: Repository;
  readonly ref: string;
}

function githubAgents({ client, repository, ref, agentsDir, signal, cwd }: GitHubSources): AgentLibrary {
  const agentsDirs = agentsDir === '' || isAbsolute(agentsDir) ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
  return createGitHubAgentLibrary({ client, repository, ref, agentsDirs, signal, workspace: cwd });
}

/** The libraries one after the other; skills and context files come from the one that has the agent. */
function firstWith([first, ...others]: readonly [AgentLibrary, ...AgentLibrary[]]): AgentLibrary {
  let chosen = first;
  return {
    async loadAgent(name) {
      let missing: unknown;
      for (const library of [first, ...others]) {
        try {
          const agent = await library.loadAgent(name);
          chosen = library;
          return agent;
        } catch (thrown) {
          if (!(thrown instanceof ConfigError && isMissing(thrown))) throw thrown;
          missing ??= thrown;
        }
      }
      throw missing;
    },
    loadSkill: (path) => chosen.loadSkill(path),
    loadContextFiles: (patterns, workdir) => chosen.loadContextFiles(patterns, workdir),
  };
}

function isMissing({ message }: ConfigError): boolean {
  return message.startsWith('agent config not found');
}
