import * as v from 'valibot';
import type { GitHubClient } from '../../../github/client/client.js';
import { GitHubError } from '../../../github/client/errors.js';
import type { MemoryTree } from '../../change.js';
import type { FailedSave } from '../../store.js';
import type { CommitResult } from '../update.js';

export type BranchRead =
  | {
      readonly kind: 'found';
      /** Commit id of the newest commit. */
      readonly head: string;
      /** Texts by path from the top of the repository; a path where nothing is has no entry. */
      readonly files: MemoryTree;
      /** What must not be overwritten, since it is not a memory file: half a sentence that says why, by path. */
      readonly refused: ReadonlyMap<string, string>;
      /** Those of them that are memory files and did not fit among those that are read together. */
      readonly left: readonly string[];
      readonly isPublic: boolean;
      /** Ids that the messages of its commits name, since the time that was asked for; left out where nobody asked. */
      readonly saved?: ReadonlySet<string> | undefined;
    }
  | { readonly kind: 'missing'; readonly isPublic: boolean }
  | FailedSave;

/** Files to write by path from the top of the repository, and the commit's message. */
export interface BranchFiles {
  readonly files: MemoryTree;
  /** Files that are there and are to go. */
  readonly removed?: readonly string[] | undefined;
  readonly message: string;
}

/**
 * One branch of a repository through GitHub's API, as the branch store needs it (D13). Texts hold invalid UTF-8 as
 * `decodeBytes` does. Trouble is a value; only an aborted signal rejects, with its reason.
 */
export interface MemoryBranch {
  /** For people: `octocat/hello@axe-memory`. */
  readonly name: string;
  /** Address of a file in a browser, at the newest commit. */
  urlOf(path: string): string;
  /** A path with a `/` at its end is a folder, of which the markdown files directly in it are read, within limits. */
  read(paths: readonly string[], signal: AbortSignal, since?: Date): Promise<BranchRead>;
  /** Every file below a folder (all of them for ''), as `read` gives them. */
  readAll(folder: string, signal: AbortSignal): Promise<BranchRead>;
  /** Writes files on top of a commit, if that is still the newest. */
  commit(head: string, change: BranchFiles, signal: AbortSignal): Promise<CommitResult>;
  /** Creates the branch with one commit that has no parent, if there is none yet. */
  create(change: BranchFiles, signal: AbortSignal): Promise<CommitResult>;
  /** Puts one commit without a parent, with the same files, in place of `head`, if that is still the newest. */
  squash(head: string, message: string, signal: AbortSignal): Promise<CommitResult>;
}

export interface MemoryBranchPlace {
  readonly owner: string;
  readonly name: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** `https://github.com`, or the server of GHES (`GITHUB_SERVER_URL`), without a slash at its end. */
  readonly serverUrl: string;
  /** Whether it is the workflow's own repository, which the job's token is for; undefined outside a workflow. */
  readonly isOwn?: boolean | undefined;
}

export interface BranchAccess {
  readonly client: GitHubClient;
  readonly place: MemoryBranchPlace;
}

/** `octocat/hello`. */
export function repositoryName({ owner, name }: MemoryBranchPlace): string {
  return `${owner}/${name}`;
}

/** `octocat/hello@axe-memory`, for people. */
export function branchName(place: MemoryBranchPlace): string {
  return `${repositoryName(place)}@${place.branch}`;
}

/** GitHub's answer in its form. Throws a GitHubError: who does not understand an answer does not know what was done. */
export function understood<Output>(
  schema: v.GenericSchema<unknown, Output>,
  answer: unknown,
  requestLine = 'POST /graphql',
): Output {
  const parsed = v.safeParse(schema, answer);
  if (parsed.success) return parsed.output;
  const message = `GitHub's answer to \`${requestLine}\` is not understood`;
  throw new GitHubError(message, { reason: 'unavailable' });
}
