import { type CacheServer, startCacheServer } from '../helpers/cache-server.js';
import { GITHUB_TOKEN, type GitHubServer, startGitHubServer } from '../helpers/github-server.js';
import type { StoredRepo } from '../helpers/github-state.js';
import { startModelServer } from '../helpers/model-server.js';
import type { StepOptions, StepResult } from '../helpers/run-action.js';
import { storedMemory } from '../helpers/stored-memory.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import {
  loadWebhook,
  type Payload,
  type PayloadPatch,
  payloadField,
  schedulePayload,
  withWorld,
} from '../helpers/webhooks.js';
import { earlierEntry } from '../transcripts/branch-scene.js';
import { comparisonOf, DIFF, seedPush } from '../transcripts/stage.js';
import { behave } from './behave.js';
import type { Configuration } from './choices.js';

/** Values that must be seen nowhere; each is in the environment or in an input of every run. */
export const CANARIES = {
  OPENAI_API_KEY: 'sk-canary-openai-0123456789abcdef',
  ANTHROPIC_API_KEY: 'sk-ant-api03-canary-0123456789abcdef',
  DATABASE_PASSWORD: 'canary-database-password-0123456789',
  'github-token': GITHUB_TOKEN,
  'repositories-token': 'canary-agents-token-0123456789',
} as const;

const { OPENAI_API_KEY, ANTHROPIC_API_KEY, DATABASE_PASSWORD } = CANARIES;
const KEYS = { OPENAI_API_KEY, ANTHROPIC_API_KEY, DATABASE_PASSWORD };

/** What a run did, and what it left behind. */
export interface Observed {
  readonly step: StepResult;
  /** Requests to the model. */
  readonly prompts: number;
  /** Texts of all memory files by place and path. */
  readonly memoryBefore: ReadonlyMap<string, string>;
  readonly memoryAfter: ReadonlyMap<string, string>;
  /** Everything on GitHub except memory: comments, reviews, issues, checks. */
  readonly postedBefore: string;
  readonly posted: string;
}

const MEMORY_BRANCHES = ['axe-memory', 'other-memory'];
const ENTRIES = {
  'reviewer.md': earlierEntry('It was fine.', 'a'),
  'ask.md': earlierEntry('It was late.', 'b'),
};

/**
 * Opens the servers that all configurations share, each with a repository and a cache of its own;
 * they end with the test.
 */
export async function openScene() {
  let configuration: Configuration | undefined;
  const [github, model, cache] = await Promise.all([
    startGitHubServer({ validate: false }),
    startModelServer((request) =>
      behave(configuration?.behaviour ?? 'answers', request, Object.values(CANARIES)),
    ),
    startCacheServer(),
  ]);
  return {
    async run(
      chosen: Configuration,
      start: (options: StepOptions) => Promise<StepResult>,
    ): Promise<Observed> {
      configuration = chosen;
      const { payload, name } = eventOf(chosen.event);
      cache.evict(() => true);
      const repo = seed(github, payload, chosen);
      const workspace = tempDir('workspace');
      writeFiles(workspace, checkout(chosen));
      const ref = refOf(name, payload, repo.defaultBranch);
      const memory = () =>
        storedMemory({ github, cache, repo, workspace, branches: MEMORY_BRANCHES });
      const memoryBefore = memory();
      const posted = () =>
        JSON.stringify([
          repo.comments,
          repo.talk,
          [...repo.issues.values()],
          [...repo.pulls.keys()],
        ]);
      const postedBefore = posted();
      const asked = model.requests().length;
      // A model that calls tools without end is to come to its limit soon.
      const turns: Configuration['inputs'] =
        chosen.behaviour === 'calls tools without end' ? { 'max-turns': '3' } : {};
      const step = await start({
        event: { name, payload },
        workspace,
        ref,
        inputs: { agent: 'reviewer', ...turns, ...chosen.inputs },
        env: { ...model.env, ...KEYS, ...github.env, ...cacheEnv(cache, { chosen, ref, repo }) },
      });
      return {
        step,
        prompts: model.requests().length - asked,
        memoryBefore,
        memoryAfter: memory(),
        postedBefore,
        posted: posted(),
      };
    },
  };
}

