import { join, resolve } from 'node:path';
import * as v from 'valibot';
import type { LoadedAgent } from '../agent/agent-source.js';
import { BUILT_IN_AGENTS } from '../agent/built-in.js';
import { parseModelRef } from '../agent/config.js';
import { type AgentLoader, checkAgentName, type ListedAgent } from '../agent/loader.js';
import type { GitHubClient } from '../github/client/client.js';
import { createClock } from '../lib/clock.js';
import { COMMITTED_FOLDER } from '../lib/defaults.js';
import { configDir } from '../lib/environment.js';
import { AxeError, formatError, isNotFound } from '../lib/errors.js';
import { createFiles } from '../lib/files.js';
import { apartPath, defaultLogPath, memoryName } from '../memory/paths.js';
import { statePath } from '../memory/state.js';
import type { MemoryStore } from '../memory/store.js';
import { OWN_BRANCH, openBranchMemory } from '../memory/stores/branch/branch-store.js';
import { createFileStore } from '../memory/stores/file/file-store.js';
import { localAgents } from '../run/agents.js';
import { runLogPath } from '../run/memory.js';
import { type ParsedFlags, repositoryNamed } from './command-line.js';
import { agentsDirOf, connectWithToken } from './config.js';
import {
  agentFolder,
  ignoringCopies,
  openFileMemory,
  projectFolder,
  removeCopies,
} from './file-memory.js';
import type { Terminal } from './terminal.js';

export interface MemoryPlace {
  readonly store: MemoryStore;
  /** The agent's run log in the tree. */
  readonly path: string;
  /** In a workflow's memory every entry has provenance; on this machine the agent decides. */
  readonly writesProvenance: boolean;
  /** The memory is this machine's, and that of the current repository alone. */
  readonly isOfRepository: boolean;
  /** Undefined if the agent's file is not here. */
  readonly agent: LoadedAgent | undefined;
  /** The repository that the memory is of; undefined for memory of a folder or of this machine. */
  readonly github: GitHubPlace | undefined;
  /**
   * The error if a run here would not find the agent; undefined for memory that is not this
   * machine's.
   */
  readonly missing: AxeError | undefined;
}

interface GitHubPlace {
  readonly client: GitHubClient;
  readonly repository: { readonly owner: string; readonly name: string };
}

/** Opens the memory that the flags name: this machine's, a folder, a branch. Throws an AxeError. */
export async function openMemoryPlace(
  name: string,
  flags: ParsedFlags,
  terminal: Terminal,
  mayCreate: boolean,
): Promise<MemoryPlace> {
  refuseMixed(flags);
  const { cwd, env } = terminal;
  const dir = flags.string('dir');
  const repository = repositoryNamed(flags.string('repo'));
  const isElsewhere = dir !== '' || repository !== undefined;
  const agentsDir = await agentsDirOf(flags, terminal);
  const agents = localAgents({ cwd, agentsDir, configDir: ownConfigDir(env) });
  const agentOrError = await findAgent(agents, name);
  const agent = agentOrError instanceof AxeError ? undefined : agentOrError;
  const missing = !isElsewhere && agentOrError instanceof AxeError ? agentOrError : undefined;
  const memory = agent?.config.memory;
  const path =
    agent === undefined
      ? defaultLogPath(name)
      : runLogPath(agent, parseModelRef(agent.config.model), isElsewhere);

  const project = await projectFolder(cwd);
  let store = openFileMemory({ agent, path, project }, terminal);
  if (dir !== '') store = await openFolder(resolve(cwd, dir), path, mayCreate);
  const github = repository && { client: await connect(terminal), repository };
  if (github !== undefined) store = await openBranch(github, flags, terminal, mayCreate);
  return {
    store,
    path,
    writesProvenance: isElsewhere || memory?.provenance === 'on',
    isOfRepository: !isElsewhere && agentFolder(agent, project) !== '',
    agent,
    github,
    missing,
  };
}

function refuseMixed(flags: ParsedFlags): void {
  if (flags.string('dir') !== '' && flags.string('repo') !== '') {
    throw new AxeError('`--dir` and `--repo` cannot be used together', {
      remedy: 'Give one of the two.',
    });
  }
  const stray = ['branch', 'path'].find(
    (name) => flags.string(name) !== '' && flags.string('repo') === '',
  );
  if (stray === undefined) return;
  throw new AxeError(`\`--${stray}\` has no effect without \`--repo\``, {
    remedy: 'Give the repository of the branch, `--repo owner/name`.',
  });
}

/** The memory of an agent can outlive its file, so the error for a missing agent is returned. */
async function findAgent(agents: AgentLoader, name: string): Promise<LoadedAgent | AxeError> {
  try {
    return await loadByMemoryName(name, agents);
  } catch (thrown) {
    if (!isNotFound(thrown, 'agent')) throw thrown;
    checkAgentName(memoryName(name));
    return thrown;
  }
}

