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

/** Folders of a repository that hold agents, nearest first; `axe/agents` is the one axe reads. */
export const AGENTS_DIRS: readonly string[] = ['axe/agents', '.axe/agents'];

interface LocalSources {
  /** The workspace, or the folder a command runs in. */
  readonly cwd: string;
  /** Input `agents-dir` or `--agents-dir`; empty for none. */
  readonly agentsDir: string;
  /** axe's configuration folder; only on the command line. */
  readonly configDir: string | undefined;
  /** Folders of the repository with memory, which cannot be context files; left out: none. */
  readonly memoryRoots?: readonly string[];
  /** Called with the absolute path of each agent and skill that is loaded from this repository. */
  readonly onRead?: (file: string) => void;
}

/** @internal */
export interface AgentSources extends LocalSources {
  readonly trigger: Trigger;
  readonly client: GitHubClient | undefined;
  /** Another repository's agents, which replace all others except the built-in ones. */
  readonly shared?: SharedAgents;
  readonly signal: AbortSignal;
}

/**
 * Opens the sources of a run's agents. The checkout of an event that anybody can cause might hold a
 * stranger's files, so agents, skills and context files are read from the base ref by API. For all
 * other events they come from disk, then from the default branch. With `agents-repo` agents and
 * skills come from that repository instead, but never context files.
 */
export function findAgents(sources: AgentSources): {
  readonly agents: AgentLoader;
  /** The agents of the pull request's head, which are checked but never run. */
  readonly headAgents?: AgentLibrary;
} {
  const { trigger, client, shared, agentsDir, signal } = sources;
  let sharedPlace: Promise<AgentPlace> | undefined;
  const openSharedOnce =
    shared &&
    (() => {
      sharedPlace ??= openShared(shared, dirsAtRef(agentsDir), signal);
      return sharedPlace;
    });
  if (trigger.kind === 'local' || client === undefined)
    return { agents: createAgentLoader([localPlace(sources)], openSharedOnce) };

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
  const agents = WRITERS_EVENTS.has(trigger.kind)
    ? createAgentLoader([localPlace(sources), base], openSharedOnce)
    : createAgentLoader([base, ...onDisk], openSharedOnce);
  if (trigger.kind !== 'pull_request' || trigger.isFork || shared !== undefined) return { agents };
  return { agents, headAgents: createAgentLoader([atRef(trigger.head.sha)]) };
}

/** Events for which only people with write access choose what is checked out. */
const WRITERS_EVENTS: ReadonlySet<Trigger['kind']> = new Set([
  'push',
  'release',
  'schedule',
  'dispatch',
]);

/** Folders to search for agents, nearest first; `agentsDir` is empty if the caller names none. */
export function agentsDirsOf(agentsDir: string): readonly string[] {
  return agentsDir === '' ? AGENTS_DIRS : [agentsDir, ...AGENTS_DIRS];
}

export function dirsAtRef(agentsDir: string): readonly string[] {
  return agentsDirsOf(isAbsolute(agentsDir) ? '' : agentsDir);
}

/** The agents on disk: in the given folder, in the repository, and on this machine. */
export function localAgents(sources: LocalSources): AgentLoader {
  return createAgentLoader([localPlace(sources)]);
}

/** Only the action has no configuration folder, and there no path is allowed out of the workspace. */
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
  /** Can read the repository; undefined without a token. */
  readonly client: GitHubClient | undefined;
}

/**
 * Opens the agents and skills of another repository, all at the commit that the ref names. Throws a
 * ConfigError if the repository cannot be read, so that it is not mistaken for one without agents.
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
      remedy: UNREADABLE_REMEDY,
      cause: thrown,
    });
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['missing', 'denied', 'invalid']);

const UNREADABLE_REMEDY =
  "Check its name and its ref. The workflow's own token cannot see other private repositories: set `repositories-token` to one with `contents: read` there.";
