import * as v from 'valibot';
import type { TriggerContext } from '../axe/prompt/context.js';
import type { PullRequestTrigger, Trigger } from '../axe/trigger.js';
import type { Warning } from '../axe/warning.js';
import { assembleDiff, fetchChangedFiles, type PatchedFile, parseFiles } from './changed-files.js';
import type { GitHubClient } from './client.js';
import { GitHubError } from './errors.js';

/**
 * Fetches what a trigger's user message needs beside the event: diff and files of a pull request, nothing for other
 * triggers. No checkout is needed. Throws a GitHubError.
 */
export async function fetchContext(
  client: GitHubClient,
  trigger: Trigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  switch (trigger.kind) {
    case 'pull_request':
      return await fetchPullRequest(client, trigger, signal);
    case 'issue':
    case 'comment':
    case 'push':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return { kind: 'none', warnings: [] };
  }
}

/**
 * The diff is that of the event's two commits, so a push during the run cannot slip anything in
 * (memory-and-security C5 71): the pull request's own diff would be the newest. Both commits are named by sha in the
 * base repository, which holds the heads of all its pull requests, those from deleted forks too
 * (`refs/pull/N/head`).
 */
async function fetchPullRequest(
  client: GitHubClient,
  trigger: PullRequestTrigger,
  signal: AbortSignal,
): Promise<TriggerContext> {
  const { repository, number, head } = trigger;
  const [pinned, newest, now] = await Promise.all([
    fetchPinnedDiff(client, trigger, signal),
    fetchChangedFiles(client, { repository, number }, signal),
    fetchState(client, trigger, signal),
  ]);
  const hasMoved = now.headSha !== head.sha;
  const files = hasMoved ? await fetchPinnedFiles(client, trigger, signal) : newest;
  const filesTotal = hasMoved ? files.length : Math.max(now.changedFiles, files.length);
  const diff = pinned ?? assembleDiff(files);
  return {
    kind: 'pull_request',
    diff,
    files: files.map(({ patch: _, ...file }) => file),
    filesTotal,
    warnings: [
      ...(hasMoved ? [movedWarning(trigger, now.headSha)] : []),
      ...(pinned === undefined ? [assembledWarning(files, filesTotal)] : []),
      ...(pinned === undefined ? [] : shortDiffWarnings(pinned, filesTotal)),
    ],
  };
}

/** Undefined where GitHub does not make the diff: more than 20,000 lines or 300 files, no common ancestor. */
async function fetchPinnedDiff(
  client: GitHubClient,
  trigger: PullRequestTrigger,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { body } = await client.request(COMPARE, {
      params: compareParams(trigger),
      accept: 'application/vnd.github.diff',
      signal,
    });
    return typeof body === 'string' ? body : new TextDecoder().decode(asBytes(body));
  } catch (thrown) {
    if (thrown instanceof GitHubError && mayBeAssembled(thrown)) return undefined;
    throw thrown;
  }
}

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

/** Three dots: what the head changed since it left the base, as the pull request shows it. */
function compareParams({ repository, base, head }: PullRequestTrigger): Record<string, unknown> {
  return {
    owner: repository.owner,
    repo: repository.name,
    basehead: `${base.sha || base.ref}...${head.sha}`,
  };
}

/** An answer that is not text comes as bytes; an empty one as an empty string. */
function asBytes(body: unknown): ArrayBuffer {
  return body instanceof ArrayBuffer ? body : new ArrayBuffer(0);
}

/** A diff that takes GitHub too long to make ends in a server error rather than in a 406. */
function mayBeAssembled({ reason, status }: GitHubError): boolean {
  return reason === 'too-large' || reason === 'missing' || (reason === 'unavailable' && status !== undefined);
}

const stateSchema = v.object({
  head: v.object({ sha: v.string() }),
  changed_files: v.fallback(v.number(), 0),
});

interface PullRequestState {
  readonly headSha: string;
  readonly changedFiles: number;
}

async function fetchState(
  client: GitHubClient,
  { repository, number }: PullRequestTrigger,
  signal: AbortSignal,
): Promise<PullRequestState> {
  const { owner, name: repo } = repository;
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
  const { body } = await client.request(route, { params: { owner, repo, pull_number: number }, signal });
  const parsed = v.safeParse(stateSchema, body);
  if (!parsed.success) {
    const asked = `GET /repos/${owner}/${repo}/pulls/${number}`;
    throw new GitHubError(`GitHub's answer to \`${asked}\` is not a pull request`, {
      reason: 'unavailable',
      asked,
    });
  }
  return { headSha: parsed.output.head.sha, changedFiles: parsed.output.changed_files };
}

const comparisonSchema = v.object({ files: v.fallback(v.array(v.unknown()), []) });

/** The files between the event's commits: at most 300, on the first page (REST API, "Compare two commits"). */
async function fetchPinnedFiles(
  client: GitHubClient,
  trigger: PullRequestTrigger,
  signal: AbortSignal,
): Promise<readonly PatchedFile[]> {
  const params = { ...compareParams(trigger), per_page: 1, page: 1 };
  const { body } = await client.request(COMPARE, { params, signal });
  const comparison = v.safeParse(comparisonSchema, body);
  return comparison.success ? parseFiles(comparison.output.files, COMPARE) : [];
}

function movedWarning({ number, head }: PullRequestTrigger, headSha: string): Warning {
  return {
    code: 'context-truncated',
    message: `pull request #${number} has moved on to ${headSha.slice(0, 7)} since the event; this run looks at ${head.sha.slice(0, 7)}`,
  };
}

function assembledWarning(files: readonly PatchedFile[], filesTotal: number): Warning {
  const without = files.filter((file) => file.patch === undefined).length;
  const unlisted = filesTotal - files.length;
  const bare = without > 0 ? `, of which ${without} come without their changes` : '';
  const missing = unlisted > 0 ? `, ${unlisted} files are not listed at all` : '';
  return {
    code: 'context-truncated',
    message: `GitHub did not send the diff whole; it was put together from ${files.length} ${files.length === 1 ? 'file' : 'files'}${bare}${missing}`,
  };
}

/** A diff that was cut short without a word must not pass for the whole. */
function shortDiffWarnings(diff: string, filesTotal: number): readonly Warning[] {
  const inDiff = diff.match(/^diff --git /gm)?.length ?? 0;
  if (inDiff >= filesTotal) return [];
  const message = `the diff holds ${inDiff} of the ${filesTotal} files that the pull request changes`;
  return [{ code: 'context-truncated', message }];
}
