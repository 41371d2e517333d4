import * as v from 'valibot';
import {
  type Base,
  type Head,
  isRepository,
  pushKind,
  type Repository,
  subjectNumber,
  type Trigger,
  tagOf,
} from '../../event/trigger.js';
import { mayWrite, type PermissionAnswer } from '../../event/trust.js';
import { askRest, inRepo, orRefusal } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import { fetchComparedDiff } from '../../github/reading/changes.js';
import { fetchPullOfCommit, fetchTagRange } from '../../github/reading/commits.js';
import { repositoryPath } from '../../github/reading/contents.js';
import { fetchPull } from '../../github/reading/subject.js';
import { AxeError, ToolError } from '../../lib/errors.js';
import { parseDiff } from '../../lib/text/diff.js';
import { shown } from '../../lib/text/format.js';
import { createMemoryFilter, IS_MEMORY } from '../../memory/paths.js';
import { defineTool, readChoice } from '../tool.js';

/** Accounts that are asked about for one answer; with more, somebody among them counts as a stranger. */
const MAX_AUTHORS = 20;

export type GitHubReader = ReturnType<typeof createGitHubReader>;

/**
 * The repository of an event as tools read it: at the event's commits, no others, and without the folders in which memory is
 * kept. Commits, the diff and permissions are asked for once in a run. Everything throws a ToolError or an AxeError.
 */
export function createGitHubReader(
  client: GitHubClient,
  trigger: Exclude<Trigger, { kind: 'local' }>,
  memoryRoots: readonly string[] = [],
) {
  const { repository } = trigger;
  const isMemory = createMemoryFilter(memoryRoots);
  const commits = once((signal) => subjectCommits(client, trigger, signal));
  const writers = new Map<string, boolean>();

  async function isKnownWriter(login: string, signal: AbortSignal): Promise<boolean> {
    // A bot may quote anybody, and anybody may have had a deleted account.
    if (login === 'ghost' || login.endsWith('[bot]')) return false;
    const may = writers.get(login) ?? (await isWriter(client, repository, login, signal));
    writers.set(login, may);
    return may;
  }

  return {
    client,
    repository,
    isMemory,
    commits,
    /** The issue or pull request of the event; undefined where it is about none. */
    number: subjectNumber(trigger) ?? (trigger.kind === 'workflow_run' ? trigger.pull?.number : undefined),
    diff: once(async (signal) => {
      const place = { repository, ...(await commits(signal)) };
      const { diff, isComplete } = await fetchComparedDiff(client, place, signal);
      return { files: parseDiff(diff), isComplete };
    }),
    /**
     * The commit of an argument `ref`; without a change both sides are the default branch. Anybody may have made the head of a
     * fork, or one of which that cannot be told (D19); the base is always the repository's own.
     */
    async at(given: string | undefined, signal: AbortSignal) {
      const side = readChoice('ref', given, ['head', 'base'], 'head');
      const { head, base, isForeign } = await commits(signal);
      return { side, ref: side === 'head' ? head : base, isTainted: side === 'head' && isForeign };
    },
    /** The path as the API takes it. */
    pathOf(path: string): string {
      const inside = repositoryPath(path);
      if (isMemory(inside)) throw new ToolError(`${shown(path)} ${IS_MEMORY}`);
      return inside;
    },
    /** Whether each of these accounts is known to have write access; false for bots, whose words are nobody's. */
    async areWriters(logins: readonly string[], signal: AbortSignal): Promise<boolean> {
      const names = [...new Set(logins)];
      if (names.length > MAX_AUTHORS) return false;
      const answers = await Promise.all(names.map((login) => isKnownWriter(login, signal)));
      return answers.every((may) => may);
    },
  };
}

/** A tool that reads on GitHub. */
export const defineGitHubTool: typeof defineTool = (tool) =>
  defineTool({ ...tool, run: (input, signal) => toTool(() => tool.run(input, signal)) });

/** An error for people becomes an answer for the model, with its remedy. */
export async function toTool<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const { message, remedy } = thrown;
    throw new ToolError(remedy === undefined ? message : `${message}. ${remedy}`);
  }
}

/**
 * Asks once and remembers the answer; a failure is forgotten, so that the next one asks again. Who waits for somebody
 * else's question waits with that one's signal.
 */
export function once<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
): (signal: AbortSignal) => Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  return (signal) => {
    if (pending !== undefined) return pending;
    const asking = ask(signal);
    pending = asking;
    asking.catch(() => {
      if (pending === asking) pending = undefined;
    });
    return asking;
  };
}

/** The commits an event is about. */
export interface SubjectCommits {
  /** Sha, or the default branch where the event is about no commit. */
  readonly head: string;
  /** The branch that the head is on; the default branch where none is known. */
  readonly branch: string;
  readonly base: string;
  /** Anybody may have made the head: it is a fork's, or that could not be told. */
  readonly isForeign: boolean;
  /** Number of the pull request; undefined where there is none. */
  readonly pull: number | undefined;
  readonly isChange: boolean;
}

/**
 * The commits of an event: those it names, so that a push during the run changes nothing, or for a comment that names
 * none the pull request's as they are now. Throws a GitHubError.
 */
