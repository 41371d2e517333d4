import type { AgentPlace } from '../agent/agent-source.js';
import { refPlace } from '../github/agents/read-ref.js';
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

/** The other repository with what may read it: a client of its own where it has a token. */
export async function connectSharedAgents(
  /** By the inputs; the token is empty for the client's own. */
  {
    repository,
    token,
  }: { readonly repository: Omit<SharedAgents, 'client'> | undefined; readonly token: string },
  { client, ...access }: Omit<GitHubAccess, 'token'> & Pick<SharedAgents, 'client'>,
): Promise<SharedAgents | undefined> {
  if (repository === undefined) return undefined;
  const own = token === '' ? client : await connectGitHub({ ...access, token });
  return { ...repository, client: own };
}

/**
 * The agents and skills of another repository, all from the commit that the ref names when the first is asked for. A
 * repository that cannot be read is a ConfigError, and never passes for one without agents.
 */
export function createSharedPlace(
  shared: SharedAgents,
  folders: { readonly dirs: readonly string[]; readonly signal: AbortSignal },
): () => Promise<AgentPlace> {
  let opened: Promise<AgentPlace> | undefined;
  return () => {
    opened ??= openPlace(shared, folders);
    return opened;
  };
}

async function openPlace(
  { owner, name, ref, client }: SharedAgents,
  { dirs, signal }: { readonly dirs: readonly string[]; readonly signal: AbortSignal },
): Promise<AgentPlace> {
  const place = `\`agents-repo: ${owner}/${name}@${ref}\``;
  if (client === undefined) {
    throw new ConfigError(`${place} cannot be read: there is no token`, {
      remedy: 'Give the step `repositories-token`, or its `github-token` back.',
    });
  }
  const repository = { owner, name, defaultBranch: '', isPrivate: true };
  try {
    const commit = await resolveCommit({ client, repository, ref }, signal);
    return { ...refPlace({ client, repository, ref: commit, dirs, signal }), repository: `${owner}/${name}` };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !UNREADABLE.has(thrown.reason)) throw thrown;
    throw new ConfigError(`${place} cannot be read: ${thrown.message}`, { remedy: REMEDY, cause: thrown });
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['missing', 'denied', 'invalid']);

const REMEDY =
  "Check its name and its ref. The workflow's own token sees no other private repository: give `repositories-token`, a token with `contents: read` on that one.";
