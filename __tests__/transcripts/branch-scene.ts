import type { ContentsAccess, FileTree } from '../helpers/github-state.js';
import { type ModelScript, text } from '../helpers/model-server.js';
import type { StepOptions } from '../helpers/run-action.js';
import { runMainHere } from '../helpers/run-main.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { setStage } from './stage.js';

/** The repository of the scene, which is public unless a test says otherwise. */
export const REPOSITORY = 'octo-org/octo-repo';

/** The branch that is memory's own. */
export const BRANCH = 'axe-memory';

/**
 * A repository in which runs of `builtin/ask` are started by hand, with the servers they talk to.
 */
export type BranchScene = Awaited<ReturnType<typeof branchScene>>;

/**
 * Sets it up with a token that may write, a public repository and a model whose n-th answer is
 * `Answer n.`.
 */
export async function branchScene({
  model: script = (_, index) => text(`Answer ${index}.`),
  contents = 'write',
  isPrivate = false,
  branch,
  validate = false,
}: {
  model?: ModelScript;
  contents?: ContentsAccess;
  isPrivate?: boolean;
  /** What is on the memory branch already; without it there is none. */
  branch?: FileTree;
  /** Whether REST requests are checked by GitHub's description of its API. */
  validate?: boolean;
} = {}) {
  const payload = loadWebhook('workflow_dispatch', undefined, { 'repository.private': isPrivate });
  const event = { name: 'workflow_dispatch', payload };
  const base = { 'README.md': '# Octo repo\n' };
  const stage = await setStage({ event, base, model: script, github: { validate } });
  const { github, model, cache, repo } = stage;
  repo.contents = contents;
  if (branch !== undefined) github.commit(REPOSITORY, branch, { branch: BRANCH });
  const inputs = { agent: 'builtin/ask', prompt: 'Say what is new.', 'memory-store': 'branch' };
  /** With `memory-store: branch`, and a cache as well. */
  const step = (given: Partial<StepOptions> = {}): StepOptions =>
    stage.optionsOf({ ...given, inputs: { ...inputs, ...given.inputs } });
  return {
    github,
    model,
    cache,
    repo,
    step,
    /** Runs the step in this process. */
    run: (given?: Partial<StepOptions>) => runMainHere(step(given)),
    /** A file of the memory branch; empty if there is none. */
    memory: (file = 'ask.md') =>
      (repo.branches.has(BRANCH) ? github.files(REPOSITORY, BRANCH)[file] : '') ?? '',
  };
}

/**
 * An entry that an earlier run left; its id is made of the letter, and `b` comes a day after `a`.
 */
export function earlierEntry(result: string, letter = 'a'): string {
  const day = String(letter.charCodeAt(0) - 96).padStart(2, '0');
  return `## 2026-01-${day}T10:00:00Z
**Task:** Say what is new.
<!-- axe-action v=1 id=01m7${letter.repeat(22)} run=1/1 sha=0123456 actor=octocat model=anthropic/claude-sonnet-4-5 on=- files=- -->
**Result:** ${result}

`;
}

/** The variables of a runner that has no cache. */
export const NO_CACHE = { ACTIONS_RESULTS_URL: '', ACTIONS_CACHE_URL: '' } as const;
