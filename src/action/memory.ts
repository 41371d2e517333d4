import { join, sep } from 'node:path';
import { subjectNumber, type Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import type { Clock } from '../lib/clock.js';
import { COMMITTED_FOLDER } from '../lib/defaults.js';
import type { Environment } from '../lib/environment.js';
import { createFiles } from '../lib/files.js';
import type { MemoryStore, Place } from '../memory/store.js';
import { OWN_BRANCH, openBranchMemory } from '../memory/stores/branch/branch-store.js';
import { type CacheScope, cacheScope } from '../memory/stores/cache/cache-key.js';
import { checkAccess, createCacheClient } from '../memory/stores/cache/cache-library.js';
import { createCacheStore } from '../memory/stores/cache/cache-store.js';
import { createFileStore, withIgnoreFile } from '../memory/stores/file/file-store.js';
import { createBaseStore, guarded } from '../memory/stores/guard.js';
import { createBrokenStore, createNoneStore } from '../memory/stores/store.js';
import { connectGitHub, type GitHubAccess } from '../run/github.js';
import type { Inputs, MemoryInputs } from '../runner/inputs.js';
import { type Runner, readThisRun } from '../runner/runner.js';

/** The store of a run and of its post step; with a token of its own where memory is in another repository. */
export async function openMemory(
  {
    inputs,
    trigger,
    runner: { workspace },
  }: { readonly inputs: Inputs; readonly trigger: Trigger; readonly runner: Runner },
  access: Omit<GitHubAccess, 'token'>,
  client: GitHubClient | undefined,
): Promise<MemoryStore> {
  const { memory, repositoriesToken } = inputs;
  const token = memory.repository === undefined ? '' : repositoriesToken;
  const memoryClient = token === '' ? client : await connectGitHub({ ...access, token });
  return openActionMemory({ ...access, inputs: memory, trigger, workspace, client, memoryClient });
}

/** The store that the inputs ask for (D13, D14). */
export function openActionMemory(options: ActionMemoryOptions): MemoryStore {
  const { inputs } = options;
  switch (inputs.store) {
    case 'none':
      return createNoneStore();
    case 'file':
      return guarded(openFileMemory(options));
    case 'cache':
      return guarded(openCacheMemory(options));
    case 'branch':
      return guarded(openBranch(options));
  }
}

function openFileMemory({
  inputs,
  workspace,
  env,
  clock,
  trigger,
  client,
  log,
}: ActionMemoryOptions): MemoryStore {
  const folder = inputs.path ?? COMMITTED_FOLDER;
  const files = createFiles();
  const inFolder = createFileStore({ files, clock, root: workspace, folder, followLinks: false });
  // At the top of the workspace a `.gitignore` would be the whole repository's.
  const own = folder === '' ? inFolder : withIgnoreFile(inFolder, files, join(workspace, folder));
  const store = inWorkspace(own, workspace);
  const trusted = trustedPlace(trigger);
  if (trusted === undefined || client === undefined) return store;
  return createBaseStore(
    store,
    openBranchMemory({ client, ...trusted, folder, env, clock, mayCreate: false, log }),
  );
}

/**
 * Where the committed memory is what people with write access made it: on a pull request the checkout may be the
 * head's, so the base branch counts, and after a comment on one, which does not name it, the default branch.
 */
function trustedPlace(
  trigger: Trigger,
): { readonly owner: string; readonly name: string; readonly branch: string } | undefined {
  if (trigger.kind === 'pull_request') return { ...trigger.repository, branch: trigger.base.ref };
  if (trigger.kind !== 'comment' || trigger.on !== 'pull_request') return undefined;
  return { ...trigger.repository, branch: trigger.repository.defaultBranch };
}

/** The store with places as people know them: relative to the repository. */
function inWorkspace(store: MemoryStore, workspace: string): MemoryStore {
  const folder = `${workspace}${sep}`;
  const inside = (path: string): string => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const shown = <T extends Place>(place: T): T => {
    const { location, prefix } = place;
    return { ...place, location: inside(location), prefix: prefix && inside(prefix) };
  };
  return {
    kind: store.kind,
    read: async (request, signal) => shown(await store.read(request, signal)),
    readTree: async (signal, under) => shown(await store.readTree(signal, under)),
    async write(changes, signal) {
      const result = await store.write(changes, signal);
      return result.kind === 'saved' ? shown(result) : result;
    },
  };
}

function openBranch({
  inputs,
  trigger,
  memoryClient: client,
  env,
  clock,
  log,
}: ActionMemoryOptions): MemoryStore {
  if (client === undefined || trigger.kind === 'local')
    return createBrokenStore('branch', NO_TOKEN, NO_TOKEN_REMEDY);
  const { owner, name } = inputs.repository ?? trigger.repository;
  const { runUrl } = readThisRun(env);
  return openBranchMemory({
    client,
    owner,
    name,
    branch: inputs.branch,
    folder: inputs.path ?? defaultFolder(inputs, trigger.repository),
    env,
    clock,
    mayCreate: true,
    cause: { event: trigger.event, number: subjectNumber(trigger), runUrl },
    log,
  });
}

const NO_TOKEN = 'there is no token for the memory branch';
const NO_TOKEN_REMEDY = 'Give `github-token` or `repositories-token`.';

/** A branch of its own is memory's from the top; any other branch, or a repository for many, holds more than that. */
function defaultFolder(
  { branch, repository }: MemoryInputs,
  here: { readonly owner: string; readonly name: string },
): string {
  if (repository !== undefined) return `${here.owner}/${here.name}`;
  return branch === OWN_BRANCH ? '' : COMMITTED_FOLDER;
}

/** Folder in the workspace through which memory goes to and comes from the cache; its name is part of every key. */
const CACHE_DIRECTORY = '.axe-action-memory';

function openCacheMemory(options: Omit<ActionMemoryOptions, 'client' | 'memoryClient'>): MemoryStore {
  const { inputs, env, trigger, workspace, clock, log } = options;
  // Told before the run has cost anything; the warning comes with the save.
  const denied = checkAccess('write', env);
  if (denied !== undefined) {
    const remedy = denied.remedy === undefined ? '' : ` ${denied.remedy}`;
    log?.(`Memory: ${denied.message}; this run's entry will be in the job summary.${remedy}`);
  }
  return createCacheStore({
    cache: createCacheClient({ env, output: process.stdout }),
    files: createFiles(),
    clock,
    log,
    directory: join(workspace, CACHE_DIRECTORY),
    scope: scopeOf(trigger, env['GITHUB_REF'] ?? ''),
    folder: inputs.path,
    event: trigger.kind === 'local' ? undefined : trigger.event,
  });
}

/** A schedule runs on the default branch alone, whose name its payload may leave out. */
function scopeOf(trigger: Trigger, ref: string): CacheScope {
  if (trigger.kind === 'schedule') return 'trunk';
  return cacheScope(ref, trigger.kind === 'local' ? '' : trigger.repository.defaultBranch);
}

export interface ActionMemoryOptions {
  readonly inputs: MemoryInputs;
  readonly env: Environment;
  readonly trigger: Trigger;
  readonly workspace: string;
  /** With the `github-token`. */
  readonly client: GitHubClient | undefined;
  /** With the `repositories-token`, or else the same. */
  readonly memoryClient: GitHubClient | undefined;
  readonly clock: Clock;
  /** Writes a line for a person who waits meanwhile. */
  readonly log?: ((line: string) => void) | undefined;
}
