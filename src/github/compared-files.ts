import * as v from 'valibot';
import { type DiffFile, parseDiff } from '../axe/prompt/diff.js';
import type { Repository } from '../axe/trigger.js';
import { askRest } from './ask.js';
import { assembleDiff, fetchChangedFiles, parseFiles } from './changed-files.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';
import { fetchCommits } from './subject-commits.js';

/** Two commits of a repository. */
export interface Comparison {
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

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

/** Files of a comparison (REST API, "Compare two commits"), and of a pull request ("List pull requests files"). */
const MAX_FILES = { comparison: 300, pull: 3000 } as const;

/**
 * What the head changed since it left the base: the whole diff, or where GitHub does not make it, what it shows of each
 * file. Throws a GitHubError.
 */
export async function fetchComparedFiles(
  client: GitHubClient,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  try {
    const { body } = await client.request(COMPARE, {
      params: compareParams(comparison),
      accept: 'application/vnd.github.diff',
      signal,
    });
    return { files: parseDiff(textOf(body)), isComplete: true };
  } catch (thrown) {
    if (!(thrown instanceof GitHubError) || !isTooMuch(thrown)) throw thrown;
    return await fetchListedFiles(client, comparison, signal);
  }
}

function compareParams({ repository, base, head }: Comparison): Readonly<Record<string, string>> {
  return { owner: repository.owner, repo: repository.name, basehead: `${base}...${head}` };
}

/** Text comes as text or as bytes. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

/** A diff that takes GitHub too long to make ends in a server error rather than in a 406. */
function isTooMuch({ reason, status }: GitHubError): boolean {
  return reason === 'too-large' || (reason === 'unavailable' && status !== undefined);
}

/** The pull request's own list is longer, but it is that of its newest commit. */
async function fetchListedFiles(
  client: GitHubClient,
  comparison: Comparison,
  signal: AbortSignal,
): Promise<ComparedFiles> {
  const { repository, pull, head } = comparison;
  if (pull !== undefined) {
    const place = { repository, number: pull };
    const now = await fetchCommits(client, place, signal);
    if (now.head.sha === head) {
      const files = await fetchChangedFiles(client, place, signal);
      return { files: parseDiff(assembleDiff(files)), isComplete: files.length < MAX_FILES.pull };
    }
  }
  const { files } = await askRest(
    client,
    {
      route: COMPARE,
      params: { ...compareParams(comparison), per_page: 1, page: 1 },
      schema: v.object({ files: v.array(v.unknown()) }),
      what: 'the changed files',
    },
    signal,
  );
  const listed = parseFiles(files, COMPARE);
  return { files: parseDiff(assembleDiff(listed)), isComplete: listed.length < MAX_FILES.comparison };
}
