import type { AgentLibrary } from '../agent/agent-source.js';
import { builtInText, findBuiltInAgent } from '../agent/built-in.js';
import { loadText } from '../agent/parse.js';
import { createGitHubAgentLibrary } from '../github/agents/agent-library.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { resolveCommit } from '../github/reading/contents.js';
import { ConfigError } from '../lib/errors.js';
import { connectGitHub, type GitHubAccess } from './github.js';

/** Another repository's agents and skills (`agents-repo`). */
export interface SharedAgents {
  readonly owner: string;
  readonly name: string;
  /** A tag, a branch or a commit. */
  readonly ref: string;
  /** What may read it; undefined without a token. */
  readonly client: GitHubClient | undefined;
}

/** Which repository that is, by the inputs. */
interface SharedChoice {
  /** Undefined for none. */
  readonly repository: Omit<SharedAgents, 'client'> | undefined;
  /** Empty for the client's own. */
  readonly token: string;
}

/** How it is reached. */
interface SharedAccess extends Omit<GitHubAccess, 'token'> {
  readonly client: GitHubClient | undefined;
}

/** The other repository with what may read it: a client of its own where it has a token. */
export async function connectSharedAgents(
  { repository, token }: SharedChoice,
  { client, ...access }: SharedAccess,
): Promise<SharedAgents | undefined> {
  if (repository === undefined) return undefined;
  const own = token === '' ? client : await connectGitHub({ ...access, token });
  return { ...repository, client: own };
}

/** Where they are looked for. */
interface SharedPlaces {
  /** Folders with agents, in the order they are searched. */
  readonly agentsDirs: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * The agents and skills of another repository, all from the commit that the ref names when the first is asked for. A
 * repository that cannot be read is a ConfigError, and never passes for one without agents.
 */
export function createSharedAgents(
  shared: SharedAgents,
  places: SharedPlaces,
): Pick<AgentLibrary, 'loadAgent' | 'loadSkill'> {
  let opened: Promise<AgentLibrary> | undefined;
  function library(): Promise<AgentLibrary> {
    opened ??= open(shared, places);
    return opened;
  }
  return {
    async loadAgent(name) {
      const builtIn = findBuiltInAgent(name);
      if (builtIn !== undefined) return loadText(name, builtInText(builtIn));
      const agents = await library();
      const agent = await agents.loadAgent(name);
      return { ...agent, repository: `${shared.owner}/${shared.name}` };
    },
    async loadSkill(path, agent) {
      const agents = await library();
      return await agents.loadSkill(path, agent);
    },
  };
}

async function open(shared: SharedAgents, { agentsDirs, signal }: SharedPlaces): Promise<AgentLibrary> {
  const { owner, name, ref, client } = shared;
  const place = `\`agents-repo: ${owner}/${name}@${ref}\``;
  if (client === undefined) {
    throw new ConfigError(`${place} cannot be read: there is no token`, {
      remedy: 'Give the step `repositories-token`, or its `github-token` back.',
    });
  }
  const repository = { owner, name, defaultBranch: '', isPrivate: true };
  try {
    const commit = await resolveCommit({ client, repository, ref }, signal);
    return createGitHubAgentLibrary({ client, repository, ref: commit, agentsDirs, signal });
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !UNREADABLE.has(thrown.reason)) throw thrown;
    throw new ConfigError(`${place} cannot be read: ${thrown.message}`, { remedy: REMEDY, cause: thrown });
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['missing', 'denied', 'invalid']);

const REMEDY =
  "Check its name and its ref. The workflow's own token sees no other private repository: give `repositories-token`, a token with `contents: read` on that one.";