/** The event by the name the runner gives it, and GitHub's example of it. */
function eventOf(event: Configuration['event']): {
  readonly name: string;
  readonly payload: Payload;
} {
  const of = (name: string, ...given: [action?: string, patch?: PayloadPatch]) => ({
    name,
    payload: loadWebhook(name, ...given),
  });
  const login = 'Codertocat';
  const said = (body: string) =>
    of('issue_comment', 'created', {
      'comment.body': body,
      'sender.login': login,
      'comment.user.login': login,
    });
  switch (event) {
    case 'pull_request opened':
      return of('pull_request', 'opened');
    case 'pull_request synchronize':
      return of('pull_request', 'synchronize');
    case 'pull_request by a fork':
      return of('pull_request', 'opened', {
        'pull_request.head.repo.full_name': 'octocat/Hello-World',
      });
    case 'pull_request_target labeled':
      return { ...of('pull_request', 'labeled'), name: 'pull_request_target' };
    case 'issues opened':
      return of('issues', 'opened');
    case 'issue_comment on an issue':
      return said('@axe, what now?');
    case 'issue_comment with a command':
      return said('/axe forget 01zzzz');
    case 'issue_comment on a pull request': {
      const { name, payload } = said('/axe review');
      return { name, payload: onPull(payload) };
    }
    case 'pull_request_review_comment':
      return of(event, 'created');
    case 'push':
      return of(event, undefined, { ref: 'refs/heads/master' });
    case 'schedule':
      return { name: event, payload: schedulePayload('0 6 * * 1') };
    case 'workflow_dispatch':
      return of(event);
    case 'workflow_run':
      return of(event, 'completed');
    case 'merge_group':
      return of(event, 'checks_requested');
    case 'watch':
      return of(event, 'started');
  }
}

/** As GitHub marks the issue of a comment that is a pull request. */
function onPull(payload: Payload): Payload {
  const issue = payload['issue'] as Payload;
  const url = 'https://api.github.com/repos/Codertocat/Hello-World/pulls/1';
  return {
    ...payload,
    issue: { ...issue, pull_request: { url, html_url: url, diff_url: url, patch_url: url } },
  };
}

function seed(github: GitHubServer, payload: Payload, chosen: Configuration): StoredRepo {
  const files = {
    ...AGENTS,
    ...(chosen.before === 'entries' ? inFolder('.axe/memory', ENTRIES) : {}),
  };
  const repo = github.seed(payload, { base: files, diff: DIFF });
  const { full_name: name } = withWorld(payload)['repository'] as { full_name: string };
  for (const login of [
    'Codertocat',
    'octocat',
    String(payloadField(withWorld(payload), 'sender.login')),
  ])
    repo.roles.set(login, chosen.role);
  repo.contents = chosen.contents;
  if (chosen.event === 'issue_comment on a pull request') addPull(github, name, repo, payload);
  if ('pull_request' in payload) repo.comparisons.set(comparisonOf(payload), DIFF);
  seedPush(repo, payload, DIFF);
  if (chosen.before === 'entries')
    for (const branch of MEMORY_BRANCHES) github.commit(name, ENTRIES, { branch });
  return repo;
}

function addPull(github: GitHubServer, name: string, repo: StoredRepo, payload: Payload): void {
  const sha = 'c'.repeat(40);
  const base = { ref: repo.defaultBranch, sha: repo.branches.get(repo.defaultBranch) ?? '' };
  const number = Number(payloadField(payload, 'issue.number'));
  github.addPull(name, {
    number,
    base,
    head: { ref: 'fix', sha, repository: name },
    author: 'octocat',
    diff: DIFF,
  });
  repo.comparisons.set(`${base.sha}...${sha}`, DIFF);
}

function checkout({ before }: Configuration): Readonly<Record<string, string>> {
  const memory = before === 'entries' ? inFolder('.axe/memory', ENTRIES) : {};
  return { ...AGENTS, ...memory, 'task.md': 'Say what is new.\n', 'src/auth.ts': 'export {};\n' };
}

function inFolder(
  folder: string,
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]),
  );
}

function agent(name: string, memory: string, tools: readonly string[]): string {
  return `name = "${name}"
model = "openai/gpt-4o"
system_prompt = "You review changes."
tools = [${tools.map((tool) => `"${tool}"`).join(', ')}]

${memory}`;
}

const MEMORY = '[memory]\nenabled = true\n';
const REVIEW_TOOLS = [
  'read_file',
  'add_review_comment',
  'submit_review',
  'set_labels',
  'create_issue',
];
const NOTE_TOOLS = ['read_file', 'memory_write', 'memory_search'];

const AGENTS: Readonly<Record<string, string>> = {
  'axe/agents/reviewer.toml': agent('reviewer', MEMORY, REVIEW_TOOLS),
  'axe/agents/forgetful.toml': agent('forgetful', '', ['read_file']),
  'axe/agents/noter.toml': agent('noter', `${MEMORY}notes = true\n`, NOTE_TOOLS),
  'other/agents/reviewer.toml': agent('reviewer', `${MEMORY}last_n = 1\nmax_entries = 1\n`, [
    'run_command',
  ]),
};

function refOf(name: string, payload: Payload, defaultBranch: string): string {
  return name === 'pull_request'
    ? `refs/pull/${payloadField(payload, 'pull_request.number')}/merge`
    : `refs/heads/${defaultBranch}`;
}

function cacheEnv(
  cache: CacheServer,
  {
    chosen,
    ref,
    repo,
  }: { readonly chosen: Configuration; readonly ref: string; readonly repo: StoredRepo },
): Readonly<Record<string, string>> {
  if (chosen.cache === 'absent') return {};
  const readableRefs = [`refs/heads/${repo.defaultBranch}`];
  return cache.env({ ref, readableRefs, mayWrite: chosen.cache === 'writable' });
}