/** Loads an agent, a built-in one also by the name of its memory. Throws an AxeError. */
export async function loadByMemoryName(name: string, agents: AgentLoader): Promise<LoadedAgent> {
  const builtIn = BUILT_IN_AGENTS.find(({ shortName }) => shortName === name);
  try {
    return await agents.loadAgent(name);
  } catch (thrown) {
    if (builtIn === undefined || !isNotFound(thrown, 'agent')) throw thrown;
    return await agents.loadAgent(builtIn.name);
  }
}

/** Undefined without a home folder, which memory in a folder or on a branch does not need. */
function ownConfigDir(env: Terminal['env']): string | undefined {
  try {
    return configDir(env);
  } catch {
    return undefined;
  }
}

/** Does not follow links: files in the folder can be from strangers. */
async function openFolder(root: string, path: string, mayCreate: boolean): Promise<MemoryStore> {
  const files = createFiles();
  if (!mayCreate && (await files.stat(root)) === undefined) {
    throw new AxeError(`no such folder: ${root}`, {
      remedy: 'Give the folder the memory is in, `--dir .axe/memory`.',
    });
  }
  const plain = createFileStore({ files, clock: createClock(), root, followLinks: false });
  const store = ignoringCopies(plain, root);
  const agentFiles = [path, apartPath(path)].flatMap((log) => [log, statePath(log)]);
  return {
    ...store,
    async dropHistory(signal) {
      const current = await store.readTree(signal);
      if (current.kind === 'failed') return { ...current, reason: 'error' };
      const copies = agentFiles
        .map((file) => `${file}.bak`)
        .filter((file) => current.tree.has(file))
        .map((file) => join(root, file));
      return await removeCopies(copies, current.location);
    },
  };
}

/** Throws an AxeError without a token. */
async function connect(terminal: Terminal): Promise<GitHubClient> {
  const client = await connectWithToken(terminal);
  if (client !== undefined) return client;
  throw new AxeError('there is no token for GitHub', {
    remedy: 'Set `GITHUB_TOKEN` or `GH_TOKEN`, for example `GH_TOKEN=$(gh auth token)`.',
  });
}

async function openBranch(
  { client, repository: { owner, name } }: GitHubPlace,
  flags: ParsedFlags,
  terminal: Terminal,
  mayCreate: boolean,
): Promise<MemoryStore> {
  const branch = flags.string('branch') || OWN_BRANCH;
  const folder = flags.string('path') || (branch === OWN_BRANCH ? '' : COMMITTED_FOLDER);
  if (flags.bool('purge')) await refusePurge(client, owner, name, branch);
  const { env } = terminal;
  const token = env['GITHUB_TOKEN'] ? 'GITHUB_TOKEN' : 'GH_TOKEN';
  const place = { owner, name, branch, folder, token } as const;
  return openBranchMemory({ ...place, client, env, clock: createClock(), mayCreate });
}

/**
 * Throws an AxeError for a branch that holds more than memory, since a purge rewrites its history.
 * It is called before anything is changed.
 */
async function refusePurge(
  client: GitHubClient,
  owner: string,
  repo: string,
  branch: string,
): Promise<void> {
  const { signal } = new AbortController();
  const refused = (reason: string) =>
    new AxeError(`\`--purge\` would rewrite \`${branch}\` of ${owner}/${repo}, ${reason}`, {
      remedy: 'Leave `--purge` out, and remove the entry from the history with `git filter-repo`.',
    });
  if (branch !== OWN_BRANCH) throw refused(`and only \`${OWN_BRANCH}\` is memory's alone`);

  const repository = await client.request('GET /repos/{owner}/{repo}', {
    params: { owner, repo },
    signal,
  });
  if (v.parse(REPOSITORY, repository.body).default_branch === branch)
    throw refused('which is the default branch');

  const params = { owner, repo, tree_sha: branch, recursive: '1' };
  const tree = await client.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    params,
    signal,
  });
  const files = v.parse(TREE, tree.body).tree.filter(({ type }) => type !== 'tree');
  const foreignFile = files.find(({ path }) => !MEMORY_FILE.test(path));
  if (foreignFile !== undefined)
    throw refused(`which holds more than memory: \`${foreignFile.path}\``);
}

/** Run logs, states and notes, the copies of rewrites, and the file with which git ignores those. */
const MEMORY_FILE = /(?:\.(?:md|bak)|(?:^|\/)\.gitignore)$/;

const REPOSITORY = v.object({ default_branch: v.string() });
const TREE = v.object({ tree: v.array(v.object({ path: v.string(), type: v.string() })) });

/** Warns of an unusable agent file, with its line and a remedy. */
export function warnLeftOut({ file, error }: ListedAgent, { stderr }: Terminal): void {
  if (error !== undefined) stderr.write(`Warning: ${file} is left out: ${formatError(error)}\n`);
}
