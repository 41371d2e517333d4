import * as v from 'valibot';
import { mayWrite } from '../../event/permission.js';
import { type Base, type Head, type Repository, subjectNumber, type Trigger } from '../../event/trigger.js';
import { AxeError, ToolError } from '../../lib/errors.js';
import { shown } from '../../lib/text/cut.js';
import { type DiffFile, parseDiff } from '../../lib/text/diff.js';
import { createMemoryFilter, IS_MEMORY, type MemoryFilter } from '../../memory/log-path.js';
import { askRest, inRepo, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { assembleDiff, type CommitPair, fetchChangedFiles, fetchComparison, fetchDiff } from './changes.js';
import { listFolderAt, type RefPlace, readPathAt, repositoryPath } from './contents.js';
import { fetchDiscussion } from './discussion.js';
import { failingChecks, type LogRequest } from './failing-checks.js';
import { fileHistory } from './history.js';
import { fetchPermission } from './permissions.js';
import { searchCode, searchIssues } from './search.js';

/** An event that came from GitHub. */
type GitHubTrigger = Exclude<Trigger, { kind: 'local' }>;

/** Accounts that are asked about for one answer; with more, somebody among them counts as a stranger. */
const MAX_AUTHORS = 20;

export type GitHubReader = ReturnType<typeof createGitHubReader>;

/** The two commits an event is about; without a change both are the default branch. */
type DiffSide = 'head' | 'base';

/**
 * What tools read of the repository of an event, as the event's commits have it; no other can be named, and the folders in
 * which memory is kept are left out. Commits, the diff and permissions are asked for once in a run. Every method throws a
 * ToolError with the remedy for whatever goes wrong, and the signal's reason if it aborts. `isForeign`: the commit is a
 * fork's, or that could not be told, so that anybody may have made it (D19).
 */
export function createGitHubReader(
  client: GitHubClient,
  trigger: GitHubTrigger,
  { memoryRoots = [] }: { readonly memoryRoots?: readonly string[] } = {},
) {
  const isMemory = createMemoryFilter(memoryRoots);
  const { repository } = trigger;
  const commits = once((signal) => subjectCommits(client, trigger, signal));
  const compared = once(async (signal) => {
    const { base, head, pull } = await commits(signal);
    return await fetchComparedFiles(client, { repository, base, head, pull }, signal);
  });
  const writers = new Map<string, Promise<boolean>>();
  const number =
    subjectNumber(trigger) ?? (trigger.kind === 'workflow_run' ? trigger.pull?.number : undefined);

  function isWriter(login: string, signal: AbortSignal): Promise<boolean> {
    const known = writers.get(login);
    if (known !== undefined) return known;
    const pending = fetchPermission(client, { repository, login }, signal).then(
      (answer) => answer.kind === 'known' && mayWrite(answer.permission),
    );
    writers.set(login, pending);
    pending.catch(() => writers.delete(login));
    return pending;
  }

  return {
    /** The issue or pull request of the event; undefined where it is about none. */
    number,
    /** What the pull request, or the push, changes. */
    change: (signal: AbortSignal) =>
      toTool(async () => {
        const { isChange, isForeign } = await commits(signal);
        if (!isChange) throw new ToolError('there is no diff: the event is not about a change');
        const { files, isComplete } = await compared(signal);
        const shown: readonly DiffFile[] = files.filter(({ path }) => !isMemory(path));
        return { files: shown, isComplete, isForeign };
      }),
    file: (at: { side: DiffSide; path: string; maxBytes: number }, signal: AbortSignal) =>
      toTool(async () => {
        const { ref, isForeign } = atSide(await commits(signal), at.side);
        return { ...(await readAt({ client, repository, ref }, isMemory, at, signal)), isForeign };
      }),
    /** The newest commits that changed a file, from page 1 on. */
    history: (
      { side, path, limit, page }: { side: DiffSide; path: string; limit: number; page: number },
      signal: AbortSignal,
    ) =>
      toTool(async () => {
        const { ref, isForeign } = atSide(await commits(signal), side);
        const request = { path: allowedPath(path, isMemory), ref, limit, page };
        return { commits: await fileHistory(client, repository, request, signal), isForeign };
      }),
    discussion: (of: number, signal: AbortSignal) =>
      toTool(() => fetchDiscussion(client, { repository, number: of }, signal)),
    /** Those of the head. */
    checks: (request: LogRequest, signal: AbortSignal) =>
      toTool(async () => {
        const { head: sha } = await commits(signal);
        return await failingChecks(client, { repository, sha, ...request }, signal);
      }),
    /** Files of the default branch. */
    searchCode: (request: { query: string; limit: number }, signal: AbortSignal) =>
      toTool(async () => {
        const found = await searchCode(client, { repository, ...request }, signal);
        return { ...found, items: found.items.filter(({ path }) => !isMemory(path)) };
      }),
    searchIssues: (
      request: { query: string; limit: number; kind: 'issue' | 'pull_request' },
      signal: AbortSignal,
    ) => toTool(() => searchIssues(client, { repository, ...request }, signal)),
    /** Whether each of these accounts is known to have write access; false for bots, whose words are nobody's. */
    async areWriters(logins: readonly string[], signal: AbortSignal): Promise<boolean> {
      const names = new Set(logins);
      if (names.size > MAX_AUTHORS || [...names].some(isNobody)) return false;
      const answers = await Promise.all([...names].map((login) => isWriter(login, signal)));
      return answers.every((answer) => answer);
    },
  };
}

/** A bot may quote anybody, and anybody may have had a deleted account. */
function isNobody(login: string): boolean {
  return login === 'ghost' || login.endsWith('[bot]');
}

/** The base is always the repository's own. */
function atSide(
  { head, base, isForeign }: SubjectCommits,
  side: DiffSide,
): { readonly ref: string; readonly isForeign: boolean } {
  return side === 'head' ? { ref: head, isForeign } : { ref: base, isForeign: false };
}

/** What is at a path. Links that lead to a file of the same commit are followed, others are refused. */
async function readAt(
  place: RefPlace,
  isMemory: MemoryFilter,
  { path, side, maxBytes }: { side: DiffSide; path: string; maxBytes: number },
  signal: AbortSignal,
) {
  const inside = allowedPath(path, isMemory);
  const isShown = (name: string) => !isMemory(`${inside}/${name}`);
  const found = await readPathAt(place, { path: inside, maxBytes }, signal);
  switch (found.kind) {
    case 'file':
      // A link may lead there; GitHub names where the file lies.
      if (isMemory(found.path)) throw new ToolError(`${shown(path)} ${IS_MEMORY}`);
      return { kind: 'file' as const, bytes: found.bytes };
    case 'folder':
      return { kind: 'folder' as const, names: (await listFolderAt(place, inside, signal)).filter(isShown) };
    case 'missing':
      throw new ToolError(`${shown(path)}: there is no such file at the ${side}`);
    case 'refused':
      throw new ToolError(`${shown(path)} cannot be read: ${found.reason}`);
  }
}

/** The path as the API takes it. Throws a ToolError for one that is memory, and a ConfigError for one outside. */
function allowedPath(path: string, isMemory: MemoryFilter): string {
  const inside = repositoryPath(path);
  if (isMemory(inside)) throw new ToolError(`${shown(path)} ${IS_MEMORY}`);
  return inside;
}

/** Trouble that is told to people is an answer for the model, with its remedy. */
export async function toTool<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const { message, remedy } = thrown;
    throw new ToolError(remedy === undefined ? message : `${message}. ${remedy}`);
  }
}

