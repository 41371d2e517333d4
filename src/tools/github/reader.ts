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

/**
 * Accounts that are asked about for one answer; with more, somebody among them counts as a
 * stranger.
 */
const MAX_AUTHORS = 20;

export type GitHubReader = ReturnType<typeof createGitHubReader>;

/**
 * The repository of an event as tools read it: at the event's commits, no others, and without the
 * folders in which memory is kept. Commits, the diff and permissions are asked for once in a run.
 * Everything throws a ToolError or an AxeError.
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
    number:
      subjectNumber(trigger) ??
      (trigger.kind === 'workflow_run' ? trigger.pull?.number : undefined),
    diff: askOnce(async (signal) => {
      const place = { repository, ...(await commits(signal)) };
      const { diff, isComplete } = await fetchComparedDiff(client, place, signal);
      return { files: parseDiff(diff), isComplete };
    }),
    /**
     * The commit of an argument `ref`; without a change both sides are the default branch. Anybody
     * may have made the head of a fork, or one of which that cannot be told (D19); the base is
     * always the repository's own.
     */
    async at(given: string | undefined, signal: AbortSignal) {
      const side = readChoice('ref', given, ['head', 'base'], 'head');
      const { head, base, isForeign } = await commits(signal);
      return { side, ref: side === 'head' ? head : base, isTainted: side === 'head' && isForeign };
    },
    /** The path as the API takes it. */
    pathOf(path: string): string {
      const inside = repositoryPath(path);
      if (isMemory(inside)) throw new ToolError(`${quoteLine(path)} ${IS_MEMORY}`);
      return inside;
    },
    /**
     * Whether each of these accounts is known to have write access; false for bots, whose words are
     * nobody's.
     */
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
  defineTool({ ...tool, run: (input, signal) => asToolError(() => tool.run(input, signal)) });

/** An error for people becomes an answer for the model, with its remedy. */
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
 * Asks once and remembers the answer; a failure is forgotten, so that the next one asks again. Who
 * waits for somebody else's question waits with that one's signal.
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
