import { seedReaction, seedReply } from '../__tests__/helpers/github-review-seed.js';
import { type GitHubServer, startGitHubServer } from '../__tests__/helpers/github-server.js';
import type { StoredRepo } from '../__tests__/helpers/github-state.js';
import { loadWebhook, type Payload } from '../__tests__/helpers/webhooks.js';
import type { Answer, Case } from './case.js';
import { type Gateway, startGateway } from './gateway.js';
import type { Files, Version } from './versions.js';

/** What all cases of an evaluation share: GitHub in memory, and the way to the model. */
export interface World {
  readonly github: GitHubServer;
  readonly gateway: Gateway;
  close(): Promise<void>;
}

/** Starts the servers of this machine. */
export async function openWorld(): Promise<World> {
  const [github, gateway] = await Promise.all([
    startGitHubServer({ validate: false }),
    startGateway(),
  ]);
  return {
    github,
    gateway,
    async close() {
      await Promise.all([github.close(), gateway.close()]);
    },
  };
}

/** The repository of GitHub's example payloads. */
const REPO = 'Codertocat/Hello-World';
const BASE = 'main';
const MEMORY_BRANCH = 'axe-memory';

/** The first pull request of a case; further ones name their numbers. */
export const FIRST_PULL = 2;

/** The accounts that a case has: two who may write, and one who may not. */
const WRITERS = ['Codertocat', 'monalisa'];
const STRANGER = 'hubot';

/** A pull request as an event tells of it. */
export interface Opened {
  readonly number: number;
  readonly title: string;
  readonly description: string;
  readonly author: Case['author'];
}

/** A repository with a pull request, as a case has it. */
export interface Scene {
  readonly repo: StoredRepo;
  /** Puts a pull request there and returns its event. */
  open(pull: Opened, version: Version): SceneEvent;
  /** Gives a pull request its next version and returns the event. */
  push(pull: Opened, version: Version): SceneEvent;
  /** Merges a pull request. */
  merge(number: number): void;
  /** Answers a finding as a person does. */
  answer(commentId: number, answer: Answer): void;
  /** The files of the branch that memory is on. */
  memory(): Files;
}

/** What a run is started with. */
export interface SceneEvent {
  readonly event: { readonly name: string; readonly payload: Payload };
  readonly ref: string;
}

/** Makes a new repository; `memory` is what earlier runs left on its memory branch. */
export function openScene(
  { github }: Pick<World, 'github'>,
  base: Files,
  memory: Files = {},
): Scene {
  const repo = github.addRepo(REPO, { defaultBranch: BASE, contents: 'write' });
  for (const login of WRITERS) repo.roles.set(login, 'write');
  repo.roles.set(STRANGER, 'read');
  github.commit(REPO, base, { branch: BASE });
  if (Object.keys(memory).length > 0) github.commit(REPO, memory, { branch: MEMORY_BRANCH });
  const heads = new Map<number, string>();

  function commitHead(
    { number }: Opened,
    version: Version,
  ): { readonly base: string; readonly head: string } {
    const branch = branchOf(number);
    const before = heads.get(number);
    const trunk = baseCommit(version);
    if (before === undefined || version.isRebased) repo.branches.set(branch, trunk);
    const head = github.commit(REPO, version.head, { branch });
    repo.comparisons.set(`${trunk}...${head}`, version.diff);
    if (before !== undefined) {
      repo.comparisons.set(`${before}...${head}`, version.fresh);
      if (version.isRebased) repo.abandoned.add(before);
    }
    heads.set(number, head);
    return { base: trunk, head };
  }

  /** The base branch may have moved since. */
  function baseCommit(version: Version): string {
    const current = repo.branches.get(BASE) ?? '';
    return sameFiles(github.files(REPO, BASE), version.base)
      ? current
      : github.commit(REPO, version.base, { branch: BASE });
  }

  function put(pull: Opened, version: Version, action: 'opened' | 'synchronize'): SceneEvent {
    const { number, title, description, author } = pull;
    const { base: sha, head } = commitHead(pull, version);
    const isFork = author === 'stranger';
    const repository = isFork ? `${STRANGER}/Hello-World` : REPO;
    const login = isFork ? STRANGER : 'Codertocat';
    github.addPull(REPO, {
      number,
      title,
      body: description,
      author: login,
      base: { ref: BASE, sha },
      head: { ref: branchOf(number), sha: head, repository },
      diff: version.diff,
    });
    const payload = loadWebhook('pull_request', isFork ? 'labeled' : action, {
      number,
      'repository.default_branch': BASE,
      'pull_request.number': number,
      'pull_request.title': title,
      'pull_request.body': description,
      'pull_request.user.login': login,
      'pull_request.base.ref': BASE,
      'pull_request.base.sha': sha,
      'pull_request.head.ref': branchOf(number),
      'pull_request.head.sha': head,
      'pull_request.head.repo.full_name': repository,
      'sender.login': 'Codertocat',
    });
    // A writer's label lets a fork's pull request in.
    return isFork
      ? { event: { name: 'pull_request_target', payload }, ref: `refs/heads/${BASE}` }
      : { event: { name: 'pull_request', payload }, ref: `refs/pull/${number}/merge` };
  }

  return {
    repo,
    open: (pull, version) => put(pull, version, 'opened'),
    push: (pull, version) => put(pull, version, 'synchronize'),
    merge(number) {
      const pull = repo.pulls.get(number);
      if (pull === undefined) throw new Error(`there is no pull request #${number}`);
      repo.pulls.set(number, { ...pull, state: 'closed', mergedAt: '2026-01-02T03:04:05Z' });
    },
    answer: (id, answer) => answerFinding(repo, id, answer),
    memory: () => (repo.branches.has(MEMORY_BRANCH) ? github.files(REPO, MEMORY_BRANCH) : {}),
  };
}

function answerFinding(repo: StoredRepo, id: number, { gesture, text = '', by }: Answer): void {
  switch (gesture) {
    case 'thumbs-down':
      seedReaction(repo, { on: 'review-comment', of: id, author: by, content: '-1' });
      return;
    case 'take-back':
      repo.talk.reactions.length = 0;
      return;
    case 'edit': {
      const comment = repo.talk.reviewComments.find((one) => one.id === id);
      if (comment !== undefined)
        Object.assign(comment, { body: text, editor: by, editedAt: new Date().toISOString() });
      return;
    }
    case 'resolve':
      repo.talk.resolved.set(id, by);
      return;
    case 'reply':
      seedReply(repo, id, { author: by, body: text });
  }
}

function branchOf(number: number): string {
  return `change-${number}`;
}

function sameFiles(a: Files, b: Files): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
