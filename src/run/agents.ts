import { isAbsolute, resolve } from 'node:path';
import type { AgentLibrary, AgentPlace } from '../agent/agent-source.js';
import { type AgentLoader, createAgentLoader } from '../agent/loader.js';
import { diskPlace } from '../agent/read-disk.js';
import { refPlace } from '../agent/read-ref.js';
import type { Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { resolveCommit } from '../github/reading/contents.js';
import { ConfigError } from '../lib/errors.js';

/** Folders of a repository that hold agents, nearest first; `axe/agents` is axe's own (D4). */
export const AGENTS_DIRS: readonly string[] = ['axe/agents', '.axe/agents'];

interface LocalSources {
  /** The workspace, or the folder a command runs in. */
  readonly cwd: string;
  /** Input `agents-dir` or `--agents-dir`; empty for none. */
  readonly agentsDir: string;
  /** axe's configuration folder; only on the command line. */
  readonly configDir: string | undefined;
  /** Folders of the repository in which memory is kept, which are no context; left out: none. */
  readonly memoryRoots?: readonly string[];
  /**
   * Is told the absolute path, in the checkout, of every agent and skill of this repository that is
   * loaded.
   */
  readonly onRead?: (file: string) => void;
}

export interface AgentSources extends LocalSources {
  readonly trigger: Trigger;
  readonly client: GitHubClient | undefined;
  /** Another repository's agents, in place of all others but the built-in ones. */
  readonly shared?: SharedAgents;
  readonly signal: AbortSignal;
}

/**
 * Where a run's agents come from (D4, D21). For events that other people cause the working tree may
 * be theirs, so agents, skills and context files come from the base ref by API; otherwise from
 * disk, then from the default branch. With `agents-repo` agents and skills come from there instead,
 * context files never do.
 */
export function findAgents(sources: AgentSources): {
  readonly agents: AgentLibrary;
  /** Those of the pull request, which are only looked at. */
  readonly headAgents?: AgentLibrary;
} {
  const { trigger, client, shared, agentsDir, signal } = sources;
  let opened: Promise<AgentPlace> | undefined;
  const others =
    shared &&
    (() => {
      opened ??= openShared(shared, dirsAtRef(agentsDir), signal);
      return opened;
    });
  if (trigger.kind === 'local' || client === undefined)
    return { agents: createAgentLoader([localPlace(sources)], others) };
  const { cwd: workspace, memoryRoots, onRead } = sources;
  const atRef = (ref: string) =>
    refPlace({
      client,
      repository: trigger.repository,
      ref,
      dirs: dirsAtRef(agentsDir),
      signal,
      workspace,
      memoryRoots,
      onRead: (path) => onRead?.(resolve(workspace, path)),
    });
  const base = atRef(
    trigger.kind === 'pull_request' ? trigger.base.ref : trigger.repository.defaultBranch,
  );
  const onDisk = sources.configDir === undefined ? [] : [localPlace(sources)];
  const agents = OF_WRITERS.has(trigger.kind)
    ? createAgentLoader([localPlace(sources), base], others)
    : createAgentLoader([base, ...onDisk], others);
  if (trigger.kind !== 'pull_request' || trigger.isFork || shared !== undefined) return { agents };
  return { agents, headAgents: createAgentLoader([atRef(trigger.head.sha)]) };
}

/** Events of which only people with write access choose what is checked out. */
const OF_WRITERS: ReadonlySet<Trigger['kind']> = new Set([
  'push',
  'release',
  'schedule',
  'dispatch',
]);

/**
 * Folders in which agents are looked for, nearest first; `agentsDir` is empty for none of the
 * caller's own.
 */
export function agentsDirsOf(agentsDir: string): readonly string[] {
  return agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
}

export function dirsAtRef(agentsDir: string): readonly string[] {
  return agentsDirsOf(isAbsolute(agentsDir) ? '' : agentsDir);
}

/** The agents on disk: of the given folder, the repository, and this machine (D4). */
export function localAgents(sources: LocalSources): AgentLoader {
  return createAgentLoader([localPlace(sources)]);
}

/**
 * Only the action is without a configuration folder: there nothing may lead out of the workspace.
 */
function localPlace({ agentsDir, ...sources }: LocalSources): AgentPlace {
  return diskPlace({
    ...sources,
    dirs: agentsDirsOf(agentsDir),
    isConfined: sources.configDir === undefined,
  });
}

/** Another repository's agents and skills (`agents-repo`). */
interface SharedAgents {
  readonly owner: string;
  readonly name: string;
  /** A tag, a branch or a commit. */
  readonly ref: string;
  /** What may read it; undefined without a token. */
  readonly client: GitHubClient | undefined;
}

/**
 * The agents and skills of another repository, all from the commit that the ref names. A repository
 * that cannot be read is a ConfigError, and never passes for one without agents.
 */
async function openShared(
  { owner, name, ref, client }: SharedAgents,
  dirs: readonly string[],
  signal: AbortSignal,
): Promise<AgentPlace> {
  const place = `\`agents-repo: ${owner}/${name}@${ref}\``;
  if (client === undefined) {
    throw new ConfigError(`${place} cannot be read: there is no token`, {
      remedy: "Set the step's `repositories-token` or `github-token`.",
    });
  }
  const repository = { owner, name, defaultBranch: '', isPrivate: true };
  try {
    const commit = await resolveCommit({ client, repository, ref }, signal);
    return {
      ...refPlace({ client, repository, ref: commit, dirs, signal }),
      repository: `${owner}/${name}`,
    };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !UNREADABLE.has(thrown.reason)) throw thrown;
    throw new ConfigError(`${place} cannot be read: ${thrown.message}`, {
      remedy: REMEDY,
      cause: thrown,
    });
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['missing', 'denied', 'invalid']);

const REMEDY =
  "Check its name and its ref. The workflow's own token cannot see other private repositories: set `repositories-token` to one with `contents: read` there.";
