import { subjectNumber, type Trigger } from '../../event/trigger.js';
import type { GitHubClient } from '../../github/client/client.js';
import { fetchComparedDiff } from '../../github/reading/changes.js';
import { repositoryPath } from '../../github/reading/contents.js';
import { isWriter } from '../../github/reading/permission.js';
import { subjectCommits } from '../../github/reading/subject-commits.js';
import { AxeError, ToolError } from '../../lib/errors.js';
import { parseDiff } from '../../lib/text/diff.js';
import { quoteLine } from '../../lib/text/format.js';
import { createMemoryFilter, IS_MEMORY } from '../../safety/path-rules.js';
import { defineTool, readChoice } from '../tool.js';

/** Accounts whose permission is read for one answer; with more authors, one counts as a stranger. */
const MAX_AUTHORS = 20;

export type GitHubReader = ReturnType<typeof createGitHubReader>;

/**
 * The repository of an event as tools read it: only at the event's commits, and without the folders
 * of memory. Commits, the diff and permissions are read once in a run. Everything throws a
 * ToolError or an AxeError.
 */
export function createGitHubReader(
  client: GitHubClient,
  trigger: Exclude<Trigger, { kind: 'local' }>,
  memoryRoots: readonly string[] = [],
) {
  const { repository } = trigger;
  const isMemory = createMemoryFilter(memoryRoots);
  const commits = askOnce((signal) => subjectCommits(client, trigger, signal));
  const writers = new Map<string, boolean>();

  async function isKnownWriter(login: string, signal: AbortSignal): Promise<boolean> {
    // A bot can quote anybody, and a deleted account can have been anybody's.
    if (login === 'ghost' || login.endsWith('[bot]')) return false;
    const canWrite = writers.get(login) ?? (await isWriter(client, repository, login, signal));
    writers.set(login, canWrite);
    return canWrite;
  }

  return {
    client,
    repository,
    isMemory,
    commits,
    /** The issue or pull request of the event; undefined if it is not about one. */
    number:
      subjectNumber(trigger) ??
      (trigger.kind === 'workflow_run' ? trigger.pull?.number : undefined),
    diff: askOnce(async (signal) => {
      const place = { repository, ...(await commits(signal)) };
      const { diff, isComplete } = await fetchComparedDiff(client, place, signal);
      return { files: parseDiff(diff), isComplete };
    }),
    /**
     * The commit for an argument `ref`; without a change both sides are the default branch. Anybody
     * can have made the head of a fork, so it is a stranger's, as is a head whose origin is not
     * known. The base is always the repository's own.
     */
    async commitAt(refName: string | undefined, signal: AbortSignal) {
      const side = readChoice('ref', refName, ['head', 'base'], 'head');
      const { head, base, isForeign } = await commits(signal);
      return {
        side,
        ref: side === 'head' ? head : base,
        strangers: side === 'head' && isForeign ? FORKS_COMMITS : undefined,
      };
    },
    /** The path as the API takes it. */
    pathOf(path: string): string {
      const fullPath = repositoryPath(path);
      if (isMemory(fullPath)) throw new ToolError(`${quoteLine(path)} ${IS_MEMORY}`);
      return fullPath;
    },
    /**
     * The first account that is not known to have write access, or a bot, which can quote anybody;
     * undefined if there is none.
     */
    async strangerAmong(
      logins: readonly string[],
      signal: AbortSignal,
    ): Promise<string | undefined> {
      const names = [...new Set(logins)];
      if (names.length > MAX_AUTHORS) return `one of ${names.length} people`;
      const answers = await Promise.all(names.map((login) => isKnownWriter(login, signal)));
      return names.find((_, index) => answers[index] === false);
    },
  };
}

/** An object of "it read". */
export const FORKS_COMMITS = 'commits of a fork';

/** A tool that reads from GitHub, whose errors become answers for the model. */
export const defineGitHubTool: typeof defineTool = (tool) =>
  defineTool({ ...tool, run: (input, signal) => asToolError(() => tool.run(input, signal)) });

/** Turns an error for people into an answer for the model, with its remedy. */
export async function asToolError<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (thrown) {
    if (!(thrown instanceof AxeError)) throw thrown;
    const { message, remedy } = thrown;
    throw new ToolError(remedy === undefined ? message : `${message}. ${remedy}`);
  }
}

/**
 * Asks once and remembers the answer; after a failure the next call asks again. Concurrent callers
 * share the first call's request and its abort signal.
 */
export function askOnce<Answer>(
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