/** Files that GitHub lists of a pull request (REST API, "List pull requests files"). */
const MAX_PULL_FILES = 3000;

/**
 * What the head changed since it left the base: the whole diff, or where GitHub does not make it, what it shows of each
 * file, incomplete where there are more than it lists. Throws a GitHubError.
 */
export async function fetchComparedFiles(
  client: GitHubClient,
  compared: CommitPair & { readonly pull: number | undefined },
  signal: AbortSignal,
): Promise<{ readonly files: readonly DiffFile[]; readonly isComplete: boolean }> {
  const diff = await fetchDiff(client, compared, signal);
  if (diff !== undefined) return { files: parseDiff(diff), isComplete: true };
  const { repository, pull, head } = compared;
  if (pull !== undefined) {
    // The pull request's own list is longer than a comparison's, but it is that of its newest commit.
    const place = { repository, number: pull };
    const now = await fetchCommits(client, place, signal);
    if (now.head.sha === head) {
      const files = await fetchChangedFiles(client, place, signal);
      return { files: parseDiff(assembleDiff(files)), isComplete: files.length < MAX_PULL_FILES };
    }
  }
  const { files, isComplete } = await fetchComparison(client, compared, signal);
  return { files: parseDiff(assembleDiff(files)), isComplete };
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
  /** Whether there is a change between the two. */
  readonly isChange: boolean;
}

