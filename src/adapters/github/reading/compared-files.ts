import type { Repository } from '../../../core/event/trigger.js';
import { type DiffFile, parseDiff } from '../../../core/text/diff.js';
import type { GitHubClient } from '../client/client.js';
import { assembleDiff, fetchChangedFiles } from './changed-files.js';
import { fetchComparison, fetchDiff } from './compare.js';
import { fetchCommits } from './subject-commits.js';

/** Two commits of a repository. */
export interface ComparedCommits {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
  /** Their pull request, which lists more files than a comparison does. */
  readonly pull: number | undefined;
}

/** The files that differ, with what GitHub shows of each. */
export interface ComparedFiles {
  readonly files: readonly DiffFile[];
  /** False where there are more files than GitHub lists. */
  readonly isComplete: boolean;
}

/** Files that GitHub lists of a pull request (REST API, "List pull requests files"). */
const MAX_PULL_FILES = 3000;

/**
 * What the head changed since it left the base: the whole diff, or where GitHub does not make it, what it shows of each
 * file. Throws a GitHubError.
 */
export async function fetchComparedFiles(
  client: GitHubClient,
  compared: ComparedCommits,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const diff = await fetchDiff(client, compared, signal);
  if (diff !== undefined) return { files: parseDiff(diff), isComplete: true };
  return await fetchListedFiles(client, compared, signal);
}

/** The pull request's own list is longer, but it is that of its newest commit. */
async function fetchListedFiles(
  client: GitHubClient,
  compared: ComparedCommits,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const { repository, pull, head } = compared;
  if (pull !== undefined) {
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
