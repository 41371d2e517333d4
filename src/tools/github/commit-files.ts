import type { Repository, Trigger } from '../../event/trigger.js';
import type { GitHubClient } from '../../github/client/client.js';
import { fetchArchive } from '../../github/reading/archive.js';
import { blobSha, fetchBlob, fetchTexts, fetchTree } from '../../github/reading/contents.js';
import { type SubjectCommits, subjectCommits } from '../../github/reading/subject-commits.js';
import { ToolError } from '../../lib/errors.js';
import type { CommitFile, CommitFiles } from '../workspace/commit-workspace.js';
import { askOnce, asToolError } from './reader.js';

/** The files of one commit, also of a fork's. */
export interface CommitSource extends CommitFiles {
  /** GitHub lists only a part of the files. */
  isCut(): Promise<boolean>;
  /** The content is there without a request. */
  isKnown(file: CommitFile): boolean;
}

export type CommitSources = ReturnType<typeof createCommitSources>;

/**
 * The commits of a repository through GitHub's API, each listed and fetched once in a run. The tree
 * alone says which files there are, and the blob ids in it what they hold: the same bytes from the
 * archive, or from requests that files read at the same moment share. `client` hides no values,
 * since hiding one changes the bytes and with them the id.
 */
export function createCommitSources(
  client: GitHubClient,
  repository: Pick<Repository, 'owner' | 'name'>,
  signal: AbortSignal,
): (ref: string) => CommitSource {
  const sources = new Map<string, CommitSource>();
  return (ref) => {
    const source = sources.get(ref) ?? createCommitSource({ client, repository, ref }, signal);
    sources.set(ref, source);
    return source;
  };
}

function createCommitSource(
  place: { readonly ref: string } & Parameters<typeof fetchTree>[0],
  signal: AbortSignal,
): CommitSource {
  const { client, repository } = place;
  const known = new Map<string, Promise<Uint8Array | undefined>>();
  const waiting: Waiting[] = [];

  const listing = askOnce(async () => {
    const { tree, truncated } = await fetchTree(place, signal);
    const entries = tree.filter(({ type }) => type !== 'tree');
    return {
      files: new Map(entries.map((entry) => [entry.path, fileOf(entry)] as const)),
      isCut: truncated,
    };
  });
  const listed = () => asToolError(() => listing(signal));

  const readAhead = askOnce(async () => {
    const { files } = await listed();
    const unread = [...files.values()].filter(({ sha }) => !known.has(sha));
    // A batch costs no more than the archive.
    if (unread.length <= MAX_BATCH) return;
    const ids = new Set(unread.map(({ sha }) => sha));
    const contents = await fetchArchive(place, (sha) => ids.has(sha), signal);
    for (const [sha, bytes] of contents) known.set(sha, Promise.resolve(bytes));
  });

  /** Reads all waiting files, in batches, so that no answer is too large. */
  function askForWaiting(): void {
    while (waiting.length > 0) void answer(waiting.splice(0, MAX_BATCH));
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const names = batch.map(({ file }) => file.sha);
      const texts = await fetchTexts(client, repository, names, signal);
      for (const { file, resolve } of batch) resolve(bytesOf(file, texts.get(file.sha)));
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  }

  /** GitHub converts texts that are not UTF-8, so a text counts only if its sha is the blob's. */
  async function bytesOf({ sha }: CommitFile, blob: BlobText): Promise<Uint8Array | undefined> {
    if (blob?.isBinary === true) return undefined;
    const bytes = new TextEncoder().encode(blob?.text ?? '');
    return blobSha(bytes) === sha ? bytes : await fetchBlob({ client, repository }, sha, signal);
  }

  return {
    list: async () => (await listed()).files,
    isCut: async () => (await listed()).isCut,
    isKnown: ({ sha }) => known.has(sha),
    readAhead: () => readAhead(signal),
    read(file) {
      const earlier = known.get(file.sha);
      if (earlier !== undefined) return earlier;

      const reading = new Promise<Uint8Array | undefined>((resolve, reject) => {
        if (waiting.push({ file, resolve, reject }) === 1) setImmediate(askForWaiting);
      });
      const pending = asToolError(() => reading);
      known.set(file.sha, pending);
      pending.catch(() => known.delete(file.sha));
      return pending;
    },
  };
}

/**
 * The files of an event's commit, to be changed: a commit that anybody can have made is refused, as
 * is one that is not listed in full.
 */
export function createSubjectFiles(
  client: GitHubClient,
  trigger: Exclude<Trigger, { readonly kind: 'local' }>,
  sourceAt: CommitSources,
  signal: AbortSignal,
): CommitFiles & {
  /** The commit and its branch; for a pull request they can be a fork's. */
  head(): Promise<Pick<SubjectCommits, 'head' | 'branch' | 'isForeign'>>;
} {
  const commits = askOnce(() => subjectCommits(client, trigger, signal));
  async function source(): Promise<CommitSource> {
    const { head, isForeign } = await asToolError(() => commits(signal));
    if (isForeign) throw new ToolError(IS_FORKS);
    const commit = sourceAt(head);
    if (await commit.isCut()) throw new ToolError(IS_CUT);
    return commit;
  }
  return {
    head: () => commits(signal),
    list: async () => (await source()).list(),
    read: async (file) => (await source()).read(file),
    readAhead: async () => (await source()).readAhead(),
  };
}

const IS_FORKS =
  'anyone may have made this commit (a fork, a merge queue), so only the `github_` tools read its files';

const IS_CUT = 'the repository is too large for GitHub to list all its files: check it out';

type BlobText = ReturnType<Awaited<ReturnType<typeof fetchTexts>>['get']>;

interface Waiting {
  readonly file: CommitFile;
  resolve(bytes: Promise<Uint8Array | undefined>): void;
  reject(thrown: unknown): void;
}

const MAX_BATCH = 25;

const KINDS: Readonly<Record<string, CommitFile['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
};

function fileOf({ mode, sha, size }: { mode: string; sha: string; size: number }): CommitFile {
  return { kind: KINDS[mode] ?? 'other', isExecutable: mode === '100755', sha, bytes: size };
}