const pullSchema = v.object({
  head: v.object({
    sha: v.string(),
    ref: v.string(),
    repo: v.nullable(v.object({ full_name: v.string() })),
  }),
  base: v.object({ sha: v.string(), ref: v.string() }),
});

/**
 * The commits of an event: those it names, so that a push during the run changes nothing, or for a comment that names
 * none the pull request's as they are now. Throws a GitHubError.
 */
export async function subjectCommits(
  client: GitHubClient,
  trigger: GitHubTrigger,
  signal: AbortSignal,
): Promise<SubjectCommits> {
  const { repository } = trigger;
  const { defaultBranch } = repository;
  const branch = defaultBranch;
  const none = { head: branch, branch, base: branch, isForeign: false, pull: undefined };
  switch (trigger.kind) {
    case 'pull_request':
      return pullCommits(trigger, trigger.isFork);
    case 'comment': {
      if (trigger.on === 'issue') return { ...none, isChange: false };
      const { number } = trigger;
      const commits = trigger.commits ?? (await fetchCommits(client, { repository, number }, signal));
      return pullCommits({ number, ...commits }, trigger.isFork ?? isElsewhere(commits.head, repository));
    }
    case 'push':
      return {
        ...none,
        head: shaOr(trigger.after, defaultBranch),
        branch: /^refs\/heads\/(.+)$/.exec(trigger.ref)?.[1] ?? branch,
        base: shaOr(trigger.before, defaultBranch),
        isChange: shaOr(trigger.after, '') !== '' && shaOr(trigger.before, '') !== '',
      };
    case 'workflow_run': {
      const { headSha: head, isFork: isForeign, pull } = trigger;
      const base = pull === undefined ? defaultBranch : pull.base.sha || pull.base.ref;
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
      return { ...none, head: `refs/tags/${trigger.tag}`, isChange: false };
    case 'issue':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
      return { ...none, isChange: false };
  }
}

function pullCommits(
  { number, head, base }: { readonly number: number; readonly head: Head; readonly base: Base },
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

/** As they are now. Throws a GitHubError. */
async function fetchCommits(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<{ readonly head: Head; readonly base: Base }> {
  const params = { ...inRepo(repository), pull_number: number };
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const { head, base } = await askRest(client, route, params, pullSchema, signal);
  return { head: { sha: head.sha, ref: head.ref, repository: head.repo?.full_name ?? null }, base };
}

function isElsewhere({ repository }: Head, { owner, name }: Repository): boolean {
  return repository?.toLowerCase() !== `${owner}/${name}`.toLowerCase();
}

/** Zeros stand for a branch that was made or deleted. */
function shaOr(sha: string, otherwise: string): string {
  return /^0*$/.test(sha) ? otherwise : sha;
}