export async function subjectCommits(
  client: GitHubClient,
  trigger: Exclude<Trigger, { kind: 'local' }>,
  signal: AbortSignal,
): Promise<SubjectCommits> {
  const { repository } = trigger;
  const { defaultBranch: branch } = repository;
  const none = { head: branch, branch, base: branch, isForeign: false, pull: undefined };
  /** The changes since the previous tag, as the task shows them. */
  async function tagCommits(tag: string, head = `refs/tags/${tag}`): Promise<SubjectCommits> {
    const range = await orRefusal(fetchTagRange(client, repository, tag, signal), 'denied', 'missing');
    if (range === undefined || range instanceof GitHubError) return { ...none, head, isChange: false };
    return { ...none, head: range.head, base: range.base, isChange: true };
  }
  switch (trigger.kind) {
    case 'pull_request':
      return pullCommits(trigger.number, trigger, trigger.isFork);
    case 'comment': {
      if (trigger.on === 'issue') return { ...none, isChange: false };
      const { number } = trigger;
      const commits = trigger.commits ?? (await fetchPull(client, { repository, number }, signal));
      const isFork = trigger.isFork ?? !isRepository(commits.head.repository, repository);
      return pullCommits(number, commits, isFork);
    }
    case 'push': {
      const kind = pushKind(trigger);
      const tag = tagOf(trigger);
      if (kind !== 'deleted' && tag !== undefined) return await tagCommits(tag, shaOr(trigger.after, branch));
      return {
        ...none,
        head: shaOr(trigger.after, branch),
        branch: /^refs\/heads\/(.+)$/.exec(trigger.ref)?.[1] ?? branch,
        base: shaOr(trigger.before, branch),
        // A new branch is compared with the default one.
        isChange:
          kind === 'changed' ||
          (kind === 'created' && branch !== '' && trigger.ref.startsWith('refs/heads/')),
      };
    }
    case 'workflow_run': {
      const { headSha: head, isFork: isForeign } = trigger;
      // Payloads do not name forks' pull requests.
      const found =
        trigger.pull ??
        (await orRefusal(fetchPullOfCommit(client, repository, head, signal), 'denied', 'missing'));
      const pull = found instanceof GitHubError ? undefined : found;
      const base = pull === undefined ? branch : pull.base.sha || pull.base.ref;
      return {
        head,
        branch: trigger.branch || branch,
        base,
        isForeign,
        pull: pull?.number,
        isChange: head !== '',
      };
    }
    // A queue may hold what a fork brought, before it is merged.
    case 'merge_group':
      return { ...none, head: trigger.head.sha, base: trigger.base.sha, isForeign: true, isChange: true };
    case 'release':
      return await tagCommits(trigger.tag);
    case 'issue':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
      return { ...none, isChange: false };
  }
}

function pullCommits(
  number: number,
  { head, base }: { readonly head: Head; readonly base: Base },
  isForeign: boolean,
): SubjectCommits {
  return {
    head: head.sha,
    branch: head.ref,
    base: base.sha || base.ref,
    isForeign,
    pull: number,
    isChange: true,
  };
}

/** Zeros stand for a branch that was made or deleted. */
function shaOr(sha: string, otherwise: string): string {
  return /^0*$/.test(sha) ? otherwise : sha;
}

/**
 * What GitHub says of one account. `permission` is the base that it enforces; `role_name`, which is missing on older servers,
 * only tells `maintain` from `write` and `triage` from `read`, so that a custom role's name can never raise anybody.
 */
const answerSchema = v.pipe(
  v.object({
    permission: v.picklist(['admin', 'write', 'read', 'none']),
    role_name: v.fallback(v.string(), ''),
  }),
  v.transform(({ permission: base, role_name: role }): PermissionAnswer => {
    const isFiner = (base === 'write' && role === 'maintain') || (base === 'read' && role === 'triage');
    return { kind: 'known', permission: isFiner ? role : base };
  }),
);

/**
 * Asks what an account may do in a repository (`GET /repos/{owner}/{repo}/collaborators/{username}/permission`).
 * Rejects only for an aborted signal: every error is an answer, and the answer is `unknown`.
 */
export async function fetchPermission(
  client: GitHubClient,
  { repository, login }: { readonly repository: Repository; readonly login: string },
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const params = { ...inRepo(repository), username: login };
  const answer = await orRefusal(askRest(client, route, params, answerSchema, signal));
  if (!(answer instanceof GitHubError)) return answer;
  const { reason, message, remedy } = answer;
  if (reason === 'missing' && NO_USER.test(message)) return { kind: 'known', permission: 'none' };
  return { kind: 'unknown', message, remedy };
}

/** Whether an account is known to have write access. Rejects only for an aborted signal. */
export async function isWriter(
  client: GitHubClient,
  repository: Repository,
  login: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await fetchPermission(client, { repository, login }, signal);
  return answer.kind === 'known' && mayWrite(answer.permission);
}

/** An account that was deleted, or an app's without `[bot]` in its name. */
const NO_USER = /\bis not a user\b/i;
