import { type CacheServer, startCacheServer } from '../helpers/cache-server.js';
import { type GitHubOptions, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import type { ContentsAccess, FileTree, StoredRepo } from '../helpers/github-state.js';
import { type ModelScript, type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { runMain, type StepOptions, type StepResult } from '../helpers/run-action.js';
import { loadWebhook, payloadField } from '../helpers/webhooks.js';

/** What is set up before a run that keeps its memory on a branch. */
export interface BranchSceneOptions {
  /** Default: the n-th answer is `Answer n.`. */
  readonly model?: ModelScript;
  /** What the token may do with files. Default: write. */
  readonly contents?: ContentsAccess;
  readonly isPrivate?: boolean;
  readonly github?: GitHubOptions;
  /** What is on the memory branch already; without it there is none. */
  readonly branch?: FileTree;
}

/** A repository in which runs of `builtin/ask` are started by hand, with the servers they talk to. */
export interface BranchScene {
  readonly github: GitHubServer;
  readonly model: ModelServer;
  readonly cache: CacheServer;
  readonly repo: StoredRepo;
  /** With `memory-store: branch`, and a cache as well. */
  readonly step: (given?: Partial<StepOptions>) => StepOptions;
  readonly run: (given?: Partial<StepOptions>) => Promise<StepResult>;
  /** A file of the memory branch; empty if there is none. */
  readonly memory: (file?: string) => string;
}

/** The repository of the scene, which is public unless a test says otherwise. */
export const REPOSITORY = 'octo-org/octo-repo';

/** The branch that is memory's own. */
export const BRANCH = 'axe-memory';

/** Sets up the repository, a model and a cache. REST requests are validated only where a test asks for it. */
export async function branchScene(options: BranchSceneOptions = {}): Promise<BranchScene> {
  const { isPrivate = false, contents = 'write', branch } = options;
  const payload = loadWebhook('workflow_dispatch', undefined, { 'repository.private': isPrivate });
  const [github, model, cache] = await Promise.all([
    startGitHubServer({ validate: false, ...options.github }),
    startModelServer(options.model ?? ((_, index) => text(`Answer ${index}.`))),
    startCacheServer(),
  ]);
  const repo = github.seed(payload, { base: { 'README.md': '# Octo repo\n' } });
  repo.contents = contents;
  if (branch !== undefined) github.commit(REPOSITORY, branch, { branch: BRANCH });
  const ref = `refs/heads/${payloadField(payload, 'repository.default_branch')}`;
  const step = (given: Partial<StepOptions> = {}): StepOptions => ({
    event: { name: 'workflow_dispatch', payload },
    ...given,
    inputs: {
      agent: 'builtin/ask',
      prompt: 'Say what is new.',
      'memory-store': 'branch',
      ...given.inputs,
    },
    env: { ...model.env, ...github.env, ...cache.env({ ref, readableRefs: [ref] }), ...given.env },
  });
  return {
    github,
    model,
    cache,
    repo,
    step,
    run: (given) => runMain(step(given)),
    memory: (file = 'ask.md') =>
      (repo.branches.has(BRANCH) ? github.files(REPOSITORY, BRANCH)[file] : '') ?? '',
  };
}

/** An entry that an earlier run left; its id is made of the letter, and `b` comes a day after `a`. */
export function earlierEntry(result: string, letter = 'a'): string {
  const day = String(letter.charCodeAt(0) - 96).padStart(2, '0');
  return `## 2026-01-${day}T10:00:00Z
**Task:** Say what is new.
**Result:** ${result}
<!-- axe-action v=1 id=01m7${letter.repeat(22)} run=1/1 job=review event=push sha=0123456 actor=octocat trust=trusted model=anthropic/claude-sonnet-4-5 -->

`;
}

/** The variables of a runner that has no cache. */
export const NO_CACHE = { ACTIONS_RESULTS_URL: '', ACTIONS_CACHE_URL: '' } as const;
