import type { Trigger } from '../../event/trigger.js';
import type { GitHubClient } from '../../github/client/client.js';
import { blobSha, fetchBlob, fetchTexts, fetchTree } from '../../github/reading/contents.js';
import { type SubjectCommits, subjectCommits } from '../../github/reading/subject-commits.js';
import { ToolError } from '../../lib/errors.js';
import type { CommitFile, CommitFiles } from '../workspace/commit-workspace.js';
import { askOnce, asToolError } from './reader.js';

/**
 * The files of an event's commit through GitHub's API: one request lists them, and files that are
 * read at the same moment share a request. A commit that anybody can have made is refused.
 */
export function createSubjectFiles(
  client: GitHubClient,
  trigger: Exclude<Trigger, { readonly kind: 'local' }>,
  signal: AbortSignal,
): CommitFiles & {
  /** The commit and its branch; for a pull request they can be a fork's. */
  head(): Promise<Pick<SubjectCommits, 'head' | 'branch' | 'isForeign'>>;
} {
  const { repository } = trigger;
  const commits = askOnce(() => subjectCommits(client, trigger, signal));
  const list = askOnce(async () => {
    const { head: ref, isForeign } = await commits(signal);
    if (isForeign) throw new ToolError(IS_FORKS);
    const { tree, truncated } = await fetchTree({ client, repository, ref }, signal);
    if (truncated)
      throw new ToolError(
        'the repository is too large for GitHub to list all its files: check it out',
      );
    return new Map(
      tree.filter(({ type }) => type !== 'tree').map((entry) => [entry.path, fileOf(entry)]),
    );
  });
  const known = new Map<string, Promise<Uint8Array | undefined>>();
  const waiting: Waiting[] = [];

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
    head: () => commits(signal),
    list: () => asToolError(() => list(signal)),
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

const IS_FORKS =
  'anyone may have made this commit (a fork, a merge queue), so only the `github_` tools read its files';

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
